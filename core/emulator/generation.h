// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "cache/config.h"

namespace kvcliff::emulator {

/// What one vLLM release says and does, as far as it shows outside. Sources: string search in 15 wheels and live runs of
/// 0.26.0 and 0.32.0; "from" means the first release looked at that has it.
struct Generation {
  int minor = 32;                          ///< 0.<minor>
  std::string version = "0.32.0";

  bool old_names() const { return minor <= 10; }              ///< gpu_prefix_cache_*, gpu_cache_usage_perc
  bool external_counters() const { return minor >= 12; }
  bool external_queries_whole() const { return minor < 14; }  ///< whole prompt instead of prompt - local hit
  bool sized_in_bytes() const { return minor >= 14; }         ///< --kv-offloading-size, cpu_bytes_to_use
  bool by_source() const { return minor >= 16; }
  bool recomputed() const { return minor >= 16 && minor < 20; }
  bool total_bytes() const { return minor >= 16; }            ///< generation A of the byte counters
  bool load_store_bytes() const { return minor >= 24; }       ///< generation B, and the pinned-share gauges
  bool details_at_zero() const { return minor >= 24; }        ///< cached_tokens present at 0
  bool per_request_metrics() const { return minor >= 25; }
  bool allocation_failure() const { return minor >= 26; }
  bool queries_once() const { return minor >= 27; }           ///< look-ups counted at admission, not at every retry
  bool one_log_line() const { return minor >= 29; }           ///< size and concurrency on one line
  bool cached_by_source() const { return minor >= 32; }
  bool shutdown_timeout() const { return minor >= 18; }
  bool continuous_usage_forced() const { return minor >= 19; }
  bool fingerprint() const { return minor >= 26; }

  /// Switches of the prefix cache in this release.
  cache::Config rules() const;
  bool prompt_only_by_default() const { return minor >= 23; }
};

/// "0.32", "0.26.0", "v0.19.1": 0.10 to 0.32. nullopt for anything else.
std::optional<Generation> parse_generation(std::string_view text);

}  // namespace kvcliff::emulator
