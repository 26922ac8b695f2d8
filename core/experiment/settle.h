// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <chrono>
#include <optional>
#include <string>

#include "record/counters.h"

namespace kvcliff::experiment {

/// When a server's counters are final after requests of ours. All of: our requests are counted as finished; nothing runs
/// or waits; no transfer is pinned (kv_offload_cpu_cache_usage_perc = 0 where exported: byte counters move in one lump
/// when a transfer job ends); and the counters are equal in two scrapes, `quiet` apart. The distance grows where the
/// engine is slow (scrapes that take long) or where counters still moved.
class Settle {
 public:
  struct Options {
    std::chrono::nanoseconds quiet = std::chrono::milliseconds(50);
    std::chrono::nanoseconds timeout = std::chrono::seconds(10);
  };
  /// `before`: the settled scrape before our requests. `finished`: how many of them the engine must count as finished;
  /// a request that we cut off is never counted, so it is not waited for.
  Settle(const CounterSnapshot& before, int finished, Options options);

  struct Step {
    bool settled = false;
    std::chrono::nanoseconds wait{0};  ///< before the next scrape
    std::string waiting_for;           ///< why not settled yet
  };
  /// The next scrape, in order of time.
  Step feed(const CounterSnapshot& page);
  int polls() const { return polls_; }
  const Options& options() const { return options_; }

 private:
  std::optional<double> success_before_;
  int finished_ = 0;
  Options options_;
  std::chrono::nanoseconds interval_;
  std::optional<CounterSnapshot> last_;
  int polls_ = 0;
};

/// Counters (not gauges, not other models') of both pages are equal, label by label.
bool same_counters(const CounterSnapshot& a, const CounterSnapshot& b);

}  // namespace kvcliff::experiment
