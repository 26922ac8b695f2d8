// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/units.h"

namespace kvcliff {

/// What an SSE event turned out to be.
enum class EventKind : std::uint8_t {
  token,      ///< carries a non-empty token (by token ids where returned, else text or reasoning text)
  empty,      ///< a choice without text: role chunk, empty delta
  finish,     ///< a finish reason and no token
  usage,      ///< usage with no choices
  error,      ///< an error object
  done,       ///< [DONE]
  comment,    ///< a line beginning with ':' (keep-alive)
  other,      ///< JSON that is none of these
  malformed,  ///< not JSON
};
std::string_view to_string(EventKind k);

/// One SSE event as it arrived.
struct StreamEvent {
  MonoNs at = 0;              ///< when its last byte was read, before parsing
  std::uint32_t bytes = 0;    ///< length of the frame
  EventKind kind = EventKind::other;
  std::uint16_t tokens = 0;   ///< token ids in it; 0 where ids are not returned
  bool operator==(const StreamEvent&) const = default;
};

/// Usage as the engine stated it. Absent fields stay absent.
struct Usage {
  std::optional<std::int64_t> prompt_tokens;
  std::optional<std::int64_t> completion_tokens;
  std::optional<std::int64_t> total_tokens;
  std::optional<std::int64_t> cached_tokens;                  ///< prompt_tokens_details.cached_tokens
  std::map<std::string, std::int64_t> cached_by_tier;         ///< engines that split it (device, host, storage)
  bool details_seen = false;                                  ///< prompt_tokens_details was an object
  int blocks = 0;                                             ///< how many usage objects the stream held
  bool conflicting = false;                                   ///< two usage objects contradict each other
  std::string raw;                                            ///< the last usage object as sent
  bool operator==(const Usage&) const = default;
};

enum class Outcome { complete, ended_without_reason, truncated, error, timeout, cancelled, interrupted };
/// "complete", "ended-without-reason", ... as in the command line's contract.
std::string_view to_string(Outcome o);
std::optional<Outcome> outcome_from(std::string_view s);

/// Monotonic times of one request; 0 = did not happen.
struct StreamTimes {
  MonoNs queued = 0;           ///< handed to the client
  MonoNs connected = 0;        ///< socket connected (or taken from the pool)
  MonoNs t0 = 0;               ///< just before the first request byte goes to the connected socket
  MonoNs request_written = 0;  ///< last request byte handed to the socket
  MonoNs header = 0;           ///< response header complete
  MonoNs first_byte = 0;       ///< first byte of the body
  MonoNs first_event = 0;
  MonoNs first_token = 0;      ///< first event that carries a non-empty token: TTFT = first_token - t0
  MonoNs first_content = 0;    ///< first event with content text (not reasoning)
  MonoNs last_token = 0;
  MonoNs end = 0;
  bool operator==(const StreamTimes&) const = default;
};

/// Everything one streamed request left behind on the client.
struct StreamRecord {
  int http_status = 0;  ///< 0: no answer
  Outcome outcome = Outcome::interrupted;
  std::string why;      ///< finished sentence for every outcome but complete
  bool transport_clean = false;
  bool saw_done = false;
  std::string finish_reason;  ///< of choice 0; empty = none
  std::string error_message;  ///< from an error event or body
  int error_code = 0;
  StreamTimes times;
  std::vector<StreamEvent> events;
  Usage usage;
  std::vector<std::int32_t> token_ids;  ///< output ids where returned
  bool ids_returned = false;
  std::string text;            ///< content of choice 0
  std::string reasoning_text;
  std::int64_t content_events = 0;
  std::int64_t parse_errors = 0;
  std::string request_id;      ///< the engine's id (header or body)
  std::map<std::string, double> engine_timings;  ///< e.g. time_to_first_token_ms, queue_time_ms, where offered
  std::vector<std::string> warnings;
  std::string raw;             ///< response body as received, when asked to keep it

  /// First non-empty token after t0; nullopt when there was none, or when a time is impossible.
  std::optional<MonoNs> ttft() const;
  bool operator==(const StreamRecord&) const = default;
};

}  // namespace kvcliff
