// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ui/bridge/run_data.h"

namespace kvcliff::ui {

/// Where requests stand along the axis. One request is one unit; between sessions lie `gap` units.
struct RequestScale {
  std::vector<std::size_t> firsts;     ///< first request of each session that has any
  std::size_t count = 0;               ///< requests in all
  double gap = 0;

  /// Gap so that it is about `gap_px` wide when everything is shown over `width` px; a slot grows to at most `slot_max`.
  static RequestScale fit(const RunData& data, double width, double gap_px, double slot_max);
  double position(std::size_t request) const;      ///< left edge of its slot
  double end() const;                              ///< right end of the axis: the last slot's, or where wide slots stop
  /// The request whose slot holds `position`; in a gap the next one; clamped to [0, count).
  std::size_t request_at(double position) const;
  std::size_t session_index(std::size_t request) const;

  double axis_end = 0;
};

/// Times of one source inside a column, ns.
struct TimeSpread {
  std::int64_t low = 0, median = 0, high = 0;
  int count = 0;
};

/// Several requests in one column.
struct Column {
  std::size_t first = 0, last = 0;                 ///< [first, last)
  int measured = 0, planned = 0, running = 0;
  std::array<double, 4> mean{};                    ///< tokens by Source over the measured
  std::array<double, 3> predicted{};               ///< means over those with a prediction
  int with_prediction = 0;
  int failed = 0, missed = 0, unknown = 0;         ///< never averaged away
  std::array<TimeSpread, 4> times;                 ///< TTFT by main source
};

/// Level of detail: columns of equal numbers of requests, computed once and again only where requests changed.
class RequestColumns {
 public:
  /// Columns of `per_column` requests over [from, to), never across two sessions. Keeps what did not change since the
  /// last call when the layout is the same. Clears the data's dirty range.
  const std::vector<Column>& update(RunData& data, const RequestScale& scale, std::size_t from, std::size_t to, std::size_t per_column);
  static Column summarise(const RunData& data, std::size_t first, std::size_t last);
  int computed() const { return computed_; }       ///< columns computed by the last call

 private:
  const RunData* data_ = nullptr;
  std::size_t from_ = 0, to_ = 0, per_ = 0, count_ = 0;
  std::vector<Column> columns_;
  int computed_ = 0;
};

}  // namespace kvcliff::ui
