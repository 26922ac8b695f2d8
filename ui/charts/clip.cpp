// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/clip.h"

#include <algorithm>
#include <array>

namespace kvcliff::ui {
namespace {

// Liang-Barsky: the share [t0, t1] of the segment a b that lies inside; false when none does.
bool part_inside(const QPointF& a, const QPointF& b, const QRectF& box, double& t0, double& t1) {
  t0 = 0;
  t1 = 1;
  const QPointF d = b - a;
  const std::array<std::pair<double, double>, 4> edges{{{-d.x(), a.x() - box.left()}, {d.x(), box.right() - a.x()},
                                                        {-d.y(), a.y() - box.top()}, {d.y(), box.bottom() - a.y()}}};
  for (const auto& [p, q] : edges) {
    if (p == 0) {
      if (q < 0) return false;
      continue;
    }
    const double t = q / p;
    if (p < 0) t0 = std::max(t0, t);
    else t1 = std::min(t1, t);
    if (t0 >= t1) return false;
  }
  return true;
}

// One half plane of the box: `distance` is not negative inside.
template <class Distance>
QPolygonF cut(const QPolygonF& area, const Distance& distance) {
  QPolygonF out;
  for (int i = 0; i < area.size(); ++i) {
    const QPointF a = area[i], b = area[(i + 1) % area.size()];
    const double da = distance(a), db = distance(b);
    if (da >= 0) out << a;
    if ((da < 0) != (db < 0)) out << a + (b - a) * (da / (da - db));
  }
  return out;
}

}  // namespace

std::vector<QPolygonF> line_inside(const QPolygonF& line, const QRectF& box) {
  std::vector<QPolygonF> out;
  bool open = false;
  for (int i = 0; i + 1 < line.size(); ++i) {
    const QPointF a = line[i], b = line[i + 1];
    double t0, t1;
    if (a == b) continue;
    if (!part_inside(a, b, box, t0, t1)) {
      open = false;
      continue;
    }
    if (!open || t0 > 0) out.push_back(QPolygonF{a + (b - a) * t0});
    out.back() << a + (b - a) * t1;
    open = t1 >= 1;
  }
  return out;
}

QPolygonF area_inside(const QPolygonF& area, const QRectF& box) {
  QPolygonF out = cut(area, [&](const QPointF& p) { return p.x() - box.left(); });
  out = cut(out, [&](const QPointF& p) { return box.right() - p.x(); });
  out = cut(out, [&](const QPointF& p) { return p.y() - box.top(); });
  return cut(out, [&](const QPointF& p) { return box.bottom() - p.y(); });
}

}  // namespace kvcliff::ui
