// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace kvcliff::chart {
namespace {

std::vector<double> finite(const std::vector<double>& values) {
  std::vector<double> out;
  out.reserve(values.size());
  for (const double v : values)
    if (std::isfinite(v)) out.push_back(v);
  return out;
}

// The slopes from one vertex that pass every vertex dropped since, within the tolerance.
struct Cone {
  double low = -HUGE_VAL, high = HUGE_VAL;
  bool vertical = false;  // dropped vertices share the x of the apex

  bool admits(const Point& apex, const Point& dropped, const Point& next, double tolerance) {
    const bool up = apex.x == dropped.x, on = dropped.x == next.x;
    if (up || on || vertical) {
      vertical = up && on && (low == -HUGE_VAL);
      return vertical && (*dropped.y - *apex.y) * (*next.y - *dropped.y) >= 0;
    }
    // Rounding of the caller's own arithmetic is not a corner.
    const double slack = tolerance + 1e-12 * std::max({std::fabs(*apex.y), std::fabs(*dropped.y), std::fabs(*next.y)});
    const double run = dropped.x - apex.x;
    const double one = (*dropped.y - slack - *apex.y) / run, other = (*dropped.y + slack - *apex.y) / run;
    low = std::max(low, std::min(one, other));
    high = std::min(high, std::max(one, other));
    const double slope = (*next.y - *apex.y) / (next.x - apex.x);
    return slope >= low && slope <= high;
  }
};

}  // namespace

std::vector<Point> without_collinear(const std::vector<Point>& points, double tolerance) {
  // A vertex goes only if it and everything dropped since the last kept one fit the line to the next.
  std::vector<Point> out;
  Cone cone;
  for (const auto& p : points) {
    const bool line = p.y && out.size() >= 2 && out.back().y && out[out.size() - 2].y;
    if (line && cone.admits(out[out.size() - 2], out.back(), p, tolerance)) {
      out.back() = p;
      continue;
    }
    cone = Cone{};
    out.push_back(p);
  }
  return out;
}

Drawable drawable(const std::vector<Point>& points, bool log) {
  Drawable d;
  bool open = false;
  for (const auto& p : points) {
    const bool known = p.y && std::isfinite(*p.y) && std::isfinite(p.x);
    if (!known || (log && *p.y <= 0)) {
      ++(known ? d.left_out_not_positive : d.missing);
      open = false;
      continue;
    }
    if (!open) d.runs.emplace_back();
    else ++d.segments;
    d.runs.back().push_back(p);
    ++d.points;
    open = true;
  }
  return d;
}

std::string left_out_words(const Drawable& d) {
  std::string s;
  if (d.left_out_not_positive) s = fmt::format("{} {} not above 0 left out", d.left_out_not_positive, d.left_out_not_positive == 1 ? "value" : "values");
  if (d.missing) s += fmt::format("{}{} missing", s.empty() ? "" : ", ", d.missing);
  return s;
}

std::vector<Point> points_from(const Json& list) {
  std::vector<Point> out;
  if (!list.is_array()) return out;
  double x = 0;
  for (const auto& v : list) {
    Point p{x++, std::nullopt};
    if (v.is_number() && std::isfinite(v.get<double>())) p.y = v.get<double>();
    out.push_back(p);
  }
  return out;
}

std::vector<Point> ecdf(std::vector<double> values) {
  values = finite(values);
  std::sort(values.begin(), values.end());
  std::vector<Point> out;
  const double n = static_cast<double>(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i + 1 < values.size() && values[i + 1] == values[i]) continue;
    out.push_back({values[i], out.empty() ? 0.0 : *out.back().y});
    out.push_back({values[i], static_cast<double>(i + 1) / n});
  }
  return out;
}

std::vector<Histogram::Bin> histogram(const std::vector<double>& raw, int bins, bool whole) {
  auto values = finite(raw);
  std::vector<Histogram::Bin> out;
  if (values.empty()) return out;
  std::sort(values.begin(), values.end());
  const double low = values.front(), high = values.back(), span = high - low;
  const auto at = [&](double q) { return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))]; };
  double width = 0;
  if (bins > 0) {
    width = span / std::clamp(bins, 1, 200);
  } else {
    width = 2 * (at(0.75) - at(0.25)) / std::cbrt(static_cast<double>(values.size()));
    if (!(width > 0)) width = span / std::max(1.0, std::sqrt(static_cast<double>(values.size())));
    width = std::max(width, span / 200);
  }
  if (whole) width = std::max(1.0, std::ceil(width - 1e-9));
  if (!(width > 0) || !std::isfinite(width)) width = std::max(1.0, std::fabs(low) * 0.01);
  const double start = whole ? std::floor(low) : low;
  const auto count = static_cast<std::size_t>(std::clamp(std::floor((high - start) / width + 1e-9) + 1, 1.0, 201.0));
  for (std::size_t i = 0; i < count; ++i) out.push_back({start + static_cast<double>(i) * width, start + static_cast<double>(i + 1) * width, 0});
  // With a given number of bins the highest value belongs to the last bin, not to one of its own.
  if (!whole && bins > 0 && out.size() > static_cast<std::size_t>(bins)) out.resize(static_cast<std::size_t>(bins));
  for (const double v : values) ++out[std::min(out.size() - 1, static_cast<std::size_t>(std::max(0.0, std::floor((v - start) / width + 1e-9))))].count;
  return out;
}

std::optional<double> median(std::vector<double> values) {
  values = finite(values);
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

}  // namespace kvcliff::chart
