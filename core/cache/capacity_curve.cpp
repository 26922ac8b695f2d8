// SPDX-License-Identifier: GPL-3.0-or-later
#include "cache/capacity_curve.h"

#include <algorithm>
#include <numeric>
#include <optional>
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

CapacityCurve::CapacityCurve(const ReferenceStream& stream, FreeOrder free_order, std::size_t from_request, bool with_output)
    : block_size_(stream.block_size) {
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
  }
  for (auto* changes : {&gpu_, &host_, &capped_}) std::partial_sum(changes->begin(), changes->end(), changes->begin());
  revisits_ = host_;
  while (!revisits_.empty() && revisits_.back() == 0) revisits_.pop_back();
  sum_up(gpu_);
  sum_up(host_);
  sum_up(capped_);
}

CurvePoint CapacityCurve::at(std::int64_t gpu_blocks, std::int64_t host_blocks) const {
  const std::int64_t gpu = upto(gpu_, gpu_blocks);
  const std::int64_t capped = upto(capped_, host_blocks);
  // Inclusive pair: with C > N the host holds all that the GPU holds; with C <= N it adds only what a GPU hit may not
  // cover, and the blocks at the GPU's very edge that a tail took (D = C = N). What tails of the append order and
  // generated tokens drove off the GPU, and a smaller host still has, is not counted (see PointCurve).
  const std::int64_t below = upto(host_, host_blocks);
  const std::int64_t host = host_blocks >= gpu_blocks ? below - gpu : capped;
  CurvePoint p;
  p.gpu_blocks = gpu_blocks;
  p.host_blocks = host_blocks;
  p.gpu_hit = gpu * block_size_;
  p.host_loaded = host * block_size_;
  // A prompt whose last full block is its end, on the host whole: one token is recomputed beside all that is loaded.
  p.computed = prompt_tokens_ - p.gpu_hit - p.host_loaded + capped;
  return p;
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
