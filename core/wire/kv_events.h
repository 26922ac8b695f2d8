// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kvcliff::wire {

/// One event of an engine's prefix cache, as vLLM publishes it.
struct KvEvent {
  enum class Kind { stored, removed, cleared };
  Kind kind = Kind::stored;
  std::string medium = "GPU";          ///< "GPU", "CPU" (the host tier); releases that name none mean the GPU
  std::vector<std::uint64_t> blocks;   ///< hashes; longer ones by their own hash. Of the host tier: one per chunk
  std::int64_t block_size = 0;         ///< tokens; 0 where it is not stated (the host tier without its own description)
  bool operator==(const KvEvent&) const = default;
};

/// One message: a time of the engine's clock (s), events in order, the data-parallel rank where stated.
struct KvEventBatch {
  double at = 0;
  std::vector<KvEvent> events;
  std::optional<std::int64_t> rank;
};

/// Decodes the payload of one message (msgpack). Events are maps with "type" (0.32, seen live) or arrays that begin with
/// the type (earlier ones); fields and kinds that are not known are passed over. Errors: corrupt.
Result<KvEventBatch> parse_kv_events(std::string_view payload, const std::string& where);

/// Where a command says it: "--kv-events-config JSON" or "--kv-events-config=JSON". Nullopt: nowhere.
struct KvEventsFlag {
  std::size_t word = 0;     ///< of argv, that holds the value
  std::string value;
  bool joined = false;      ///< behind the flag's own '='
};
inline constexpr std::string_view kv_events_flag = "--kv-events-config";
std::optional<KvEventsFlag> find_kv_events_flag(const std::vector<std::string>& argv);
/// Whether a command asks its engine to publish: "enable_kv_cache_events" is true there.
bool asks_for_kv_events(const std::vector<std::string>& argv);

/// The three parts of a message as the journal keeps them: sequence number (8 bytes, big endian) before the payload.
std::string pack_kv_message(std::uint64_t sequence, std::string_view payload);
struct KvMessage {
  std::uint64_t sequence = 0;
  std::string_view payload;
};
/// Errors: corrupt (shorter than a sequence number).
Result<KvMessage> unpack_kv_message(std::string_view stored, const std::string& where);

}  // namespace kvcliff::wire
