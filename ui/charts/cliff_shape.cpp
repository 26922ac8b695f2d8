// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/cliff_shape.h"

#include <algorithm>

namespace kvcliff::ui {

CliffPoint CliffShape::at(double blocks) const {
  if (points.empty()) return {};
  if (blocks <= points.front().blocks) return points.front();
  if (blocks >= points.back().blocks) return points.back();
  const auto right = std::upper_bound(points.begin(), points.end(), blocks,
                                      [](double x, const CliffPoint& p) { return x < p.blocks; });
  const CliffPoint& b = *right;
  const CliffPoint& a = *(right - 1);
  const double t = b.blocks > a.blocks ? (blocks - a.blocks) / (b.blocks - a.blocks) : 0;
  const auto mix = [t](double x, double y) { return x + (y - x) * t; };
  return {blocks, mix(a.gpu, b.gpu), mix(a.host, b.host), mix(a.host_low, b.host_low), mix(a.host_high, b.host_high)};
}

double CliffShape::falls_below(bool with_host, double level) const {
  const auto value = [with_host](const CliffPoint& p) { return with_host ? p.gpu + p.host : p.gpu; };
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (value(points[i]) >= level) continue;
    if (i == 0) return points[0].blocks;
    const double a = value(points[i - 1]), b = value(points[i]);
    const double t = a > b ? (a - level) / (a - b) : 1;
    return points[i - 1].blocks + (points[i].blocks - points[i - 1].blocks) * t;
  }
  return -1;
}

Span widest_free(Span interval, const std::vector<Span>& obstacles) {
  std::vector<Span> free{interval};
  for (const Span& o : obstacles) {
    std::vector<Span> next;
    for (const Span& f : free) {
      if (o.to <= f.from || o.from >= f.to) {
        next.push_back(f);
        continue;
      }
      if (o.from > f.from) next.push_back({f.from, o.from});
      if (o.to < f.to) next.push_back({o.to, f.to});
    }
    free = std::move(next);
  }
  Span best{interval.from, interval.from};
  for (const Span& f : free)
    if (f.width() > best.width()) best = f;
  return best;
}

}  // namespace kvcliff::ui
