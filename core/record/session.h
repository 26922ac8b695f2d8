// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"

namespace kvcliff {

/// States of a session, in the order of its life; the last three are ends beside `finished`.
enum class SessionState {
  planned, preflight, launching, ready, warming, measuring, settling, stopping, finished,
  failed, stopped_by_user, superseded,
};
std::string_view to_string(SessionState s);
std::optional<SessionState> session_state_from(std::string_view s);
bool is_end(SessionState s);

struct StateChange {
  SessionState state = SessionState::planned;
  Instant at;
  std::string why;  ///< for failed and stopped; otherwise may be empty
};

/// One line of the engine's output.
struct LogLine {
  Instant at;
  bool is_stderr = false;
  std::string text;       ///< valid UTF-8, without the line end
  bool truncated = false; ///< longer than the limit; the rest was dropped
};

/// What a running engine lets us know. Each absent one turns its checks into "not possible" with the reason given.
struct Capability {
  bool present = false;
  std::string how;  ///< series, field or endpoint that offers it; the reason when absent
};
using Capabilities = std::map<std::string, Capability>;  ///< e.g. "sources", "load_bytes", "cached_tokens", "reset", "token_ids"

/// Facts of the effective configuration, each with where it was read; absent = not stated.
struct EffectiveConfig {
  std::string engine_version;
  bool simulated = false;
  std::optional<std::int64_t> block_size;        ///< tokens
  std::optional<std::int64_t> gpu_blocks;        ///< as the engine states it (null block included)
  std::optional<std::int64_t> gpu_tokens;        ///< as the engine states it
  std::optional<std::int64_t> kv_bytes_available;
  std::optional<std::int64_t> host_bytes;
  std::optional<bool> offload;                   ///< tier present?
  std::string kv_dtype;
  std::string model;
  std::map<std::string, std::string> from;       ///< field -> evidence ("log line 12", "cache_config_info")
};

void to_json(Json& j, const EffectiveConfig& c);
void from_json(const Json& j, EffectiveConfig& c);
void to_json(Json& j, const Capability& c);
void from_json(const Json& j, Capability& c);

struct SessionRecord {
  std::int64_t id = 0;
  int ordinal = 0;          ///< in the schedule, from 0
  int attempt = 1;
  std::string arm;
  bool conditioning = false;///< journalled, but left out of statistics
  int pair = -1;            ///< pair number of a compared session; -1: control, calibration, conditioning
  SessionState state = SessionState::planned;
  std::string why;          ///< of the end state
  std::vector<StateChange> changes;
  std::vector<std::string> argv;
  std::map<std::string, std::string> env_set;
  std::vector<std::string> env_unset;
  std::string url;
  std::int64_t pid = 0;
  std::optional<int> exit_code;  ///< 128+n for a signal
  EffectiveConfig effective;
  Capabilities capabilities;
  std::int64_t identity_scrape = 0, last_scrape = 0;  ///< journal rows
  Json preflight;                ///< array of the checks made before the launch, as the host reported them
  Json stop;                     ///< how it was stopped: grace kept, processes killed, notes
};

}  // namespace kvcliff
