// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kvcliff::emulator {

/// One way in which the emulator can be wrong on purpose, to see that a check notices.
enum class Lie {
  tier_off, warm_cache, reset_ignored, double_count, misbooked_source, external_not_loaded, bytes_short, bytes_long,
  store_bytes_short, generations_differ, cached_missing, cached_zero, usage_missing, usage_duplicate, usage_wrong,
  generation_wrong, queries_wrong, foreign_request, counter_reset, process_restarted, aliased_metrics, preemption,
  failed_stores, skipped_stores, late_counters, stuck_request, stream_cut, stream_stall, stream_coalesced, role_only_first,
  empty_tokens, output_changed, smaller_cache, smaller_cache_hidden, block_size, offload_hurts, drift, session_effect,
  slow_first_server, hit_without_speed, gpu_store_unannounced, host_store_unannounced, removal_invented,
};

struct LieEntry {
  Lie lie;
  std::string_view name;
  std::int64_t from;            ///< first request (counted from 0) that is affected unless the user says otherwise
  bool once;                    ///< only that request
  std::string_view what;        ///< what the server does
  std::string_view caught_by;   ///< check that must notice: R1..R21, "verdict", or "statistics" (effects, not faults)
};
std::span<const LieEntry> lie_table();

/// A lie that was asked for, "NAME" or "NAME:N".
struct ActiveLie {
  const LieEntry* entry = nullptr;
  std::int64_t from = 0;
};
std::optional<ActiveLie> parse_lie(std::string_view text);

class Lies {
 public:
  void add(const ActiveLie& lie) { active_.push_back(lie); }
  bool empty() const { return active_.empty(); }
  /// Whether the lie is asked for at all.
  bool has(Lie lie) const;
  /// Whether it affects request number `request` (from 0).
  bool on(Lie lie, std::int64_t request) const;
  std::int64_t from(Lie lie) const;
  const std::vector<ActiveLie>& active() const { return active_; }

 private:
  const ActiveLie* find(Lie lie) const;
  std::vector<ActiveLie> active_;
};

}  // namespace kvcliff::emulator
