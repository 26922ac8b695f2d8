// SPDX-License-Identifier: GPL-3.0-or-later
#include "cache/capacity_curve.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>
#include <unordered_map>

namespace kvcliff::cache {
namespace {

std::int64_t upto(const std::vector<std::int64_t>& sums, std::int64_t capacity) {
  if (capacity <= 0 || sums.empty()) return 0;
  return sums[static_cast<std::size_t>(std::min<std::int64_t>(capacity, static_cast<std::int64_t>(sums.size())) - 1)];
}

void sum_up(std::vector<std::int64_t>& counts) {
  while (!counts.empty() && counts.back() == 0) counts.pop_back();
  for (std::size_t i = 1; i < counts.size(); ++i) counts[i] += counts[i - 1];
}

std::vector<std::int64_t> steps(const std::vector<std::int64_t>& sums) {
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < sums.size(); ++i)
    if (sums[i] != (i ? sums[i - 1] : 0)) out.push_back(static_cast<std::int64_t>(i) + 1);
  return out;
}

}  // namespace

bool one_pass_rules(const Config& r) {
  return r.tier == Tier::native && r.policy == Policy::lru && r.blocks_per_chunk == 1 && !r.eagle && r.store_threshold < 2 && r.max_batched_tokens == 0 &&
         r.offload_prompt_only && r.protect_input_keys;
}

CapacityCurve::CapacityCurve(const ReferenceStream& stream, FreeOrder free_order, std::size_t from_request, bool with_output)
    : block_size_(stream.block_size), first_twin_(std::numeric_limits<std::int64_t>::max()) {
  // Two stacks where they differ: decode blocks and the tails of the append order age on the GPU, and the host never
  // sees them.
  const bool two = with_output || free_order == FreeOrder::append;
  StackDistances gpu_stack(free_order, stream.distinct);
  std::optional<StackDistances> host_stack;
  if (two) host_stack.emplace(FreeOrder::none, stream.distinct);
  // Distances come in runs of neighbours: what each run adds is kept as where it begins and where it ends. They reach at
  // most every distinct block plus one tail, and what nobody asks for again.
  const auto count = [](std::vector<std::int64_t>& changes, std::uint32_t from, std::uint32_t n) {
    if (n == 0) return;
    const std::size_t end = std::size_t{from} - 1 + n;
    if (end >= changes.size()) changes.resize(std::max(end + 1, changes.size() * 2), 0);
    ++changes[from - 1];
    --changes[end];
  };
  gpu_.assign(stream.distinct + 3, 0);
  host_ = capped_ = gpu_;
  std::vector<StackDistances::Run> of_gpu, of_host;
  for (std::size_t i = 0; i < stream.requests.size(); ++i) {
    const StreamRequest& r = stream.requests[i];
    const std::int64_t known = r.prompt_tokens + (with_output ? std::max<std::int64_t>(0, r.output_tokens - 1) : 0);
    gpu_stack.request(stream.blocks(r), known % block_size_ != 0, of_gpu, static_cast<std::uint32_t>(known / block_size_ - r.prompt_tokens / block_size_));
    if (two) host_stack->request(stream.blocks(r), false, of_host);
    largest_ = std::max(largest_, free_order == FreeOrder::none ? known / block_size_ : (known + block_size_ - 1) / block_size_);
    largest_prompt_ = std::max<std::int64_t>(largest_prompt_, r.count);
    if (r.count > 0 && r.prompt_tokens % block_size_ == 0 && of_gpu.back().host != StackDistances::never)
      first_twin_ = std::min<std::int64_t>(first_twin_, of_gpu.back().host + of_gpu.back().count - 1);
    if (i < from_request) continue;
    ++requests_;
    prompt_tokens_ += r.prompt_tokens;
    references_ += r.count;
    // The last token is always recomputed: a GPU hit may cover floor((n - 1) / B) blocks.
    const auto cap = static_cast<std::uint32_t>(std::clamp<std::int64_t>((r.prompt_tokens - 1) / block_size_, 0, r.count));
    for (const auto& run : of_gpu) {
      if (run.host == StackDistances::never || run.first >= cap) break;
      const std::uint32_t n = std::min(run.count, cap - run.first), level = std::min(run.level, n);
      count(gpu_, run.host, level);
      count(gpu_, run.host + level + 1, n - level);
    }
    for (const auto& run : two ? of_host : of_gpu) {
      if (run.host == StackDistances::never) {  // the rest of the chain has no earlier use either
        first_uses_ += static_cast<std::int64_t>(r.count - run.first);
        break;
      }
      count(host_, run.host, run.count);
      if (const std::uint32_t end = run.first + run.count; end > cap) {
        const std::uint32_t n = std::min(run.count, end - cap);
        count(capped_, run.host + run.count - n, n);
      }
    }
    if (two) set_apart(of_gpu, of_host, cap);
  }
  // Equal ones once, as often as they came.
  std::sort(apart_.begin(), apart_.end(), [](const Apart& a, const Apart& b) {
    return std::tuple(b.gpu - b.host, a.host, a.count) < std::tuple(a.gpu - a.host, b.host, b.count);
  });
  std::size_t kept = 0;
  for (const Apart& a : apart_) {
    if (kept > 0 && apart_[kept - 1].host == a.host && apart_[kept - 1].gpu == a.gpu && apart_[kept - 1].count == a.count) ++apart_[kept - 1].times;
    else apart_[kept++] = a;
  }
  apart_.resize(kept);
  for (auto* changes : {&gpu_, &host_, &capped_}) std::partial_sum(changes->begin(), changes->end(), changes->begin());
  revisits_ = host_;
  while (!revisits_.empty() && revisits_.back() == 0) revisits_.pop_back();
  sum_up(gpu_);
  sum_up(host_);
  sum_up(capped_);
}

// The two stacks fall into runs of their own: what both tell of the same neighbours is kept where they differ.
void CapacityCurve::set_apart(std::span<const StackDistances::Run> of_gpu, std::span<const StackDistances::Run> of_host, std::uint32_t cap) {
  std::size_t g = 0, h = 0;
  for (std::uint32_t b = 0; b < cap;) {
    while (of_gpu[g].first + of_gpu[g].count <= b) ++g;
    while (of_host[h].first + of_host[h].count <= b) ++h;
    const auto &x = of_gpu[g], &y = of_host[h];
    if (y.host == StackDistances::never) return;
    const bool level = b < x.first + x.level;
    const std::uint32_t end = std::min({level ? x.first + x.level : x.first + x.count, y.first + y.count, cap});
    const std::uint32_t gpu = x.host + (b - x.first) + !level, host = y.host + (b - y.first);
    if (gpu > host) apart_.push_back({host, gpu, end - b, 1});
    b = end;
  }
}

// Blocks that `gpu_blocks` lost and a smaller host holds.
std::int64_t CapacityCurve::lost(std::int64_t gpu_blocks, std::int64_t host_blocks) const {
  std::int64_t n = 0;
  for (const Apart& a : apart_) {
    if (std::int64_t{a.gpu} - a.host <= gpu_blocks - host_blocks) break;  // these and all others: on the GPU, or on neither
    const std::int64_t from = std::max<std::int64_t>(0, gpu_blocks - a.gpu + 1), to = std::min<std::int64_t>(a.count, host_blocks - a.host + 1);
    if (to > from) n += (to - from) * a.times;
  }
  return n;
}

CurvePoint CapacityCurve::at(std::int64_t gpu_blocks, std::int64_t host_blocks) const {
  return point(gpu_blocks, host_blocks, host_blocks < gpu_blocks ? lost(gpu_blocks, host_blocks) : 0);
}

CurvePoint CapacityCurve::point(std::int64_t gpu_blocks, std::int64_t host_blocks, std::int64_t lost_on_gpu) const {
  const std::int64_t gpu = upto(gpu_, gpu_blocks);
  const std::int64_t capped = upto(capped_, host_blocks);
  // Inclusive pair: with C >= N the host holds all that the GPU holds; with C < N it adds what a GPU hit may not cover, and
  // what the GPU lost to tails and generated tokens, which the host never sees.
  const std::int64_t host = host_blocks >= gpu_blocks ? upto(host_, host_blocks) - gpu : capped + lost_on_gpu;
  CurvePoint p;
  p.gpu_blocks = gpu_blocks;
  p.host_blocks = host_blocks;
  p.gpu_hit = gpu * block_size_;
  p.host_loaded = host * block_size_;
  // A prompt whose last full block is its end, on the host whole: one token is recomputed beside all that is loaded.
  p.computed = prompt_tokens_ - p.gpu_hit - p.host_loaded + capped;
  return p;
}

std::vector<CurvePoint> CapacityCurve::along(bool host, std::int64_t fixed, std::span<const std::int64_t> x) const {
  // For all capacities of the one tier: where each block begins to count, or ceases to.
  std::vector<std::int64_t> lost_at;
  const auto add = [&](std::int64_t from, std::int64_t to, std::int64_t times) {
    if (from >= to) return;
    if (static_cast<std::size_t>(to) >= lost_at.size()) lost_at.resize(std::max<std::size_t>(static_cast<std::size_t>(to) + 1, 2 * lost_at.size()), 0);
    lost_at[static_cast<std::size_t>(from)] += times;
    lost_at[static_cast<std::size_t>(to)] -= times;
  };
  for (const Apart& a : apart_) {
    if (host) add(a.host + std::max<std::int64_t>(0, fixed - a.gpu + 1), std::int64_t{a.host} + a.count, a.times);                  // host distances
    else add(a.gpu, a.gpu + std::clamp<std::int64_t>(fixed - a.host + 1, 0, a.count), a.times);                                      // GPU distances
  }
  std::partial_sum(lost_at.begin(), lost_at.end(), lost_at.begin());   // blocks at each distance
  std::partial_sum(lost_at.begin(), lost_at.end(), lost_at.begin());   // up to it
  const auto below = [&](std::int64_t d) { return lost_at.empty() || d < 0 ? 0 : lost_at[static_cast<std::size_t>(std::min<std::int64_t>(d, static_cast<std::int64_t>(lost_at.size()) - 1))]; };
  std::vector<CurvePoint> out;
  out.reserve(x.size());
  for (const std::int64_t c : x) {
    const std::int64_t gpu_blocks = host ? fixed : c, host_blocks = host ? c : fixed;
    const std::int64_t n = host_blocks >= gpu_blocks ? 0 : host ? below(host_blocks) : below(std::numeric_limits<std::int64_t>::max()) - below(gpu_blocks);
    out.push_back(point(gpu_blocks, host_blocks, n));
  }
  return out;
}

std::vector<std::int64_t> CapacityCurve::gpu_steps() const { return steps(gpu_); }
std::vector<std::int64_t> CapacityCurve::host_steps() const { return steps(host_); }

ReferenceStream make_stream(std::span<const Request> requests, std::int64_t block_size) {
  ReferenceStream out;
  out.block_size = block_size;
  std::unordered_map<std::uint64_t, std::uint32_t> number;
  for (const Request& r : requests) {
    const std::size_t full = static_cast<std::size_t>(r.prompt_tokens / block_size);
    StreamRequest s{out.ids.size(), static_cast<std::uint32_t>(std::min(full, r.keys.size())), r.prompt_tokens, r.output_tokens};
    for (std::size_t i = 0; i < s.count; ++i) {
      const auto [it, added] = number.try_emplace(r.keys[i], out.distinct);
      if (added) ++out.distinct;
      out.ids.push_back(it->second);
    }
    out.requests.push_back(s);
  }
  return out;
}

}  // namespace kvcliff::cache
