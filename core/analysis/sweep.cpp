// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"

namespace kvcliff::analysis {

std::vector<SweepPoint> sweep_points(const reconcile::ExperimentInput& input) {
  std::vector<SweepPoint> out;
  for (const auto& s : input.sessions) {
    const auto& w = s.plan.workload;
    const std::int64_t block = s.plan.capacity.block_size;
    if (s.record.conditioning || w.kind != workload::Spec::Kind::documents || block <= 0) continue;
    SweepPoint p;
    p.session = s.record.ordinal;
    p.offload = s.offload;
    p.documents = w.documents;
    const std::int64_t shared = w.shared_prefix_tokens / block;
    p.blocks = shared + w.documents * (w.tokens / block - shared);
    p.low = 1;
    double prompt = 0, gpu = 0, host = 0, predicted_gpu = 0, predicted_host = 0;
    bool predicted = true;
    for (const auto& r : s.requests) {
      if (r.plan.warmup || r.plan.round < 2) continue;
      const auto& t = r.sources;
      if (!t.gpu_hit.value || !t.host_loaded.value || r.plan.prompt_tokens <= 0) continue;
      const double n = static_cast<double>(r.plan.prompt_tokens), g = static_cast<double>(t.gpu_hit.value->v),
                   h = static_cast<double>(t.host_loaded.value->v);
      prompt += n;
      gpu += g;
      host += h;
      const auto& foretold = r.plan.predicted;
      predicted = predicted && foretold.computed.max > 0;  // a prompt always has a computed token
      predicted_gpu += foretold.gpu_hit.mean;
      predicted_host += foretold.host_loaded.mean;
      p.low = std::min(p.low, (g + h) / n);
      p.high = std::max(p.high, (g + h) / n);
      ++p.requests;
    }
    if (p.requests == 0) continue;
    p.gpu = gpu / prompt;
    p.host = host / prompt;
    p.computed = 1 - p.gpu - p.host;
    if (predicted) {
      p.predicted_gpu = predicted_gpu / prompt;
      p.predicted_host = predicted_host / prompt;
    }
    out.push_back(p);
  }
  return out;
}

bool is_sweep(const std::vector<SweepPoint>& points) {
  std::set<std::int64_t> sizes;
  for (const auto& p : points) sizes.insert(p.blocks);
  return sizes.size() >= 3;
}

namespace {

struct Size {
  std::int64_t blocks = 0, documents = 0;
  double least = 1, most = 0;    // served share over the sessions of this size
};

struct Found {
  const Size *last = nullptr, *first = nullptr;
  std::size_t between = 0;       // sizes that lie between them: repeats or neighbours disagree
};

Found find_edge(const std::vector<Size>& sizes) {
  constexpr double half = 0.5;
  std::size_t lost = sizes.size(), served = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i].least < half) lost = std::min(lost, i);
    if (sizes[i].most >= half) served = i + 1;
  }
  // Everything below `low` was served in every session, everything from `high` on in none.
  const std::size_t low = lost, high = std::max(served, lost);
  return {low > 0 ? &sizes[low - 1] : nullptr, high < sizes.size() ? &sizes[high] : nullptr, high - low};
}

template <class Share>
std::vector<Size> sizes_of(const std::vector<SweepPoint>& points, const Share& share) {
  std::map<std::int64_t, Size> by_blocks;
  for (const auto& p : points) {
    const std::optional<double> value = share(p);
    if (!value) return {};
    Size& s = by_blocks[p.blocks];
    s.blocks = p.blocks;
    s.documents = p.documents;
    s.least = std::min(s.least, *value);
    s.most = std::max(s.most, *value);
  }
  std::vector<Size> out;
  for (const auto& [blocks, s] : by_blocks) out.push_back(s);
  return out;
}

}  // namespace

CliffEdge locate_edge(const std::vector<SweepPoint>& all, bool tier) {
  CliffEdge e;
  e.tier = tier;
  // The GPU cache is looked at where nothing stands behind it; a sweep with the tier throughout shows its hits as well.
  const bool plain = std::any_of(all.begin(), all.end(), [](const SweepPoint& p) { return !p.offload; });
  std::vector<SweepPoint> points;
  for (const auto& p : all)
    if (tier ? p.offload : (p.offload != plain)) points.push_back(p);
  const auto sizes = sizes_of(points, [tier](const SweepPoint& p) { return std::optional(tier ? p.gpu + p.host : p.gpu); });
  e.sessions = static_cast<int>(points.size());
  e.sizes = static_cast<int>(sizes.size());
  if (sizes.empty()) {
    e.why = tier ? "no session had the tier" : "no session was measured";
    return e;
  }
  const Found found = find_edge(sizes);
  if (found.last) e.last_served = found.last->blocks, e.last_documents = found.last->documents;
  if (found.first) e.first_lost = found.first->blocks, e.first_documents = found.first->documents;
  if (!found.first) e.why = fmt::format("beyond {} blocks, the largest size tried", grouped(sizes.back().blocks));
  if (!found.last) e.why = fmt::format("at or below {} blocks, the smallest size tried", grouped(sizes.front().blocks));
  if (!found.last && !found.first) e.why = "not to be told: shares of the same size disagree";
  if (found.last && found.first && found.between == 0) {
    const double a = found.last->least, b = found.first->most;
    const double t = a > b ? (a - 0.5) / (a - b) : 1;
    e.estimate = static_cast<double>(found.last->blocks) + t * static_cast<double>(found.first->blocks - found.last->blocks);
  }
  const auto foretold = sizes_of(points, [tier](const SweepPoint& p) -> std::optional<double> {
    if (!p.predicted_gpu || !p.predicted_host) return std::nullopt;
    return tier ? *p.predicted_gpu + *p.predicted_host : *p.predicted_gpu;
  });
  if (!foretold.empty()) {
    const Found wanted = find_edge(foretold);
    const auto same = [](const Size* x, const Size* y) { return (!x && !y) || (x && y && x->blocks == y->blocks); };
    e.as_predicted = same(wanted.last, found.last) && same(wanted.first, found.first);
  }
  return e;
}

std::optional<Cliff> locate_cliff(const reconcile::ExperimentInput& input) {
  Cliff c;
  c.points = sweep_points(input);
  if (!is_sweep(c.points)) return std::nullopt;
  c.edges.push_back(locate_edge(c.points, false));
  if (std::any_of(c.points.begin(), c.points.end(), [](const SweepPoint& p) { return p.offload; }))
    c.edges.push_back(locate_edge(c.points, true));
  return c;
}

std::string cliff_sentence(const CliffEdge& e) {
  std::string out = e.tier ? "With the tier" : "Without the tier";
  if (e.located())
    out += fmt::format(" the cliff lies between {} and {} blocks ({} and {} documents)", grouped(*e.last_served), grouped(*e.first_lost),
                       e.last_documents, e.first_documents);
  else
    out += " the cliff lies " + e.why;
  if (e.as_predicted) out += *e.as_predicted ? ", as predicted" : ", not where it was predicted";
  return out + ".";
}

void to_json(Json& j, const Cliff& c) {
  const auto maybe = [](const auto& v) { return v ? Json(*v) : Json(); };
  j = Json{{"points", Json::array()}, {"edges", Json::array()}};
  for (const auto& p : c.points)
    j["points"].push_back({{"session", p.session}, {"offload", p.offload}, {"documents", p.documents}, {"blocks", p.blocks},
                           {"requests", p.requests}, {"gpu_hit", p.gpu}, {"host_loaded", p.host}, {"computed", p.computed},
                           {"least_served", p.low}, {"most_served", p.high},
                           {"predicted_gpu_hit", maybe(p.predicted_gpu)}, {"predicted_host_loaded", maybe(p.predicted_host)}});
  for (const auto& e : c.edges)
    j["edges"].push_back({{"with_tier", e.tier}, {"sessions", e.sessions}, {"last_served_blocks", maybe(e.last_served)},
                          {"first_lost_blocks", maybe(e.first_lost)}, {"estimate_blocks", maybe(e.estimate)},
                          {"as_predicted", maybe(e.as_predicted)}, {"why", e.why}});
}

}  // namespace kvcliff::analysis
