// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <vector>

#include "chart/chart.h"
#include "chart/ticks.h"

namespace kvcliff::chart {

/// Points inside the range thinned to at most four per pixel column: first, lowest, highest, last, in order. Extremes and gaps
/// are never lost; one point beyond each edge is kept so that lines reach it.
std::vector<Point> thin(const std::vector<Point>& points, Range range, int pixels);

/// Bars of a long run, several requests in one column: mean of each source, failures kept.
struct BarColumn {
  double x = 0, width = 1;
  int requests = 0;
  std::array<double, 4> mean{};              ///< stacked mean by source over those measured
  std::array<double, 4> predicted{};         ///< the same of the predictions, for columns still to come
  int measured = 0;                          ///< requests behind `mean`
  int faults = 0;                            ///< prediction misses and failures inside: always drawn
  bool unknown = false;                      ///< some request has unknown tokens: always drawn
};
/// About `columns` columns (one more at each gap between sessions). Empty when the bars already fit (each would be one column).
std::vector<BarColumn> aggregate(const std::vector<Bar>& bars, int columns);
/// The columns as bars, the fault count in words.
Bars as_bars(const std::vector<BarColumn>& columns);

/// Lowest, median and highest value of the points in columns of equal width, for times over many requests; x in order.
struct Spread {
  double x = 0, low = 0, median = 0, high = 0;
  int count = 0;
};
std::vector<Spread> spread(const std::vector<Point>& points, int columns);

}  // namespace kvcliff::chart
