// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "cache/config.h"
#include "cache/stack_distance.h"

namespace kvcliff::cache {

/// One request of a reference stream: `count` dense block ids from `first` in `ids`, prompt order, full blocks only.
struct StreamRequest {
  std::size_t first = 0;
  std::uint32_t count = 0;
  std::int64_t prompt_tokens = 0;
  std::int64_t output_tokens = 0;
};

/// A workload as the curve reads it: block ids numbered densely in order of first use.
struct ReferenceStream {
  std::int64_t block_size = 16;            ///< tokens per block
  std::vector<std::uint32_t> ids;
  std::vector<StreamRequest> requests;
  std::uint32_t distinct = 0;              ///< ids are 0 .. distinct - 1

  std::span<const std::uint32_t> blocks(const StreamRequest& r) const { return {ids.data() + r.first, r.count}; }
};

/// Tokens by source at one pair of capacities. computed counts at least one token per request, so the three may exceed
/// the prompt tokens by one for each prompt that is an exact multiple and fully on the host.
struct CurvePoint {
  std::int64_t gpu_blocks = 0, host_blocks = 0;
  std::int64_t gpu_hit = 0, host_loaded = 0, computed = 0;   ///< tokens
  bool operator==(const CurvePoint&) const = default;
};

/// Whether the rules are those of the one-pass curve: native tier, LRU, one block a chunk, prompts stored in one step.
bool one_pass_rules(const Config& rules);

/// Tokens by source for all GPU and host capacities at once, from one pass.
/// Exact for one request at a time, an inclusive LRU host tier whose recency is that of the requests (HostTouch::lookup,
/// host at least as large as the largest request), one block per chunk, prompt blocks alone stored. For HostTouch::finish and
/// ::unordered the GPU side is exact and the host side is a bound: what an LRU by the book would give.
class CapacityCurve {
 public:
  /// Runs the pass. `from_request`: earlier requests fill the caches but are not counted (first visits, warm-up).
  /// `with_output`: the blocks of generated tokens take room on the GPU until they are evicted (n + m - 1 tokens have KV).
  CapacityCurve(const ReferenceStream& stream, FreeOrder free_order, std::size_t from_request = 0, bool with_output = false);

  CurvePoint at(std::int64_t gpu_blocks, std::int64_t host_blocks) const;
  /// As at, for many capacities `x` of one tier (`host`: of the host), the other fixed.
  std::vector<CurvePoint> along(bool host, std::int64_t fixed, std::span<const std::int64_t> x) const;
  /// Smallest GPU that finds the last block of a prompt that ends on a block boundary: it is computed again and takes a
  /// second block, which stack distances do not know. From there on the GPU side is near, not exact. Larger than any
  /// capacity when there is no such prompt.
  std::int64_t first_twin() const { return first_twin_; }
  /// Blocks that the largest request takes on the GPU, and its full prompt blocks.
  std::int64_t largest_request() const { return largest_; }
  std::int64_t largest_prompt() const { return largest_prompt_; }
  std::int64_t prompt_tokens() const { return prompt_tokens_; }
  std::int64_t requests() const { return requests_; }
  std::int64_t block_references() const { return references_; }
  /// GPU capacities at which the GPU curve has a corner or step: one more block would give more hits.
  std::vector<std::int64_t> gpu_steps() const;
  std::vector<std::int64_t> host_steps() const;
  /// Block revisits by distance (host distance, the plain stack distance); index 0 is distance 1.
  const std::vector<std::int64_t>& revisits() const { return revisits_; }
  /// Block references without an earlier use.
  std::int64_t first_uses() const { return first_uses_; }

 private:
  /// Neighbours whose GPU distance exceeds the host distance: both grow by one a block.
  struct Apart {
    std::uint32_t host = 0, gpu = 0, count = 0;
    std::int64_t times = 1;
  };
  std::int64_t lost(std::int64_t gpu_blocks, std::int64_t host_blocks) const;
  CurvePoint point(std::int64_t gpu_blocks, std::int64_t host_blocks, std::int64_t lost_on_gpu) const;
  void set_apart(std::span<const StackDistances::Run> of_gpu, std::span<const StackDistances::Run> of_host, std::uint32_t cap);

  std::int64_t block_size_;
  std::int64_t prompt_tokens_ = 0, requests_ = 0, references_ = 0, first_uses_ = 0;
  std::int64_t first_twin_, largest_ = 0, largest_prompt_ = 0;
  // What tails of the append order and generated tokens drove off the GPU while a host tier, even a smaller one, may still
  // hold it. Those farthest apart first.
  std::vector<Apart> apart_;
  // Prefix sums over the distance: blocks with gpu distance <= N, host distance <= C, and of the latter those that a GPU
  // hit may never serve (the last block of an exact multiple).
  std::vector<std::int64_t> gpu_, host_, capped_, revisits_;
};

/// Numbers the keys of a list of requests densely.
ReferenceStream make_stream(std::span<const Request> requests, std::int64_t block_size);

}  // namespace kvcliff::cache
