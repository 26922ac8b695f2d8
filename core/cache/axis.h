// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <atomic>
#include <cstdint>
#include <vector>

#include "cache/point_curve.h"

namespace kvcliff::cache {

/// One tier's capacity from 0 to beyond the last change, the other fixed.
struct Axis {
  std::vector<RulePoint> points;        ///< ascending; each as PointCurve::at gives it
  bool host = false;                    ///< the host capacity varies; else the GPU's
  std::int64_t corners = 0;             ///< capacities at which the full curve bends (0: simulated, not known)
  /// Largest distance in tokens between the full curve's total hits and straight lines between `points`; -1: simulated,
  /// not known between the points.
  std::int64_t largest_gap = 0;
  /// Where one-pass points are not exact: largest difference in tokens (GPU hits or total) to the step simulator at
  /// `checked` chosen ones of them. -1: nothing was to be checked.
  std::int64_t deviation = -1;
  int checked = 0;
};

/// Where the polyline through (x, y) bends: first and last index and each whose neighbours' slopes differ; thinned to at
/// most `limit` indices, those that lie farthest from the line between the ones kept first (Ramer, Douglas, Peucker).
/// `gap` receives the largest vertical distance that is left. x ascending.
std::vector<std::size_t> thin(const std::vector<std::int64_t>& x, const std::vector<std::int64_t>& y, std::size_t limit, std::int64_t* gap = nullptr);

/// The curve over one tier. Where a point costs nothing (one pass) all capacities are looked at and the corners kept;
/// where it is simulated, points are added where the curve bends, until `limit` or `budget_references` block references
/// were simulated. `fixed`: the other tier's blocks.
Axis axis_of(const PointCurve& curve, bool host, std::int64_t fixed, std::size_t limit, int threads, const std::atomic<bool>* stop = nullptr,
             double budget_references = 2e8);

}  // namespace kvcliff::cache
