// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/charts/request_chart.h"

namespace kvcliff::ui {

/// Pixel geometry of one painting; logical pixels, snapped to those of the device.
struct RequestChart::View {
  double scale = 1;                    ///< device pixels per logical one
  QRectF bars, times;
  double from = 0, per_unit = 1;       ///< axis position at the left edge, pixels per unit
  std::size_t first = 0, last = 0;     ///< requests that are seen, [first, last)
  double tokens_per_px = 1, ms_per_px = 1;

  double snap(double v) const { return std::round(v * scale) / scale; }
  double edge() const { return std::max(1.0, std::round(scale)) / scale; }
  double x(double position) const { return bars.left() + (position - from) * per_unit; }
  double token_height(double tokens) const { return tokens / tokens_per_px; }
  double ms_y(double ms) const { return times.bottom() + 1 - ms / ms_per_px; }
  double slot() const { return per_unit; }
};

}  // namespace kvcliff::ui
