// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace kvcliff::ui {

/// Shares of the shown tokens by source at one size of the working set. gpu + host + computed = 1.
struct CliffPoint {
  double blocks = 0;              ///< working set, distinct prompt blocks that are revisited
  double gpu = 0;                 ///< share hit in the GPU cache
  double host = 0;                ///< share loaded from the host (mean, where the engine's order is random)
  double host_low = 0, host_high = 0;  ///< range of `host`; equal to it where exact
  bool operator==(const CliffPoint&) const = default;
};

/// One bar of the revisit-distance histogram: distances in [from, to], count of block revisits.
struct DistanceBin {
  std::int64_t from = 0, to = 0, count = 0;
};

/// The cliff of a workload at fixed capacities: exact vertices, in order of `blocks`, straight lines between them.
struct CliffShape {
  std::vector<CliffPoint> points;
  double document_blocks = 0;     ///< full blocks of one document; 0 = the axis counts blocks
  double max_blocks = 0;          ///< right end of the axis
  std::string rule;               ///< name of the host rule shown, for the header
  /// The axis is the GPU cache, not the working set: of a trace or of sessions, whose working set is what it is.
  bool over_capacity = false;
  bool bound_only = false;        ///< drawn from the one-pass bound while exact points are computed

  /// Values at any size, between the vertices linearly. Outside: the nearest end.
  CliffPoint at(double blocks) const;
  /// First size from which `gpu` (or gpu + host) falls below `level`; negative when it never does.
  double falls_below(bool with_host, double level) const;
};

/// A run of columns in pixels.
struct Span {
  double from = 0, to = 0;
  double width() const { return to - from; }
};
/// The widest part of `interval` that keeps clear of `obstacles`.
Span widest_free(Span interval, const std::vector<Span>& obstacles);

}  // namespace kvcliff::ui
