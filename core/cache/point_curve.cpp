// SPDX-License-Identifier: GPL-3.0-or-later
#include "cache/point_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "cache/host_finish.h"
#include "cache/other_tiers.h"
#include "cache/predict.h"
#include "cache/simulator.h"
#include "cache/trace_stream.h"

namespace kvcliff::cache {
namespace {
constexpr int seeds_per_point = 24;  // drawn orders for the mean of a band; its bounds need none
}

PointCurve::PointCurve(ReferenceStream stream, const Config& rules, bool with_output, std::size_t from_request)
    : stream_(std::move(stream)),
      rules_(rules),
      with_output_(with_output),
      from_request_(from_request),
      one_pass_(stream_, rules.free_order, from_request, with_output),
      largest_(one_pass_.largest_request()),
      largest_prompt_(one_pass_.largest_prompt()) {
  rules_.block_size = stream_.block_size;
  StackDistances stack(rules.free_order, stream_.distinct);
  gpu_.resize(stream_.ids.size());
  std::vector<std::uint32_t> host;
  const std::int64_t size = stream_.block_size;
  for (const StreamRequest& r : stream_.requests) {
    host.resize(r.count);
    const std::span gpu(gpu_.data() + r.first, r.count);
    const std::int64_t known = r.prompt_tokens + (with_output ? std::max<std::int64_t>(0, r.output_tokens - 1) : 0);
    stack.request(stream_.blocks(r), known % size != 0, host, gpu, static_cast<std::uint32_t>(known / size - r.prompt_tokens / size));
  }
}

bool PointCurve::simulated(std::int64_t gpu_blocks, std::int64_t host_blocks) const {
  if (gpu_blocks < largest_) return plain() && host_blocks > 0 && rules_.host_touch == HostTouch::finish;
  if (!plain() || !gpu_exact(gpu_blocks)) return true;
  return host_blocks > 0 && (rules_.host_touch != HostTouch::lookup || host_blocks < largest_prompt_);
}

const std::vector<Request>& PointCurve::requests() const {
  std::call_once(made_, [this] { requests_ = requests_of(stream_, with_output_); });
  return requests_;
}

RulePoint PointCurve::finish_point(std::int64_t gpu_blocks, std::int64_t host_blocks) const {
  HostFinish host(host_blocks, stream_.distinct);
  std::int64_t hit = 0, loaded = 0, computed = 0;
  const std::int64_t size = stream_.block_size;
  for (std::size_t i = 0; i < stream_.requests.size(); ++i) {
    const StreamRequest& r = stream_.requests[i];
    const auto most = static_cast<std::uint32_t>(std::min<std::int64_t>(r.count, (r.prompt_tokens - 1) / size));
    const std::uint32_t* distance = gpu_.data() + r.first;
    std::uint32_t g = 0;
    while (g < most && distance[g] <= gpu_blocks) ++g;
    const std::uint32_t h = host.request(stream_.blocks(r), g);
    if (i < from_request_) continue;
    hit += g;
    loaded += h;
    computed += std::max<std::int64_t>(1, r.prompt_tokens - std::int64_t{g + h} * size);
  }
  return {gpu_blocks, host_blocks, hit * size, PredictedCount::exact(loaded * size), PredictedCount::exact(computed), true, true, {}};
}

RulePoint PointCurve::step_point(std::int64_t gpu_blocks, std::int64_t host_blocks) const {
  Config c = rules_;
  // A GPU cache that keeps nothing: large enough for the request that runs, and emptied before the next.
  const bool empty = gpu_blocks == 0;
  c.gpu_blocks = empty ? largest_ : gpu_blocks;
  c.host_chunks = host_blocks / c.blocks_per_chunk;
  RulePoint p{gpu_blocks, host_blocks, 0, PredictedCount::exact(0), PredictedCount::exact(0), true, true, {}};
  const auto& all = requests();
  if (c.tier == Tier::native && !(c.host_touch == HostTouch::unordered && host_blocks > 0)) {
    Simulator simulator(c);
    std::int64_t loaded = 0, computed = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (empty) simulator.reset_gpu();
      const Outcome o = simulator.run_fitting(all[i]);
      if (i < from_request_) continue;
      p.gpu_hit += o.gpu_hit;
      loaded += o.host_loaded;
      computed += o.computed;
    }
    p.host_loaded = PredictedCount::exact(loaded);
    p.computed = PredictedCount::exact(computed);
    return p;
  }
  std::vector<Input> inputs;
  inputs.reserve(all.size());
  for (const Request& r : all) inputs.push_back({r, empty, false});
  PredictOptions options;
  options.seeds = seeds_per_point;
  const auto sources = predict(c, inputs, options);
  if (!sources) return p.exact = p.known = false, p.why = sources.error().sentence(), p;
  const auto add = [](PredictedCount& to, const PredictedCount& v) {
    to.min += v.min;
    to.max += v.max;
    to.mean += v.mean;
    if (to.why.empty()) to.why = v.why;
  };
  for (std::size_t i = from_request_; i < sources->size(); ++i) {
    const PredictedSources& s = (*sources)[i];
    p.gpu_hit += s.gpu_hit.min;
    add(p.host_loaded, s.host_loaded);
    add(p.computed, s.computed);
  }
  return p;
}

RulePoint PointCurve::at(std::int64_t gpu_blocks, std::int64_t host_blocks) const {
  const bool fits = gpu_blocks >= largest_;
  std::string why;
  if (!fits)
    why = fmt::format("the largest request takes {} GPU blocks and cannot run on {}; counted as if the cache alone had this size", largest_, gpu_blocks);
  const bool random = rules_.host_touch == HostTouch::unordered && host_blocks > 0;
  if (gpu_blocks == 0 && (!plain() || random)) {
    RulePoint p = step_point(gpu_blocks, host_blocks);
    p.exact = false;
    if (p.known) p.why = why;
    return p;
  }
  if (!fits && (!plain() || random)) {
    RulePoint p{gpu_blocks, host_blocks, 0, PredictedCount::exact(0), PredictedCount::exact(0), false, false, {}};
    p.why = fmt::format("the largest request takes {} GPU blocks and cannot run on {}", largest_, gpu_blocks);
    return p;
  }
  if (fits && simulated(gpu_blocks, host_blocks) && !(plain() && gpu_exact(gpu_blocks) && rules_.host_touch == HostTouch::finish))
    return step_point(gpu_blocks, host_blocks);
  if (!(rules_.host_touch == HostTouch::finish && host_blocks > 0)) return one_pass_point(gpu_blocks, host_blocks);
  RulePoint p = finish_point(gpu_blocks, host_blocks);
  p.exact = fits;
  p.why = why;
  return p;
}

RulePoint PointCurve::one_pass_point(std::int64_t gpu_blocks, std::int64_t host_blocks) const {
  const CurvePoint c = one_pass_.at(gpu_blocks, host_blocks);
  RulePoint p{gpu_blocks, host_blocks, c.gpu_hit, PredictedCount::exact(c.host_loaded), PredictedCount::exact(c.computed), false, true, {}};
  if (gpu_blocks < largest_)
    p.why = fmt::format("the largest request takes {} GPU blocks and cannot run on {}; counted as if the cache alone had this size", largest_, gpu_blocks);
  else if (!plain())
    p.why = "these rules have no one-pass curve; counted as an LRU by the book";
  else if (host_blocks > 0 && rules_.host_touch != HostTouch::lookup)
    p.why = "host recency by this release's rule differs from that of the requests; counted as an LRU by the book";
  else if (host_blocks > 0 && host_blocks < largest_prompt_)
    p.why = fmt::format("prompts of up to {} blocks do not fit this tier and are not stored at all", largest_prompt_);
  else if (!gpu_exact(gpu_blocks))
    p.why = "prompts that end on a block boundary are repeated: their last block is computed again and takes a second block";
  else
    p.exact = true;
  return p;
}

std::vector<RulePoint> PointCurve::at(std::span<const Pair> pairs, int threads, const std::atomic<bool>* stop) const {
  std::vector<RulePoint> out(pairs.size());
  std::vector<char> done(pairs.size(), 0);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < pairs.size(); i = next++) {
      if (stop && *stop) return;
      out[i] = at(pairs[i].first, pairs[i].second);
      done[i] = 1;
    }
  };
  {
    std::vector<std::jthread> pool;
    for (int t = 1; t < threads && t < static_cast<int>(pairs.size()); ++t) pool.emplace_back(work);
    work();
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < out.size(); ++i)
    if (done[i]) {
      if (kept != i) out[kept] = std::move(out[i]);
      ++kept;
    }
  out.resize(kept);
  return out;
}

}  // namespace kvcliff::cache
