// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace kvcliff::chart {

// What leaves a plot is cut before it is written: clipPath is not part of SVG Tiny, and a renderer that does not know it draws
// the clip's own rectangle instead, black over the plot.

using Vertex = std::pair<double, double>;  ///< px
using Polygon = std::vector<Vertex>;
using Shape = std::vector<Polygon>;        ///< closed areas that do not overlap

struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;
  bool holds(double x, double y) const { return x >= left && x <= right && y >= top && y <= bottom; }
};

/// The parts of an open line inside `box`, ends on its border. A line inside stays as it is.
std::vector<Polygon> line_inside(const Polygon& line, const Box& box);
/// A closed area cut to `box`; empty when nothing of it lies inside. An area inside stays as it is.
Polygon area_inside(Polygon area, const Box& box);
/// An upright rectangle cut to `box`; empty when nothing of it lies inside.
Polygon rectangle(double x, double y, double w, double h, const Box& box);
/// The parts of the segment a b inside the shape, in order.
std::vector<std::pair<Vertex, Vertex>> parts_inside(const Shape& shape, Vertex a, Vertex b);
/// "M.. h.. v.. h.. Z" for upright rectangles, "M.. L.. Z" for the rest.
std::string path_of(const Shape& shape);

}  // namespace kvcliff::chart
