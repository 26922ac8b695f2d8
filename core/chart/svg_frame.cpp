// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/svg_frame.h"

#include <algorithm>
#include <cmath>

namespace kvcliff::chart {
namespace {

double place(double v, Range r, bool log) {
  if (log) {
    if (!(v > 0)) return -10;
    return (std::log10(v) - std::log10(r.low)) / (std::log10(r.high) - std::log10(r.low));
  }
  return (v - r.low) / (r.high - r.low);
}

// Values a mark puts on the axes.
struct Extent {
  std::vector<double> x, y;
  bool y_zero = false, x_zero = false, bars = false, faults = false;
  double highest = 0;

  void operator()(const Areas& a) {
    x.insert(x.end(), a.x.begin(), a.x.end());
    for (std::size_t i = 0; i < a.x.size(); ++i) {
      double sum = 0;
      for (const auto& l : a.layers) sum += i < l.values.size() ? l.values[i] : 0;
      y.push_back(sum);
    }
    y_zero = true;
  }
  void operator()(const Bars& b) {
    for (const auto& bar : b.bars) {
      x.push_back(bar.x - bar.width / 2), x.push_back(bar.x + bar.width / 2);
      for (const auto& s : {bar.measured, bar.predicted})
        if (s) y.push_back((*s)[0] + (*s)[1] + (*s)[2] + (*s)[3]), highest = std::max(highest, y.back());
      faults |= !bar.fault.empty();
    }
    y_zero = bars = true;
  }
  void points(const std::vector<Point>& p) {
    for (const auto& v : p)
      if (v.y) x.push_back(v.x), y.push_back(*v.y);
  }
  void operator()(const Line& l) { points(l.points); }
  void operator()(const Dots& d) { points(d.points); }
  void operator()(const Ribbon& r) {
    x.insert(x.end(), r.x.begin(), r.x.end());
    y.insert(y.end(), r.low.begin(), r.low.end());
    y.insert(y.end(), r.high.begin(), r.high.end());
  }
  void operator()(const Histogram& h) {
    for (const auto& b : h.bins) x.push_back(b.from), x.push_back(b.to), y.push_back(b.count), highest = std::max(highest, b.count);
    y_zero = bars = true;
  }
  void operator()(const Span& s) {
    x.push_back(s.from), x.push_back(s.to);
    y.push_back(s.y - s.thickness / 2), y.push_back(s.y + s.thickness / 2);
    x_zero = true;
  }
  void operator()(const Interval& i) {
    auto& along = i.horizontal ? x : y;
    along.push_back(i.low), along.push_back(i.high);
    (i.horizontal ? y : x).push_back(i.at);
  }
  void operator()(const Rule& r) { (r.vertical ? x : y).push_back(r.at); }
  void operator()(const Band&) {}
  void operator()(const Text&) {}
  void operator()(const Along&) {}
  void operator()(const Bracket&) {}
};

Range chosen(const Axis& a, const std::vector<double>& values, bool log, bool zero, bool pad) {
  Range r = auto_range(values, log);
  if (zero && !log) {
    r = {0, 0};  // not widened: the highest value is the end
    for (const double v : values)
      if (std::isfinite(v)) r.low = std::min(r.low, v), r.high = std::max(r.high, v);
    if (r.low == r.high) r = {0, 1};
  }
  if (pad && !a.high && !a.low) r = to_ticks(r, a.unit, log, 4);
  else if (pad && !a.high) r.high = to_ticks({a.low && !log ? std::min(*a.low, r.low) : r.low, r.high}, a.unit, log, 4).high;
  if (a.low && std::isfinite(*a.low) && (!log || *a.low > 0)) r.low = *a.low;
  if (a.high && std::isfinite(*a.high)) r.high = *a.high;
  if (!(r.low < r.high)) r.high = log ? r.low * 10 : r.low + std::max(1.0, std::fabs(r.low));
  return r;
}

}  // namespace

double Frame::X(double v) const { return std::clamp(x + w * place(v, xr, x_log), -1e5, 1e5); }
double Frame::Y(double v) const { return std::clamp(y + h * (1 - place(v, yr, y_log)), -1e5, 1e5); }

void set_ranges(Frame& f, const Panel& p) {
  Extent e;
  for (const auto& m : p.marks) std::visit(e, m);
  f.x_log = p.x.log && !e.x_zero;
  f.y_log = p.y.log && !e.y_zero;
  f.xr = chosen(p.x, e.x, f.x_log, e.x_zero, f.x_log);
  f.highest = e.highest;
  f.yr = chosen(p.y, e.y, f.y_log, e.y_zero, !e.bars);  // bars fill their panel: the highest is labelled
  if (e.faults && !p.y.high) f.yr.high *= 1.12;  // room for the marks above
}

void draw_marker(SvgWriter& out, const Theme& t, Marker marker, const std::string& token, double x, double y, double size) {
  const double r = size / 2;
  const SvgWriter::Attributes style{{"fill", t.colour(token)}, {"stroke", t.edge(token)}};
  switch (marker) {
    case Marker::circle: out.element("circle", {{"cx", px(x)}, {"cy", px(y)}, {"r", px(r)}, {"fill", t.colour(token)}, {"stroke", t.edge(token)}}); break;
    case Marker::square: out.rect(x - r, y - r, size, size, style); break;
    case Marker::diamond: out.path(path_through({{x, y - r * 1.2}, {x + r * 1.2, y}, {x, y + r * 1.2}, {x - r * 1.2, y}}, true), style); break;
    case Marker::cross: {
      const SvgWriter::Attributes line{{"stroke", t.edge(token)}, {"stroke-width", "1.5"}};
      out.line(x - r, y - r, x + r, y + r, line);
      out.line(x - r, y + r, x + r, y - r, line);
      break;
    }
    case Marker::dash: out.line(x - r, y, x + r, y, {{"stroke", t.edge(token)}, {"stroke-width", "1.5"}}); break;
  }
}

void ShapeFill::hatch(const Shape& shape, double x, double y, double w, double h, double pitch, const std::string& colour, bool cross, double width) {
  std::string lines;
  const double step = pitch * std::sqrt(2.0);
  const double first = std::floor((x - h) / step) * step;  // on one raster for all shapes
  const auto add = [&](const Vertex& a, const Vertex& b) {
    for (const auto& [from, to] : parts_inside(shape, a, b))
      lines += "M" + px(from.first) + " " + px(from.second) + " L" + px(to.first) + " " + px(to.second) + " ";
  };
  for (double at = first; at < x + w + h; at += step) {
    add({at, y + h}, {at + h, y});
    if (cross) add({at, y}, {at + h, y + h});
    if (lines.size() > 200'000) break;  // a shape of absurd size
  }
  if (!lines.empty()) out_.path(lines, {{"fill", "none"}, {"stroke", colour}, {"stroke-width", px(width)}});
}

void ShapeFill::dots(const Shape& shape, double x, double y, double w, double h, const std::string& colour) {
  std::string points;
  int row = 0;
  for (double at = std::floor(y / 9) * 9; at < y + h && row < 400; at += 9, ++row) {
    const double start = std::floor(x / 9) * 9 + (row % 2 ? 4.5 : 0);
    for (const auto& [from, to] : parts_inside(shape, {start, at}, {x + w, at}))
      for (double dot = start + std::ceil((from.first - start) / 9) * 9; dot <= to.first; dot += 9)
        points += "M" + px(dot - 1.2) + " " + px(at - 1.2) + " h2.4 v2.4 h-2.4 Z ";
    if (points.size() > 400'000) break;
  }
  if (!points.empty()) out_.path(points, {{"fill", colour}});
}

void ShapeFill::draw(const std::string& token, const Shape& shape, double x, double y, double w, double h, bool edge) {
  const std::string d = path_of(shape);
  if (d.empty()) return;
  const bool unknown = token == "unknown";
  const std::string fill = unknown ? theme_.colour("surface") : theme_.colour(token), stroke = theme_.edge(token);
  out_.path(d, {{"fill", fill}});
  if (unknown) hatch(shape, x, y, w, h, theme_.patterns ? 8 : 5, theme_.edge(token), theme_.patterns, 1.2);
  if (theme_.patterns && token == "host_loaded") dots(shape, x, y, w, h, "#555555");
  if (theme_.patterns && token == "computed") hatch(shape, x, y, w, h, 9, "#333333", false, 1.6);
  if (!edge) return;
  SvgWriter::Attributes a{{"fill", "none"}, {"stroke", stroke}, {"stroke-width", "1"}};
  if (unknown) a.push_back({"stroke-dasharray", "3 2"});
  out_.path(d, a);
}

}  // namespace kvcliff::chart
