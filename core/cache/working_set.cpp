// SPDX-License-Identifier: GPL-3.0-or-later
#include "cache/working_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <thread>

#include "cache/predict.h"
#include "cache/simulator.h"
#include "workload/requests.h"

namespace kvcliff::cache {
namespace {

// Parts of a document at which the size is sampled between two whole numbers: dense enough that a straight line between
// two samples stays within a block of every ramp of one document.
constexpr int parts = 8;
constexpr std::int64_t unlimited = std::int64_t{1} << 60;

}  // namespace

Result<WorkingSet> WorkingSet::prepare(const workload::Spec& spec, std::int64_t block_size, FreeOrder free_order,
                                       int documents_max, bool revisits_only, const std::atomic<bool>* stop) {
  workload::Spec most = spec;
  most.kind = workload::Spec::Kind::documents;
  most.documents = documents_max;
  const double references = 0.5 * parts * documents_max * (documents_max + 1.0) * static_cast<double>(spec.rounds) *
                            static_cast<double>(std::max<std::int64_t>(1, spec.tokens / std::max<std::int64_t>(1, block_size)));
  if (references > most_references)
    return fail(ErrorCode::bad_usage, "The curve of this workload is too long to draw", "workload.rounds",
                fmt::format("{} rounds over up to {} documents of {} tokens are about {:.1f} thousand million blocks, and {:.0f} are drawn", spec.rounds, documents_max, spec.tokens,
                            references / 1e9, most_references / 1e9),
                "Use fewer rounds or shorter documents: the shape repeats from the second round on");
  // Every document once: the keys are the same in all rounds and orders.
  workload::Spec once = most;
  once.rounds = 1;
  once.order = workload::Spec::Order::cyclic;
  auto all = workload::realise(once, block_size);
  if (!all) return fail(all.error());
  WorkingSet out;
  out.document_blocks_ = spec.tokens / block_size;
  const std::int64_t shared = spec.shared_prefix_tokens / block_size;
  // Keys of each document, once: every size uses a prefix of this table.
  const auto keys = std::make_shared<std::vector<std::vector<std::uint64_t>>>(static_cast<std::size_t>(documents_max));
  for (auto& p : *all)
    if (p.document >= 0 && (*keys)[static_cast<std::size_t>(p.document)].empty()) (*keys)[static_cast<std::size_t>(p.document)] = std::move(p.keys);
  out.spec_ = most;
  out.block_size_ = block_size;
  out.keys_ = keys;
  all->clear();

  for (int whole = 0; whole < documents_max; ++whole) {
    for (int part = 1; part <= parts; ++part) {
      if (stop && *stop) return fail(ErrorCode::interrupted, "The curve is no longer wanted");
      const std::int64_t own = out.document_blocks_ - shared;
      const std::int64_t last = part == parts ? own : own * part / parts;
      if (last <= 0 || (part < parts && own * (part - 1) / parts == last)) continue;
      Size size;
      size.blocks = shared + own * whole + last;
      size.documents = whole + 1;
      size.last_tokens = spec.tokens - (own - last) * block_size;
      // Blocks numbered by document and place; the shared ones are the same in each.
      ReferenceStream stream;
      stream.block_size = block_size;
      stream.distinct = static_cast<std::uint32_t>(shared + own * (whole + 1));
      workload::Spec here = most;
      here.documents = whole + 1;
      std::set<int> seen;
      for (const workload::Visit& v : workload::visits(here)) {
        if ((*keys)[static_cast<std::size_t>(v.document)].empty()) continue;  // a Zipf draw that never took this document
        const std::int64_t tokens = v.document == whole ? size.last_tokens : spec.tokens, count = tokens / block_size;
        stream.requests.push_back({stream.ids.size(), static_cast<std::uint32_t>(count), tokens, spec.output_tokens});
        for (std::int64_t k = 0; k < count; ++k) stream.ids.push_back(static_cast<std::uint32_t>(k < shared ? k : k + own * v.document));
        // First visits come first in every order but Zipf; there the first complete pass is what fills the caches.
        if (seen.insert(v.document).second) size.counted_from = stream.requests.size();
      }
      if (!revisits_only || size.counted_from >= stream.requests.size()) size.counted_from = 0;
      size.curve = std::make_shared<CapacityCurve>(stream, free_order, size.counted_from, true);
      out.sizes_.push_back(std::move(size));
    }
  }
  return out;
}

// Made when they are simulated: the requests of all sizes at once would be gigabytes.
std::vector<Request> WorkingSet::requests_of(const Size& s) const {
  workload::Spec here = spec_;
  here.documents = s.documents;
  std::vector<Request> out;
  for (const workload::Visit& v : workload::visits(here)) {
    const auto& chain = (*keys_)[static_cast<std::size_t>(v.document)];
    if (chain.empty()) continue;
    Request r;
    r.output_tokens = spec_.output_tokens;
    r.prompt_tokens = v.document + 1 == s.documents ? s.last_tokens : spec_.tokens;
    r.keys.assign(chain.begin(), chain.begin() + r.prompt_tokens / block_size_);
    out.push_back(std::move(r));
  }
  return out;
}

double WorkingSet::reachable(const Size& s) {
  const CurvePoint c = s.curve->at(unlimited, 0);
  return static_cast<double>(c.gpu_hit) / static_cast<double>(std::max<std::int64_t>(1, s.curve->prompt_tokens()));
}

std::vector<std::int64_t> WorkingSet::sizes() const {
  std::vector<std::int64_t> out;
  for (const Size& s : sizes_) out.push_back(s.blocks);
  return out;
}

WorkingSetPoint WorkingSet::one_pass_at(const Config& config, const Size& s) {
  const CurvePoint c = s.curve->at(config.gpu_blocks, config.host_chunks * config.blocks_per_chunk);
  const double n = static_cast<double>(std::max<std::int64_t>(1, s.curve->prompt_tokens()));
  WorkingSetPoint p;
  p.blocks = s.blocks;
  p.gpu = static_cast<double>(c.gpu_hit) / n;
  p.host = p.host_low = p.host_high = static_cast<double>(c.host_loaded) / n;
  p.reachable = reachable(s);
  // Nothing is dropped from a tier that holds the whole working set, whatever the rule; by the book it goes where the
  // recency is that of the requests and every prompt fits.
  const std::int64_t host = config.host_chunks;
  const bool book = host == 0 || s.blocks <= host || (config.host_touch == HostTouch::lookup && host >= s.curve->largest_prompt());
  p.exact = book && one_pass_rules(config) && config.gpu_blocks >= s.curve->largest_request() && config.gpu_blocks < s.curve->first_twin();
  return p;
}

std::vector<WorkingSetPoint> WorkingSet::one_pass(const Config& config) const {
  std::vector<WorkingSetPoint> out;
  for (const Size& s : sizes_) out.push_back(one_pass_at(config, s));
  return out;
}

WorkingSetPoint WorkingSet::simulate_at(const Config& config, std::size_t index) const {
  const Size& s = sizes_[index];
  const std::vector<Request> requests = requests_of(s);
  WorkingSetPoint p;
  p.blocks = s.blocks;
  p.reachable = reachable(s);
  std::int64_t prompt = 0;
  double gpu = 0, host = 0, low = 0, high = 0;
  const auto unknown = [&] {  // a GPU on which a prompt cannot run: the curve is all there is
    p = one_pass_at(config, s);
    p.exact = false;
    return p;
  };
  if (config.tier != Tier::native || (config.host_touch == HostTouch::unordered && config.host_chunks > 0)) {
    std::vector<Input> inputs;
    for (const Request& r : requests) inputs.push_back({r, false, false});
    PredictOptions options;
    options.seeds = 24;
    const auto all = predict(config, inputs, options);
    if (!all) return unknown();
    for (std::size_t i = s.counted_from; i < requests.size(); ++i) {
      const PredictedSources& x = (*all)[i];
      prompt += requests[i].prompt_tokens;
      gpu += x.gpu_hit.mean;
      host += x.host_loaded.mean;
      low += static_cast<double>(x.host_loaded.min);
      high += static_cast<double>(x.host_loaded.max);
    }
  } else {
    Simulator simulator(config);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const auto done = simulator.run(requests[i]);
      if (!done) return unknown();
      if (i < s.counted_from) continue;
      prompt += requests[i].prompt_tokens;
      gpu += static_cast<double>(done->gpu_hit);
      host += static_cast<double>(done->host_loaded);
    }
    low = high = host;
  }
  const double n = static_cast<double>(std::max<std::int64_t>(1, prompt));
  p.gpu = gpu / n;
  p.host = host / n;
  p.host_low = low / n;
  p.host_high = high / n;
  return p;
}

std::vector<WorkingSetPoint> WorkingSet::simulate(const Config& config, int threads, const std::atomic<bool>* stop) const {
  std::vector<WorkingSetPoint> out = one_pass(config);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < sizes_.size(); i = next++) {
      if (stop && *stop) return;
      if (!out[i].exact) out[i] = simulate_at(config, i);
    }
  };
  std::vector<std::jthread> pool;
  for (int t = 1; t < threads; ++t) pool.emplace_back(work);
  work();
  pool.clear();
  return out;
}

std::optional<Edge> find_edge(const std::vector<WorkingSetPoint>& points, bool with_host) {
  if (points.empty()) return std::nullopt;
  const auto value = [with_host](const WorkingSetPoint& p) { return with_host ? p.gpu + p.host : p.gpu; };
  Edge e;
  bool falling = false;
  for (const auto& p : points) {
    if (p.reachable <= 0) continue;
    const double kept = value(p) / p.reachable;
    if (kept >= 1 - 1e-9 && !falling) e.last_full = p.blocks;
    else falling = true;
    if (falling && e.half == 0 && kept <= 0.5) e.half = p.blocks;
    if (falling && e.first_none == 0 && kept <= 0.005) e.first_none = p.blocks;
  }
  if (!falling) return std::nullopt;
  return e;
}

}  // namespace kvcliff::cache
