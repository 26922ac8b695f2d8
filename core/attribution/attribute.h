// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "attribution/delta.h"
#include "record/sources.h"
#include "record/stream.h"

namespace kvcliff::attribution {

/// What is known about the window besides its two scrapes. Everything is optional.
struct AttributionOptions {
  std::optional<std::int64_t> prompt_tokens;       ///< of all our requests in the window, as sent; usage is preferred
  std::optional<std::int64_t> block_size;          ///< tokens; read from cache_config_info when absent
  std::optional<std::int64_t> kv_bytes_per_token;  ///< all ranks; only compared, never used to invent bytes
  int requests = 1;                                ///< ours in the window
  int cancelled = 0;                               ///< of these, cancelled by us: their end may or may not be counted
  std::optional<bool> tier;                        ///< is there a host tier? decides what body-only numbers can tell
  bool window_is_ours = true;                      ///< false: do not claim exclusivity (attach to a shared server)
};

/// Where the prompt tokens of a window came from.
struct Attribution {
  CounterDelta delta;
  TokenSources sources;
  std::optional<std::int64_t> prompt_tokens;  ///< the length the sources must sum to
  std::string prompt_from;                    ///< "usage.prompt_tokens", counter name, "as sent"
  std::optional<Bytes> loaded_bytes, stored_bytes;
  std::string loaded_from, stored_from;       ///< series name, or the reason for absence
  std::int64_t recomputed = 0;                ///< tokens moved from a cached source to computed (0.16 to 0.20)
  std::optional<std::int64_t> host_transferred;  ///< host tokens as counted, before that move
  bool valid = true;                          ///< the scrapes can be subtracted
  bool exclusive = true;                      ///< nothing but our requests moved the counters, as far as they tell
  bool identity = false;                      ///< the sources sum to the prompt
  std::string reason;                         ///< why not valid, not exclusive, or why a source is unknown
  std::string lookup_unit;                    ///< "tokens", "blocks" or "unknown" where look-ups are exported
  std::optional<double> lookup_excess;        ///< look-ups / prompt tokens (or full blocks), when not 1
  std::optional<double> gpu_hit_share;        ///< of the prompt; known even where the unit is blocks of unknown size
  std::vector<std::string> engines_moved;
  std::vector<std::string> flags;             ///< findings: a mismatch, a note that explains a number
  bool reconciled() const { return valid && exclusive && identity; }
};

/// Attributes the prompt tokens of the window between two scrapes. `stream`: the record of our request, when it is one
/// (usage, cached_tokens); may be null. Order of trust: counters by source; hits of the look-up counters; the body.
/// The sources are in the engine's own counting, except that the recomputed token of 0.16 to 0.20 is booked once.
Attribution attribute(const CounterSnapshot& before, const CounterSnapshot& after, const StreamRecord* stream,
                      const AttributionOptions& options);

/// From the answer alone, where no scrape is to be had: cached tokens without a split between the tiers.
Attribution attribute_body(const StreamRecord& stream, const AttributionOptions& options);

}  // namespace kvcliff::attribution
