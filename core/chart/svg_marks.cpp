// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "chart/labels.h"
#include "chart/lod.h"
#include "chart/series.h"
#include "chart/svg_frame.h"

namespace kvcliff::chart {
namespace {

struct Drawer {
  SvgWriter& out;
  const Theme& t;
  const Frame& f;
  ShapeFill& shapes;
  std::string note;
  const Box box;

  void add_note(const std::string& words) {
    if (words.empty() || note.find(words) != std::string::npos) return;
    note += (note.empty() ? "" : "; ") + words;
  }

  void operator()(const Band& b) {
    const double a = b.vertical ? f.X(b.from) : f.Y(b.to), z = b.vertical ? f.X(b.to) : f.Y(b.from);
    const double low = std::clamp(std::min(a, z), b.vertical ? f.x : f.y, b.vertical ? f.right() : f.bottom());
    const double high = std::clamp(std::max(a, z), b.vertical ? f.x : f.y, b.vertical ? f.right() : f.bottom());
    SvgWriter::Attributes style{{"fill", t.zone(b.token)}};
    if (b.opacity < 1) style.push_back({"fill-opacity", px(b.opacity)});
    if (b.vertical) out.rect(low, f.y, high - low, f.h, style);
    else out.rect(f.x, low, f.w, high - low, style);
    if (b.label.empty()) return;
    const double room = b.vertical ? high - low : f.w;
    const double need = text_width(b.label, 12, true);
    if (!b.vertical) return out.text(f.x + 8, (low + high) / 2 + 4, shorten(b.label, room - 16, 12), 12, t.text(b.label_token), "start", true, 0, b.label);
    const bool low_panel = f.h < 40, fits = need + 4 <= room;
    if (!fits && low_panel) return out.text((low + high) / 2, f.y + f.h / 2 + 4, shorten(b.label, room, 12), 12, t.text(b.label_token), "middle", true, 0, b.label);
    // Too narrow for its words: they stand above the panel.
    const double y = low_panel ? f.y + f.h / 2 + 4 : fits ? f.y + 15 : f.y - 5;
    out.text(fits ? clear_of_rules(low, high, need) : (low + high) / 2, y, b.label, 12, t.text(b.label_token), "middle", true);
  }

  // The middle of [low, high], or of the widest part between rules when words of that width would lie under one.
  double clear_of_rules(double low, double high, double need) const {
    const double middle = (low + high) / 2;
    std::vector<double> cuts{low, high};
    bool crossed = false;
    for (const double a : f.avoid) {
      if (a > low && a < high) cuts.push_back(a);
      crossed |= std::fabs(a - middle) < need / 2 + 4;
    }
    if (!crossed) return middle;
    std::sort(cuts.begin(), cuts.end());
    double best = middle, widest = 0;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
      if (cuts[i + 1] - cuts[i] > widest) widest = cuts[i + 1] - cuts[i], best = (cuts[i] + cuts[i + 1]) / 2;
    return widest > need + 8 ? best : middle;
  }

  void operator()(const Along& a) {
    double x0 = f.X(a.x0), y0 = f.Y(a.y0), x1 = f.X(a.x1), y1 = f.Y(a.y1);
    if (x1 < x0) std::swap(x0, x1), std::swap(y0, y1);
    if (std::hypot(x1 - x0, y1 - y0) < text_width(a.text, 11.5) + 24) return;
    if (!box.holds((x0 + x1) / 2, (y0 + y1) / 2)) return;
    const double angle = -std::atan2(y1 - y0, x1 - x0) * 180 / 3.14159265358979;
    const double nx = (y1 - y0), ny = -(x1 - x0), n = std::hypot(nx, ny);
    out.text((x0 + x1) / 2 + nx / n * 5, (y0 + y1) / 2 + ny / n * 5, a.text, 11.5, t.colour(a.token), "middle", false, angle);
  }

  void operator()(const Areas& a) {
    const std::size_t n = a.x.size();
    if (n < 2) return;
    std::vector<double> lower(n, 0);
    struct Written { const Areas::Layer* layer; std::vector<double> lower, upper; };
    std::vector<Written> written;
    std::vector<std::string> separators;
    for (const auto& layer : a.layers) {
      std::vector<double> upper = lower;
      for (std::size_t i = 0; i < n; ++i) upper[i] += i < layer.values.size() && std::isfinite(layer.values[i]) ? std::max(0.0, layer.values[i]) : 0;
      std::vector<std::pair<double, double>> outline, top;
      for (std::size_t i = 0; i < n; ++i) top.emplace_back(f.X(a.x[i]), f.Y(upper[i]));
      outline = top;
      for (std::size_t i = n; i-- > 0;) outline.emplace_back(f.X(a.x[i]), f.Y(lower[i]));
      const bool some = std::any_of(layer.values.begin(), layer.values.end(), [](double v) { return v > 0; });
      if (some) {
        shapes.draw(layer.token, {area_inside(std::move(outline), box)}, f.x, f.y, f.w, f.h, false);
        if (&layer != &a.layers.back())
          for (const auto& part : line_inside(top, box)) separators.push_back(path_through(part));
        written.push_back({&layer, lower, upper});
      }
      lower = std::move(upper);
    }
    for (const auto& d : separators) out.path(d, {{"fill", "none"}, {"stroke", t.colour("surface")}, {"stroke-width", "2"}});
    for (const auto& w : written) area_label(a.x, w.lower, w.upper, *w.layer);
  }

  // Where the layer is tall enough for two lines over a width that holds the words.
  void area_label(const std::vector<double>& x, const std::vector<double>& low, const std::vector<double>& high, const Areas::Layer& layer) {
    if (layer.label.empty()) return;
    constexpr int samples = 96;
    const double need = std::max(text_width(layer.label, 15, true), text_width(layer.sublabel, 12)) + 20;
    int best = -1, best_length = 0, run = 0;
    std::array<double, samples> mid{};
    for (int i = 0; i < samples; ++i) {
      const double at = f.x + f.w * (i + 0.5) / samples;
      double top = 0, bottom = 0;
      bool found = false;
      for (std::size_t k = 0; k + 1 < x.size() && !found; ++k) {
        const double a = f.X(x[k]), b = f.X(x[k + 1]);
        if (at < a || at > b || b <= a) continue;
        const double s = (at - a) / (b - a);
        bottom = f.Y(low[k] + s * (low[k + 1] - low[k])), top = f.Y(high[k] + s * (high[k + 1] - high[k]));
        found = true;
      }
      mid[i] = (top + bottom) / 2;
      const bool under_rule = std::any_of(f.avoid.begin(), f.avoid.end(), [&](double r) { return std::fabs(r - at) < f.w / samples; });
      run = found && !under_rule && bottom - top >= (layer.sublabel.empty() ? 24 : 46) ? run + 1 : 0;
      if (run > best_length) best_length = run, best = i;
    }
    if (best < 0 || best_length * f.w / samples < need) return;
    const int centre = best - best_length / 2;
    const double cx = f.x + f.w * (best - (best_length - 1) / 2.0 + 0.5) / samples, cy = mid[std::clamp(centre, 0, samples - 1)];
    const std::string colour = t.on(layer.token);
    if (t.patterns && layer.token != "gpu_hit") out.rect(cx - need / 2, cy - 22, need, layer.sublabel.empty() ? 30 : 46, {{"fill", "#FFFFFF"}});
    out.text(cx, cy - (layer.sublabel.empty() ? -5 : 2), layer.label, 15, colour, "middle", true);
    if (!layer.sublabel.empty()) out.text(cx, cy + 15, layer.sublabel, 12, colour, "middle");
  }

  void operator()(const Ribbon& r) {
    std::vector<std::pair<double, double>> outline;
    const std::size_t n = std::min({r.x.size(), r.low.size(), r.high.size()});
    for (std::size_t i = 0; i < n; ++i) outline.emplace_back(f.X(r.x[i]), f.Y(r.high[i]));
    for (std::size_t i = n; i-- > 0;) outline.emplace_back(f.X(r.x[i]), f.Y(r.low[i]));
    outline = area_inside(std::move(outline), box);
    if (!outline.empty()) out.path(path_through(outline, true), {{"fill", t.colour(r.token)}, {"fill-opacity", px(r.opacity)}}, r.label);
  }

  void operator()(const Histogram& h) {
    Shape shape;
    for (const auto& b : h.bins) {
      if (!(b.count > 0)) continue;
      const double x0 = f.X(b.from), x1 = f.X(b.to), y = std::min(f.Y(b.count), f.bottom() - 1.5);
      shape.push_back(rectangle(x0 + 0.5, y, std::max(1.0, x1 - x0 - 1), f.bottom() - y, box));
    }
    const std::string d = path_of(shape);
    if (!d.empty()) out.path(d, {{"fill", t.colour(h.token)}});
  }

  void operator()(const Bars& given) {
    if (given.bars.empty()) return;
    const double slot = std::fabs(f.X(given.bars[0].x + given.bars[0].width) - f.X(given.bars[0].x));
    Bars grouped_bars;
    const Bars* bars = &given;
    if (slot < 5 && given.bars.size() > 40) {
      const auto columns = aggregate(given.bars, std::max(1, static_cast<int>(f.w / 2)));
      if (!columns.empty()) {
        grouped_bars = as_bars(columns);
        bars = &grouped_bars;
        add_note(fmt::format("one column = {} requests", columns.front().requests));
      }
    }
    std::array<Shape, 4> fill, outline, planned;
    std::vector<std::pair<const Bar*, double>> faults;
    for (const auto& b : bars->bars) {
      double left = f.X(b.x - b.width / 2), right = f.X(b.x + b.width / 2);
      const double gap = right - left >= 5 ? std::max(2.0, std::round((right - left) * 0.2)) : 0;
      left = std::round(left + gap / 2), right = std::max(left + 1, std::round(right - gap / 2));
      if (slot >= 5) left += 0.5, right -= 0.5;  // the edge of one pixel lies inside the bar
      double top = f.bottom();
      if (b.measured) top = std::min(top, stack(*b.measured, left, right, fill));
      if (b.predicted) top = std::min(top, stack(*b.predicted, left, right, b.planned || !b.measured ? planned : outline));
      if (!b.fault.empty()) faults.emplace_back(&b, top);
    }
    const bool edges = slot >= 5;
    for (int s = 0; s < 4; ++s) shapes.draw(source_tokens[s], fill[s], f.x, f.y, f.w, f.h, edges);
    for (int s = 0; s < 4; ++s) {
      if (!planned[s].empty() && !edges) out.path(path_of(planned[s]), {{"fill", t.colour(source_tokens[s])}, {"fill-opacity", "0.3"}});
      else if (!planned[s].empty())
        out.path(path_of(planned[s]), {{"fill", t.colour(source_tokens[s])}, {"fill-opacity", "0.13"}, {"stroke", t.edge(source_tokens[s])}, {"stroke-dasharray", "3 2"}});
      if (!outline[s].empty()) out.path(path_of(outline[s]), {{"fill", "none"}, {"stroke", t.edge(source_tokens[s])}, {"stroke-width", "1.2"}});
    }
    double last_label = -1e9;
    for (const auto& [bar, top] : faults) {
      const double x = f.X(bar->x), y = std::max(f.y + 8, top - 6);
      out.path(path_through({{x - 4, y - 6}, {x + 4, y - 6}, {x, y + 1}}, true), {{"fill", t.colour("fail")}}, bar->fault);
      const double half = text_width(bar->fault, 11) / 2;
      if (x - half < last_label + 4) continue;
      out.text(x, y - 9, bar->fault, 11, t.colour("fail"), "middle", true);
      last_label = x + half;
    }
  }

  // Segments from the axis up; a part that is there keeps at least 1.5 px. Returns the top.
  double stack(const std::array<double, 4>& values, double left, double right, std::array<Shape, 4>& into) {
    double sum = 0, y = f.bottom();
    for (int s = 0; s < 4; ++s) {
      if (!(values[s] > 0)) continue;
      sum += values[s];
      const double top = std::min(f.Y(sum), y - 1.5);
      if (auto part = rectangle(left, top, right - left, y - top, box); !part.empty()) into[s].push_back(std::move(part));
      y = top;
    }
    return y;
  }

  void operator()(const Span& s) {
    const double a = f.X(s.from), b = f.X(s.to), top = f.Y(s.y + s.thickness / 2), bottom = f.Y(s.y - s.thickness / 2);
    const double left = std::min(a, b), width = std::max(1.0, std::fabs(b - a));
    shapes.draw(s.token, {rectangle(left, top, width, bottom - top, box)}, left, top, width, bottom - top, true);
    if (s.label.empty()) return;
    const double w = text_width(s.label, 12, true);
    const bool inside = left + width + 8 + w > f.right();
    out.text(inside ? left + width - 6 : left + width + 8, (top + bottom) / 2 + 4, s.label, 12, inside ? t.on(s.token) : t.colour("text"), inside ? "end" : "start", true);
  }

  void operator()(const Line& l) {
    const auto points = l.points.size() > 4 * static_cast<std::size_t>(std::max(1.0, f.w)) ? thin(l.points, f.xr, static_cast<int>(f.w)) : l.points;
    add_note(left_out_words(drawable(l.points, f.y_log)));
    const auto d = drawable(points, f.y_log);
    std::string path;
    for (const auto& run : d.runs) {
      std::vector<std::pair<double, double>> v;
      for (const auto& p : run) {
        if (l.steps && !v.empty()) v.emplace_back(f.X(p.x), v.back().second);
        v.emplace_back(f.X(p.x), f.Y(*p.y));
      }
      if (v.size() == 1 && box.holds(v[0].first, v[0].second)) draw_marker(out, t, Marker::circle, l.token, v[0].first, v[0].second, 5);
      for (const auto& part : line_inside(v, box)) path += (path.empty() ? "" : " ") + path_through(part);
    }
    SvgWriter::Attributes a{{"fill", "none"}, {"stroke-linejoin", "round"}};
    if (!l.dash.empty()) a.push_back({"stroke-dasharray", l.dash});
    const auto stroke = [&](const std::string& colour, double width) {
      auto b = a;
      b.push_back({"stroke", colour});
      b.push_back({"stroke-width", px(width)});
      out.path(path, b);
    };
    if (!path.empty()) {
      if (l.casing) stroke(t.edge(l.token), l.width + 1.5);
      stroke(t.colour(l.token), l.width);
    }
    if (l.label.empty() || d.runs.empty()) return;
    const auto& end = d.runs.back().back();
    const double x = f.X(end.x), y = f.Y(*end.y);
    const bool right = x + 8 + text_width(l.label, 12, true) > f.right();
    out.text(right ? x - 8 : x + 8, std::clamp(y + (right ? -8 : 4), f.y + 12, f.bottom() - 4), l.label, 12, t.text(l.token), right ? "end" : "start", true);
  }

  void operator()(const Dots& d) {
    const auto shown = drawable(d.points, f.y_log);
    add_note(left_out_words(shown));
    if (static_cast<double>(shown.points) > f.w) {  // many: lowest to highest as a bar, the median as a dash
      std::vector<Point> all;
      for (const auto& run : shown.runs) all.insert(all.end(), run.begin(), run.end());
      std::string ranges, medians;
      for (const auto& s : spread(all, std::max(1, static_cast<int>(f.w / 2)))) {
        ranges += path_through({{f.X(s.x), f.Y(s.low) + 0.5}, {f.X(s.x), f.Y(s.high) - 0.5}}) + " ";
        medians += path_through({{f.X(s.x) - 1, f.Y(s.median)}, {f.X(s.x) + 1, f.Y(s.median)}}) + " ";
      }
      out.path(ranges, {{"stroke", t.colour(d.token)}, {"stroke-width", "1.6"}});
      out.path(medians, {{"stroke", t.edge(d.token)}, {"stroke-width", "1.6"}});
      return add_note("points: lowest, median and highest of each column");
    }
    for (const auto& p : d.points) {
      if (!p.y || !std::isfinite(*p.y) || (f.y_log && *p.y <= 0) || (f.x_log && p.x <= 0)) continue;
      const double x = f.X(p.x), y = f.Y(*p.y);
      if (x < f.x - 1 || x > f.right() + 1 || y < f.y - 1 || y > f.bottom() + 1) continue;
      draw_marker(out, t, d.marker, d.token, x, y, d.size);
    }
  }

  void operator()(const Interval& i) {
    const double begin = i.horizontal ? f.X(i.low) : f.Y(i.low), end = i.horizontal ? f.X(i.high) : f.Y(i.high), at = i.horizontal ? f.Y(i.at) : f.X(i.at);
    const double first = i.horizontal ? box.left : box.top, last = i.horizontal ? box.right : box.bottom;
    if (i.horizontal ? at < box.top || at > box.bottom : at < box.left || at > box.right) return;
    if (std::max(begin, end) < first || std::min(begin, end) > last) return;
    const double low = std::clamp(begin, first, last), high = std::clamp(end, first, last);
    const SvgWriter::Attributes bar{{"stroke", t.colour(i.token)}, {"stroke-width", "2.5"}}, cap{{"stroke", t.colour(i.token)}, {"stroke-width", "2"}};
    const auto line = [&](double a1, double c1, double a2, double c2, const SvgWriter::Attributes& s) {
      i.horizontal ? out.line(a1, c1, a2, c2, s) : out.line(c1, a1, c2, a2, s);
    };
    line(low, at, high, at, bar);
    if (low == begin) line(low, at - 5, low, at + 5, cap);  // an end that lies outside has no cap
    if (high == end) line(high, at - 5, high, at + 5, cap);
    if (!i.estimate) return;
    const double e = i.horizontal ? f.X(*i.estimate) : f.Y(*i.estimate);
    if (e < first || e > last) return;
    out.element("circle", {{"cx", px(i.horizontal ? e : at)}, {"cy", px(i.horizontal ? at : e)}, {"r", "4.5"}, {"fill", t.colour(i.token)}});
  }

  void operator()(const Text& x) {
    if (!box.holds(f.X(x.x), f.Y(x.y))) return;
    const char* anchor = x.anchor == Text::Anchor::middle ? "middle" : x.anchor == Text::Anchor::end ? "end" : "start";
    out.text(f.X(x.x) + x.dx, f.Y(x.y) + x.dy, x.text, x.size, t.text(x.token), anchor, x.bold, x.angle);
  }

  void operator()(const Rule&) {}
  void operator()(const Bracket&) {}
};

}  // namespace

std::string draw_marks(SvgWriter& out, const Theme& theme, const Panel& panel, const Frame& frame, ShapeFill& shapes) {
  Drawer d{out, theme, frame, shapes, {}, frame.box()};
  for (const auto& m : panel.marks) std::visit(d, m);
  return d.note;
}

}  // namespace kvcliff::chart
