// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/clip.h"

#include <algorithm>
#include <cmath>

#include "chart/svg_writer.h"

namespace kvcliff::chart {
namespace {

Vertex between(const Vertex& a, const Vertex& b, double t) { return {a.first + (b.first - a.first) * t, a.second + (b.second - a.second) * t}; }

/// One half plane: `distance` is not negative inside.
template <class Distance>
Polygon cut(const Polygon& area, const Distance& distance) {
  Polygon out;
  for (std::size_t i = 0; i < area.size(); ++i) {
    const Vertex &a = area[i], &b = area[(i + 1) % area.size()];
    const double da = distance(a), db = distance(b);
    if (da >= 0) out.push_back(a);
    if ((da < 0) != (db < 0)) out.push_back(between(a, b, da / (da - db)));
  }
  return out;
}

/// Share [from, to] of the segment that lies inside (Liang and Barsky); false when none does.
bool share_inside(const Vertex& a, const Vertex& b, const Box& box, double& from, double& to) {
  const double dx = b.first - a.first, dy = b.second - a.second;
  from = 0, to = 1;
  const double p[] = {-dx, dx, -dy, dy};
  const double q[] = {a.first - box.left, box.right - a.first, a.second - box.top, box.bottom - a.second};
  for (int i = 0; i < 4; ++i) {
    if (p[i] == 0) {
      if (q[i] < 0) return false;
      continue;
    }
    const double t = q[i] / p[i];
    p[i] < 0 ? from = std::max(from, t) : to = std::min(to, t);
  }
  return from < to;
}

bool upright(const Polygon& p) {
  return p.size() == 4 && p[0].second == p[1].second && p[1].first == p[2].first && p[2].second == p[3].second && p[3].first == p[0].first;
}

}  // namespace

std::vector<Polygon> line_inside(const Polygon& line, const Box& box) {
  std::vector<Polygon> out;
  bool open = false;
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    double from = 0, to = 0;
    if (line[i] == line[i + 1]) continue;
    if (!share_inside(line[i], line[i + 1], box, from, to)) {
      open = false;
      continue;
    }
    if (!open || from > 0) out.push_back({from > 0 ? between(line[i], line[i + 1], from) : line[i]});
    out.back().push_back(to < 1 ? between(line[i], line[i + 1], to) : line[i + 1]);
    open = to >= 1;
  }
  return out;
}

Polygon area_inside(Polygon area, const Box& box) {
  area = cut(area, [&](const Vertex& v) { return v.first - box.left; });
  area = cut(area, [&](const Vertex& v) { return box.right - v.first; });
  area = cut(area, [&](const Vertex& v) { return v.second - box.top; });
  return cut(area, [&](const Vertex& v) { return box.bottom - v.second; });
}

Polygon rectangle(double x, double y, double w, double h, const Box& box) {
  const double left = std::max(x, box.left), right = std::min(x + w, box.right);
  const double top = std::max(y, box.top), bottom = std::min(y + h, box.bottom);
  if (left >= right || top >= bottom) return {};
  return {{left, top}, {right, top}, {right, bottom}, {left, bottom}};
}

std::vector<std::pair<Vertex, Vertex>> parts_inside(const Shape& shape, Vertex a, Vertex b) {
  const double dx = b.first - a.first, dy = b.second - a.second;
  std::vector<double> crossings;
  for (const auto& polygon : shape)
    for (std::size_t i = 0; i < polygon.size(); ++i) {
      const Vertex &c = polygon[i], &d = polygon[(i + 1) % polygon.size()];
      // Sides of the segment's line on which c and d lie; a vertex on the line counts for one side, so that it is met once.
      const double sc = dx * (c.second - a.second) - dy * (c.first - a.first), sd = dx * (d.second - a.second) - dy * (d.first - a.first);
      if ((sc < 0) == (sd < 0)) continue;
      const Vertex at = between(c, d, sc / (sc - sd));
      crossings.push_back(std::fabs(dx) > std::fabs(dy) ? (at.first - a.first) / dx : (at.second - a.second) / dy);
    }
  std::sort(crossings.begin(), crossings.end());
  std::vector<std::pair<Vertex, Vertex>> out;
  for (std::size_t i = 0; i + 1 < crossings.size(); i += 2) {
    const double from = std::clamp(crossings[i], 0.0, 1.0), to = std::clamp(crossings[i + 1], 0.0, 1.0);
    if (from < to) out.emplace_back(between(a, b, from), between(a, b, to));
  }
  return out;
}

std::string path_of(const Shape& shape) {
  std::string d;
  for (const auto& p : shape) {
    if (p.size() < 3) continue;
    if (!d.empty()) d += ' ';
    if (upright(p))
      d += "M" + px(p[0].first) + " " + px(p[0].second) + " h" + px(p[1].first - p[0].first) + " v" + px(p[2].second - p[1].second) + " h" +
           px(p[0].first - p[1].first) + " Z";
    else
      d += path_through(p, true);
  }
  return d;
}

}  // namespace kvcliff::chart
