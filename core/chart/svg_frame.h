// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "chart/chart.h"
#include "chart/clip.h"
#include "chart/svg_writer.h"
#include "chart/theme.h"
#include "chart/ticks.h"

namespace kvcliff::chart {

/// The plot rectangle of one panel in px, and the way from data to it.
struct Frame {
  double x = 0, y = 0, w = 0, h = 0;
  Range xr, yr;
  bool x_log = false, y_log = false;
  double highest = 0;         ///< highest bar or bin, 0 without any
  std::vector<double> avoid;  ///< px of rules that labels should not lie under

  double X(double v) const;
  double Y(double v) const;
  double right() const { return x + w; }
  double bottom() const { return y + h; }
  /// What marks may cover: the plot with room for half a marker at its edges and for words above it.
  Box box() const { return {x - 6, y - 18, x + w + 6, y + h + 2}; }
};

/// Ranges of a panel: given, or from its marks. Bars and areas start at 0 and never get a log axis.
void set_ranges(Frame& frame, const Panel& panel);

/// Shapes of one token, drawn together: fill, edge, and the pattern that the token or the print theme has.
class ShapeFill {
 public:
  ShapeFill(SvgWriter& out, const Theme& theme) : out_(out), theme_(theme) {}
  /// The box is what the shape covers.
  void draw(const std::string& token, const Shape& shape, double x, double y, double w, double h, bool edge);

 private:
  void hatch(const Shape& shape, double x, double y, double w, double h, double pitch, const std::string& colour, bool cross, double width);
  void dots(const Shape& shape, double x, double y, double w, double h, const std::string& colour);
  SvgWriter& out_;
  const Theme& theme_;
};

/// Draws the marks of one panel except rules and brackets, which belong to the layout. Returns words for the panel's note.
std::string draw_marks(SvgWriter& out, const Theme& theme, const Panel& panel, const Frame& frame, ShapeFill& shapes);

void draw_marker(SvgWriter& out, const Theme& theme, Marker marker, const std::string& token, double x, double y, double size);

}  // namespace kvcliff::chart
