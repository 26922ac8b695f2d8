// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "chart/chart.h"
#include "chart/theme.h"

namespace kvcliff::chart {

/// The chart as a self-contained SVG document: vectors and text only, no raster, no script, no outside file, any viewer.
/// Size is the chart's own, whatever the screen. Full names stand in <title> elements where a label had to be shortened.
std::string svg(const Chart& chart, const Theme& theme);

}  // namespace kvcliff::chart
