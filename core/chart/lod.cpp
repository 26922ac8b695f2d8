// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/lod.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "chart/series.h"

namespace kvcliff::chart {
namespace {

// One pixel column being collected.
struct Column {
  long at = 0;
  std::vector<Point> points;  // first, lowest, highest, last: at most four, kept by index of arrival
  std::array<std::size_t, 4> index{};
  std::size_t seen = 0;

  void add(const Point& p) {
    if (!seen) {
      points.assign(4, p);
      index.fill(0);
    } else {
      if (*p.y < *points[1].y) points[1] = p, index[1] = seen;
      if (*p.y > *points[2].y) points[2] = p, index[2] = seen;
      points[3] = p, index[3] = seen;
    }
    ++seen;
  }

  void flush(std::vector<Point>& out) {
    if (!seen) return;
    std::array<std::size_t, 4> order{0, 1, 2, 3};
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return index[a] < index[b]; });
    for (std::size_t i = 0; i < 4; ++i)
      if (i == 0 || index[order[i]] != index[order[i - 1]]) out.push_back(points[order[i]]);
    seen = 0;
  }
};

}  // namespace

std::vector<Point> thin(const std::vector<Point>& points, Range r, int pixels) {
  std::vector<Point> out;
  if (pixels < 1 || !(r.low < r.high)) return out;
  Column column;
  std::optional<Point> before;
  bool after = false;
  for (const auto& p : points) {
    if (!std::isfinite(p.x)) continue;
    if (p.x < r.low) {
      before = p;
      continue;
    }
    if (before && before->y) out.push_back(*before);
    before.reset();
    if (p.x > r.high) {
      if (!after) column.flush(out), out.push_back(p);
      after = true;
      continue;
    }
    if (!p.y || !std::isfinite(*p.y)) {
      column.flush(out);
      if (out.empty() || out.back().y) out.push_back({p.x, std::nullopt});
      continue;
    }
    const long at = static_cast<long>((p.x - r.low) / (r.high - r.low) * pixels);
    if (column.seen && at != column.at) column.flush(out);
    column.at = at;
    column.add(p);
  }
  column.flush(out);
  return out;
}

std::vector<BarColumn> aggregate(const std::vector<Bar>& bars, int columns) {
  std::vector<BarColumn> out;
  if (columns < 1 || bars.size() <= static_cast<std::size_t>(columns)) return out;
  const std::size_t each = (bars.size() + static_cast<std::size_t>(columns) - 1) / static_cast<std::size_t>(columns);
  for (std::size_t i = 0, next = 0; i < bars.size(); i = next) {
    std::size_t end = std::min(bars.size(), i + each);
    for (std::size_t k = i + 1; k < end; ++k)  // a gap between sessions ends the column
      if (bars[k].x - bars[k].width / 2 > bars[k - 1].x + bars[k - 1].width) end = k;
    BarColumn c;
    double left = bars[i].x - bars[i].width / 2, right = left;
    int predicted = 0;
    for (std::size_t k = i; k < end; ++k) {
      const auto& b = bars[k];
      left = std::min(left, b.x - b.width / 2), right = std::max(right, b.x + b.width / 2);
      ++c.requests;
      c.faults += !b.fault.empty();
      if (b.predicted) {
        ++predicted;
        for (int s = 0; s < 4; ++s) c.predicted[s] += (*b.predicted)[s];
      }
      if (!b.measured) continue;
      ++c.measured;
      c.unknown |= (*b.measured)[3] > 0;
      for (int s = 0; s < 4; ++s) c.mean[s] += (*b.measured)[s];
    }
    for (auto& m : c.mean) m /= std::max(1, c.measured);
    for (auto& m : c.predicted) m /= std::max(1, predicted);
    c.x = (left + right) / 2, c.width = right - left;
    next = end;
    out.push_back(c);
  }
  return out;
}

Bars as_bars(const std::vector<BarColumn>& columns) {
  Bars out;
  for (const auto& c : columns) {
    Bar b{c.x, c.width, std::nullopt, std::nullopt, !c.measured, c.faults ? fmt::format("{}", c.faults) : ""};
    (c.measured ? b.measured : b.predicted) = c.measured ? c.mean : c.predicted;
    out.bars.push_back(std::move(b));
  }
  return out;
}

std::vector<Spread> spread(const std::vector<Point>& points, int columns) {
  std::vector<Spread> out;
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const auto& p : points)
    if (std::isfinite(p.x)) low = std::min(low, p.x), high = std::max(high, p.x);
  if (columns < 1 || !(low <= high)) return out;
  const double width = high > low ? (high - low) / columns : 1;
  std::vector<double> values;
  int at = -1;
  const auto flush = [&] {
    if (values.empty()) return;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    out.push_back({low + (at + 0.5) * width, *least, *median(values), *most, static_cast<int>(values.size())});
    values.clear();
  };
  for (const auto& p : points) {
    if (!p.y || !std::isfinite(*p.y) || !std::isfinite(p.x)) continue;
    const int column = std::min(columns - 1, static_cast<int>((p.x - low) / width));
    if (column != at) flush();
    at = column;
    values.push_back(*p.y);
  }
  flush();
  return out;
}

}  // namespace kvcliff::chart
