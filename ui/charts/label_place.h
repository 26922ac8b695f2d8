// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QPolygonF>
#include <QRectF>
#include <vector>

namespace kvcliff::ui {

/// What the words in a chart keep clear of, pixels: other words, marks, and lines.
struct Obstacles {
  std::vector<QRectF> boxes;
  std::vector<QPolygonF> lines;   ///< open
};

/// Whether `box` touches none of them, with a little air.
bool is_clear(const QRectF& box, const Obstacles& obstacles);
bool is_clear_of_boxes(const QRectF& box, const std::vector<QRectF>& boxes);
/// A line without the points that lie closer than a pixel to the one before: what can be told apart on a screen.
QPolygonF thinned(const QPolygonF& line);

}  // namespace kvcliff::ui
