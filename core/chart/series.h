// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "base/json.h"
#include "chart/chart.h"

namespace kvcliff::chart {

/// Vertices without those that lie exactly on the line between their neighbours. Corners are never lost; gaps stay.
/// Exactness is meant: only points whose removal changes no y by more than `tolerance` (absolute) go.
std::vector<Point> without_collinear(const std::vector<Point>& points, double tolerance = 0);

/// What can be drawn of a series, and what cannot, in numbers that are shown.
struct Drawable {
  std::vector<std::vector<Point>> runs;      ///< neighbours without a gap between them; a run of one point is a marker
  std::size_t points = 0;
  std::size_t left_out_not_positive = 0;     ///< log axis only
  std::size_t missing = 0;                   ///< absent, NaN, infinite
  std::size_t segments = 0;                  ///< lines between neighbours
};
Drawable drawable(const std::vector<Point>& points, bool log);
/// "2 values not above 0 left out, 2 missing"; empty when nothing is.
std::string left_out_words(const Drawable& d);

/// Values of a JSON list in order; anything that is not a finite number is missing.
std::vector<Point> points_from(const Json& list);

/// Share of values at or below x, as exact steps: two vertices per distinct value. Missing and infinite values are left out.
std::vector<Point> ecdf(std::vector<double> values);

/// Counts in bins of equal width with nice edges. `bins` 0 = by the Freedman-Diaconis rule, at most 200.
/// `whole` keeps the edges on whole numbers (blocks, tokens).
std::vector<Histogram::Bin> histogram(const std::vector<double>& values, int bins = 0, bool whole = false);

/// Median; empty without values.
std::optional<double> median(std::vector<double> values);

}  // namespace kvcliff::chart
