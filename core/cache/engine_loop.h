// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "cache/simulator.h"

namespace kvcliff::cache {

/// How the engine's steps run.
struct LoopOptions {
  std::int64_t max_running = 256;   ///< requests running at once
  int load_steps = 1;               ///< a load that starts in step k is over before step k + 1 + load_steps is scheduled
  int store_steps = 1;              ///< likewise for stores; large: the link is slow
};

/// vLLM's scheduler over the Simulator, for requests that are in flight together: running requests first, preemption of
/// the last one, waiting requests in order with head-of-line blocking, chunks of Config::max_batched_tokens per step.
/// Time is counted in steps.
class EngineLoop {
 public:
  explicit EngineLoop(const Config& config, const LoopOptions& options = {}, std::uint64_t seed = 1);

  struct Report {
    Outcome sources;               ///< of the first admission, as engines count them
    std::int64_t preemptions = 0;
    std::int64_t resumed_gpu = 0, resumed_host = 0;  ///< tokens found again by the last resume
    int deferrals = 0;             ///< steps in which a transfer in flight held the look-up back
    int blocked = 0;               ///< steps in which there was no room for it
    int finished_step = -1;        ///< -1: still in flight
  };

  /// Queues a request; returns its number. Errors: bad_usage when it can never fit.
  Result<int> submit(const Request& request);
  /// One engine step. False when nothing is left to do.
  bool step();
  /// Steps until nothing is left, at most `most` steps. False when requests are left that wait for ever.
  bool drain(int most = 1'000'000);
  const Report& report(int request) const { return flights_[static_cast<std::size_t>(request)].report; }
  Simulator& cache() { return cache_; }

 private:
  enum class State { waiting, loading, loaded, running, done };
  struct Flight {
    Request request;
    State state = State::waiting;
    std::int64_t known = 0;        // prompt and sampled tokens
    std::int64_t sampled = 0;
    Report report;
  };
  struct Transfer {
    std::uint64_t job = 0;
    int request = 0, due = 0;
    bool is_load = false;
  };

  void settle();
  void note(int request, const Simulator::Step& s);
  bool start(int request, std::int64_t& budget, bool& blocked);

  Config config_;
  LoopOptions options_;
  Simulator cache_;
  std::vector<Flight> flights_;
  std::deque<int> waiting_;
  std::vector<int> running_;
  std::vector<Transfer> transfers_;
  int now_ = 0;
};

}  // namespace kvcliff::cache
