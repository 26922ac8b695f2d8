// SPDX-License-Identifier: GPL-3.0-or-later
#include "cache/axis.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>

namespace kvcliff::cache {
namespace {

struct Segment {
  double error = 0;
  std::size_t from = 0, to = 0, worst = 0;
  bool operator<(const Segment& o) const { return error < o.error; }
};

PointCurve::Pair pair_of(bool host, std::int64_t fixed, std::int64_t x) { return host ? PointCurve::Pair{fixed, x} : PointCurve::Pair{x, fixed}; }

}  // namespace

std::vector<std::size_t> thin(const std::vector<std::int64_t>& x, const std::vector<std::int64_t>& y, std::size_t limit, std::int64_t* gap) {
  std::vector<std::size_t> corners;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool end = i == 0 || i + 1 == x.size();
    if (end || (y[i] - y[i - 1]) * (x[i + 1] - x[i]) != (y[i + 1] - y[i]) * (x[i] - x[i - 1])) corners.push_back(i);
  }
  if (gap) *gap = 0;
  if (corners.size() <= limit || limit < 2) return corners;
  const auto measure = [&](std::size_t from, std::size_t to) {
    Segment s{0, from, to, from};
    const auto a = corners[from], b = corners[to];
    const double slope = static_cast<double>(y[b] - y[a]) / static_cast<double>(x[b] - x[a]);
    for (std::size_t k = from + 1; k < to; ++k) {
      const double e = std::abs(static_cast<double>(y[corners[k]] - y[a]) - slope * static_cast<double>(x[corners[k]] - x[a]));
      if (e > s.error) s.error = e, s.worst = k;
    }
    return s;
  };
  std::priority_queue<Segment> open;
  std::vector<char> kept(corners.size(), 0);
  kept.front() = kept.back() = 1;
  std::size_t count = 2;
  open.push(measure(0, corners.size() - 1));
  while (count < limit && !open.empty() && open.top().error > 0) {
    const Segment s = open.top();
    open.pop();
    kept[s.worst] = 1;
    ++count;
    open.push(measure(s.from, s.worst));
    open.push(measure(s.worst, s.to));
  }
  if (gap) *gap = open.empty() ? 0 : static_cast<std::int64_t>(std::ceil(open.top().error));
  std::vector<std::size_t> out;
  for (std::size_t k = 0; k < corners.size(); ++k)
    if (kept[k]) out.push_back(corners[k]);
  return out;
}

Axis axis_of(const PointCurve& curve, bool host, std::int64_t fixed, std::size_t limit, int threads, const std::atomic<bool>* stop, double budget_references) {
  Axis out;
  out.host = host;
  // All capacities at which the one-pass curve changes, each with the one before it, so that steps stay steps.
  const CapacityCurve& one = curve.one_pass();
  const auto steps = host ? one.host_steps() : one.gpu_steps();
  const std::int64_t first = host ? 0 : curve.largest_request();   // no smaller GPU can run the workload
  std::int64_t last = std::max(first, steps.empty() ? 0 : steps.back());
  if (host) last = std::max(last, fixed);
  last += std::max<std::int64_t>(1, last / 8);                     // the plateau behind the last change
  std::vector<std::int64_t> x{0};
  for (const std::int64_t s : steps) {
    if (x.back() < s - 1) x.push_back(s - 1);
    x.push_back(s);
  }
  // Where an inclusive host begins to hold more than the GPU; and what prompts larger than the tier do.
  for (const std::int64_t s : {first, fixed - 1, fixed, fixed + 1})
    if (s >= 0 && s < last) x.push_back(s);
  x.push_back(last);
  std::sort(x.begin(), x.end());
  x.erase(std::unique(x.begin(), x.end()), x.end());
  // One pass tells everything where the host follows the requests' recency, or where there is none.
  const bool free = curve.plain() && (curve.rules().host_touch == HostTouch::lookup || (!host && fixed == 0));
  const double cost = static_cast<double>(curve.stream().ids.size() + 8 * curve.stream().requests.size());
  std::vector<std::int64_t> y;
  y.reserve(x.size());
  for (const CurvePoint& p : one.along(host, fixed, x)) y.push_back(p.gpu_hit + p.host_loaded);
  if (free) {
    // GPU hits and the total bend at different places: corners of both are kept.
    std::vector<std::int64_t> g;
    for (const std::int64_t c : x) g.push_back(one.at(host ? fixed : c, 0).gpu_hit);
    out.corners = static_cast<std::int64_t>(thin(x, y, x.size()).size());
    std::vector<std::size_t> keep = thin(x, y, fixed > 0 && !host ? limit / 2 : limit, &out.largest_gap);
    if (fixed > 0 && !host) {
      const auto more = thin(x, g, limit / 2);
      keep.insert(keep.end(), more.begin(), more.end());
      std::sort(keep.begin(), keep.end());
      keep.erase(std::unique(keep.begin(), keep.end()), keep.end());
    }
    std::vector<std::size_t> open;
    for (const std::size_t i : keep) {
      out.points.push_back(curve.one_pass_point(host ? fixed : x[i], host ? x[i] : fixed));
      if (!out.points.back().exact && out.points.back().gpu_blocks >= curve.largest_request()) open.push_back(out.points.size() - 1);
    }
    // What the one pass only approximates is simulated where that is cheap; else a few points tell how far it is off.
    const bool all = static_cast<double>(open.size()) * cost <= budget_references;
    std::vector<PointCurve::Pair> pairs;
    std::vector<std::size_t> chosen;
    for (std::size_t k = 0; k < open.size(); ++k)
      if (all || k % std::max<std::size_t>(1, open.size() / 5) == 0) chosen.push_back(open[k]);
    for (const std::size_t k : chosen) pairs.emplace_back(out.points[k].gpu_blocks, out.points[k].host_blocks);
    const auto checked = curve.at(pairs, threads, stop);
    for (std::size_t k = 0; k < checked.size() && checked.size() == chosen.size(); ++k) {
      RulePoint& p = out.points[chosen[k]];
      out.deviation = std::max({out.deviation, std::abs(checked[k].gpu_hit - p.gpu_hit),
                                static_cast<std::int64_t>(std::llround(std::abs(checked[k].total() - p.total())))});
      p = checked[k];
      ++out.checked;
    }
    return out;
  }

  out.largest_gap = -1;
  // Every simulated point replays the workload; a band replays it for every drawn order.
  const double replays = curve.rules().host_touch == HostTouch::unordered ? 40 : 1;
  const auto most = static_cast<std::size_t>(
      std::clamp(budget_references / std::max(1.0, cost * replays), 24.0, std::max(24.0, static_cast<double>(limit))));
  std::map<std::int64_t, RulePoint> points;
  const auto evaluate = [&](const std::vector<std::int64_t>& at) {
    std::vector<PointCurve::Pair> pairs;
    for (const std::int64_t c : at)
      if (!points.count(c)) pairs.push_back(pair_of(host, fixed, c));
    for (auto& p : curve.at(pairs, threads, stop)) {
      const std::int64_t c = host ? p.host_blocks : p.gpu_blocks;
      points.emplace(c, std::move(p));
    }
  };
  std::vector<std::int64_t> start;
  for (const std::size_t i : thin(x, y, std::max<std::size_t>(8, most / 3))) start.push_back(x[i]);
  if (!host) {  // what the GPU hits bends where the total may not
    std::vector<std::int64_t> g;
    for (const std::int64_t c : x) g.push_back(one.at(c, 0).gpu_hit);
    for (const std::size_t i : thin(x, g, std::max<std::size_t>(8, most / 3))) start.push_back(x[i]);
  }
  const std::size_t grid = std::max<std::size_t>(8, most / 6);
  for (std::size_t k = 0; k <= grid; ++k) start.push_back(last * static_cast<std::int64_t>(k) / static_cast<std::int64_t>(grid));
  std::sort(start.begin(), start.end());
  start.erase(std::unique(start.begin(), start.end()), start.end());
  evaluate(start);
  while (points.size() < most && !(stop && *stop)) {
    // How far a straight line through the neighbours misses each point: there the curve bends, and both sides of it get
    // a point in their middle.
    std::vector<std::pair<double, std::int64_t>> wanted;
    for (auto b = points.begin(); std::next(b) != points.end(); ++b) {
      const auto c = std::next(b);
      if (c->first - b->first < 2) continue;
      const double rise = std::abs(c->second.total() - b->second.total());
      double bend = rise / 64;
      const auto miss = [](const auto& l, const auto& m, const auto& r) {
        const double t = static_cast<double>(m->first - l->first) / static_cast<double>(r->first - l->first);
        return std::abs(l->second.total() + t * (r->second.total() - l->second.total()) - m->second.total());
      };
      if (b != points.begin()) bend = std::max(bend, std::min(rise, miss(std::prev(b), b, c)));
      if (std::next(c) != points.end()) bend = std::max(bend, std::min(rise, miss(b, c, std::next(c))));
      if (bend > 0) wanted.emplace_back(bend, b->first + (c->first - b->first) / 2);
    }
    if (wanted.empty()) break;
    const std::size_t batch = std::min({wanted.size(), most - points.size(), std::max<std::size_t>(4, most / 8)});
    std::partial_sort(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(batch), wanted.end(), std::greater<>());
    std::vector<std::int64_t> at;
    for (std::size_t k = 0; k < batch; ++k) at.push_back(wanted[k].second);
    evaluate(at);
  }
  for (auto& [c, p] : points) out.points.push_back(std::move(p));
  return out;
}

}  // namespace kvcliff::cache
