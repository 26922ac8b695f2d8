// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/label_place.h"

#include <algorithm>

#include "ui/charts/clip.h"

namespace kvcliff::ui {
namespace {
constexpr double air = 3;
}  // namespace

bool is_clear_of_boxes(const QRectF& box, const std::vector<QRectF>& boxes) {
  const QRectF wide = box.adjusted(-air, -air, air, air);
  return std::none_of(boxes.begin(), boxes.end(), [&](const QRectF& b) { return b.intersects(wide); });
}

bool is_clear(const QRectF& box, const Obstacles& obstacles) {
  if (!is_clear_of_boxes(box, obstacles.boxes)) return false;
  const QRectF wide = box.adjusted(-air, -air, air, air);
  return std::all_of(obstacles.lines.begin(), obstacles.lines.end(), [&](const QPolygonF& l) { return line_inside(l, wide).empty(); });
}

QPolygonF thinned(const QPolygonF& line) {
  QPolygonF out;
  for (int i = 0; i < line.size(); ++i)
    if (out.isEmpty() || i + 1 == line.size() || (line[i] - out.last()).manhattanLength() >= 1) out << line[i];
  return out;
}

}  // namespace kvcliff::ui
