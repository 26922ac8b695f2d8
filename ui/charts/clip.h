// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QPolygonF>
#include <QRectF>
#include <vector>

namespace kvcliff::ui {

// Drawings for SVG know no clipping, so what may leave the plot is cut before it is drawn.

/// The parts of an open line that lie inside `box`, ends on its border. A line that only touches gives nothing.
std::vector<QPolygonF> line_inside(const QPolygonF& line, const QRectF& box);
/// A closed area cut to `box` (Sutherland-Hodgman); empty when nothing of it lies inside.
QPolygonF area_inside(const QPolygonF& area, const QRectF& box);

}  // namespace kvcliff::ui
