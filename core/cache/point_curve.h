// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <atomic>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cache/capacity_curve.h"
#include "cache/config.h"
#include "record/sources.h"

namespace kvcliff::cache {

/// Tokens by source at one pair of capacities under the version's own rule. Counts are integers, or ranges where the
/// engine's order is random (HostTouch::unordered).
struct RulePoint {
  std::int64_t gpu_blocks = 0, host_blocks = 0;
  std::int64_t gpu_hit = 0;
  PredictedCount host_loaded, computed;
  bool exact = true;    ///< an engine with these capacities would count exactly this, one request at a time
  bool known = true;    ///< false: nothing can be said (`why`), the counts are not to be shown
  std::string why;      ///< when not exact
  double total() const { return static_cast<double>(gpu_hit) + host_loaded.mean; }
};

/// A workload under the rules of one release, at any capacities. The GPU side comes from one pass; the host side too
/// where its recency is that of the requests (HostTouch::lookup), otherwise it is simulated point by point: by a
/// simulation of the host tier alone where the one-pass GPU side is exact, by the step simulator where it is not.
/// All functions are const and may be called by several threads.
class PointCurve {
 public:
  /// `rules`: every field but gpu_blocks and host_chunks is used. `with_output`: generated tokens take GPU blocks.
  PointCurve(ReferenceStream stream, const Config& rules, bool with_output = false, std::size_t from_request = 0);

  RulePoint at(std::int64_t gpu_blocks, std::int64_t host_blocks) const;
  using Pair = std::pair<std::int64_t, std::int64_t>;   ///< GPU blocks, host blocks
  /// As at, for many points by `threads` threads. Stops early when `stop` becomes true: the rest is left out.
  std::vector<RulePoint> at(std::span<const Pair> pairs, int threads, const std::atomic<bool>* stop = nullptr) const;

  /// The one-pass curve at these capacities, never simulated; `exact` and `why` say whether an engine would count this.
  RulePoint one_pass_point(std::int64_t gpu_blocks, std::int64_t host_blocks) const;

  /// The curve for all capacities in one pass: exact for HostTouch::lookup, a bound for the others.
  const CapacityCurve& one_pass() const { return one_pass_; }
  const ReferenceStream& stream() const { return stream_; }
  const Config& rules() const { return rules_; }
  bool with_output() const { return with_output_; }
  /// Blocks that the largest request takes: with fewer on the GPU it cannot run.
  std::int64_t largest_request() const { return largest_; }
  std::int64_t prompt_tokens() const { return one_pass_.prompt_tokens(); }
  /// Rules for which the one-pass GPU side holds: native tier, LRU, one block a chunk, prompts stored in one step.
  bool plain() const { return one_pass_rules(rules_); }
  /// Whether at() costs a simulation at these capacities.
  bool simulated(std::int64_t gpu_blocks, std::int64_t host_blocks) const;

 private:
  bool gpu_exact(std::int64_t gpu_blocks) const { return gpu_blocks < one_pass_.first_twin(); }
  RulePoint finish_point(std::int64_t gpu_blocks, std::int64_t host_blocks) const;
  RulePoint step_point(std::int64_t gpu_blocks, std::int64_t host_blocks) const;
  const std::vector<Request>& requests() const;

  ReferenceStream stream_;
  Config rules_;
  bool with_output_;
  std::size_t from_request_;
  CapacityCurve one_pass_;
  std::vector<std::uint32_t> gpu_;          // GPU distance of each reference of the stream
  std::int64_t largest_ = 0, largest_prompt_ = 0;
  mutable std::once_flag made_;
  mutable std::vector<Request> requests_;
};

}  // namespace kvcliff::cache
