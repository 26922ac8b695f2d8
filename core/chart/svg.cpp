// SPDX-License-Identifier: GPL-3.0-or-later
// Layout of a chart: header, legend, panels with their axes, rules with flags, watermark, caption.
#include "chart/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "chart/labels.h"
#include "chart/svg_frame.h"

namespace kvcliff::chart {
namespace {

constexpr double pad = 16;
constexpr double flag_height = 34;

struct Flag {
  const Rule* rule;
  double x = 0, width = 0;
  int row = 0;
  bool left = false;  // written to the left of its line
};

template <class M>
std::vector<const M*> marks_of(const Panel& p) {
  std::vector<const M*> out;
  for (const auto& m : p.marks)
    if (const auto* v = std::get_if<M>(&m)) out.push_back(v);
  return out;
}

class Layout {
 public:
  Layout(const Chart& chart, const Theme& theme) : c_(chart), t_(theme) {
    w_ = std::clamp(std::isfinite(chart.width) ? chart.width : 960, 200.0, 20'000.0);
    h_ = std::clamp(std::isfinite(chart.height) ? chart.height : 480, 120.0, 20'000.0);
  }

  std::string run() {
    begin();
    header();
    frames();
    ShapeFill shapes(out_, t_);
    for (std::size_t i = 0; i < c_.panels.size(); ++i) panel(i, shapes);
    rules();
    watermark();
    caption();
    out_.raw("</svg>\n");
    return out_.take();
  }

 private:
  void begin() {
    out_.raw(fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" "
                         "font-family=\"Inter, 'DejaVu Sans', 'Helvetica Neue', Arial, sans-serif\" font-size=\"12\">\n",
                         px(w_), px(h_)));
    out_.raw("<title>" + xml_escape(c_.title) + "</title>\n");
    if (!c_.description.empty()) out_.raw("<desc>" + xml_escape(c_.description) + "</desc>\n");
    out_.rect(0, 0, w_, h_, {{"fill", t_.colour("surface")}});
  }

  double legend_width(const LegendItem& item) const { return 22 + text_width(item.label, 12) + 16; }

  void header() {
    double legend = 0;
    for (const auto& i : c_.legend) legend += legend_width(i);
    const bool beside = legend > 0 && text_width(c_.title, 15, true) + legend + 2 * pad + 24 <= w_;
    const double room = w_ - 2 * pad - (beside ? legend + 24 : 0);
    top_ = pad;
    if (!c_.title.empty()) {
      out_.text(pad, top_ + 13, shorten(c_.title, room, 15.8), 15, t_.colour("text"), "start", true, 0, c_.title);
      top_ += 20;
    }
    if (beside) legend_row(w_ - pad - legend + 16, pad + 12, c_.legend);
    if (!c_.subtitle.empty()) {
      out_.text(pad, top_ + 12, shorten(c_.subtitle, w_ - 2 * pad, 12), 12, t_.colour("text2"), "start", false, 0, c_.subtitle);
      top_ += 18;
    }
    if (legend > 0 && !beside) wrapped_legend();
    top_ += 8;
  }

  // Long names are shortened so that they stay distinct; a row takes what fits.
  void wrapped_legend() {
    std::vector<LegendItem> items = c_.legend;
    std::vector<std::string> names;
    for (const auto& i : items) names.push_back(i.label);
    const auto shown = shorten_all(names, std::max(80.0, w_ / 3), 12);
    double x = pad;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::string full = items[i].label;
      items[i].label = shown[i];
      const double need = legend_width(items[i]);
      if (x > pad && x + need > w_ - pad) x = pad, top_ += 18;
      legend_item(x, top_ + 12, items[i], full);
      x += need;
    }
    top_ += 20;
  }

  void legend_row(double x, double y, const std::vector<LegendItem>& items) {
    for (const auto& i : items) {
      legend_item(x, y, i, i.label);
      x += legend_width(i);
    }
  }

  void legend_item(double x, double y, const LegendItem& item, const std::string& full) {
    const std::string box = fmt::format("M{} {} h11 v11 h-11 Z", px(x), px(y - 10));
    switch (item.shape) {
      case LegendItem::Shape::box:
      case LegendItem::Shape::hatch: {
        const Shape square{{{x, y - 10}, {x + 11, y - 10}, {x + 11, y + 1}, {x, y + 1}}};
        ShapeFill(out_, t_).draw(item.shape == LegendItem::Shape::hatch ? "unknown" : item.token, square, x, y - 10, 11, 11, true);
        break;
      }
      case LegendItem::Shape::outline: out_.path(box, {{"fill", "none"}, {"stroke", t_.edge(item.token)}, {"stroke-dasharray", "3 2"}}); break;
      case LegendItem::Shape::line: out_.line(x - 2, y - 4, x + 14, y - 4, {{"stroke", t_.colour(item.token)}, {"stroke-width", "2"}}); break;
      case LegendItem::Shape::marker: draw_marker(out_, t_, item.marker, item.token, x + 5, y - 4, 8); break;
    }
    out_.text(x + 20, y, item.label, 12, t_.colour("text2"), "start", false, 0, full);
  }

  // Room above the first panel for flags and words, below each for ticks, brackets and the title.
  double above(const Panel& p) const {
    for (const auto* b : marks_of<Bracket>(p))
      if (b->above) return 22;
    for (const auto* b : marks_of<Band>(p))
      if (b->vertical && !b->label.empty() && !p.fixed_height) return 20;
    return p.fixed_height ? 2 : 8;
  }
  double below(const Panel& p) const {
    double h = p.x.labels ? 20 : 2;
    for (const auto* b : marks_of<Bracket>(p))
      if (!b->above) return h + 20 + (p.x.title.empty() ? 0 : 16);
    return h + (p.x.title.empty() ? 0 : 16);
  }

  void frames() {
    frames_.resize(c_.panels.size());
    double shares = 0, fixed = 0, left = 0;
    bool title = false;
    const double bottom = h_ - pad - 14.0 * static_cast<double>(c_.caption.size()) - (c_.caption.empty() ? 0 : 6);
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      const auto& p = c_.panels[i];
      set_ranges(frames_[i], p);
      p.fixed_height ? fixed += std::clamp(*p.fixed_height, 1.0, 2'000.0) : shares += std::max(0.01, p.height);
      fixed += above(p) + below(p);
    }
    place_flags(pad + 60, w_ - pad);  // how many rows, before the left edge is known exactly
    fixed += flag_rows_ * flag_height;
    const double free = std::max(40.0, bottom - top_ - fixed);
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      const auto& p = c_.panels[i];
      frames_[i].h = p.fixed_height ? std::clamp(*p.fixed_height, 1.0, 2'000.0) : free * std::max(0.01, p.height) / shares;
      title |= !p.y.title.empty();
      if (!p.y.labels) continue;
      for (const auto& t : y_ticks(p, frames_[i])) left = std::max(left, text_width(t.label, 11));
    }
    left = std::min(left, w_ / 3) + (left > 0 ? 10 : 0) + (title ? 20 : 0);
    double y = top_ + flag_rows_ * flag_height;
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      auto& f = frames_[i];
      f.x = pad + left, f.w = std::max(50.0, w_ - pad - 10 - f.x);
      y += above(c_.panels[i]);
      f.y = std::round(y), f.h = std::round(f.h);
      y += f.h + below(c_.panels[i]);
    }
    if (!frames_.empty()) place_flags(frames_[0].x, frames_[0].right());
    for (std::size_t i = 0; i < frames_.size(); ++i)
      for (const auto* r : marks_of<Rule>(c_.panels[i]))
        for (std::size_t k = 0; r->vertical && k < frames_.size(); ++k)
          if (k == i || r->through) frames_[k].avoid.push_back(frames_[i].X(r->at));
  }

  std::vector<Tick> y_ticks(const Panel& p, const Frame& f) const {
    if (!p.y.ticks.empty()) return p.y.ticks;
    auto out = ticks(f.yr, p.y.unit, f.y_log, std::max(2, static_cast<int>(std::lround(f.h / 38))));
    if (out.size() > 1 && f.highest > 0 && !p.y.high) {
      // The highest bar ends the axis: its exact value is the last label.
      const double step = out[1].at - out[0].at;
      while (out.size() > 1 && f.highest - out.back().at < step * 0.6) out.pop_back();
      out.push_back({f.highest, tick_label(f.highest, p.y.unit)});
    }
    if (p.y.unit == Unit::share)  // the sign once, at the top
      for (std::size_t i = 0; i + 1 < out.size(); ++i) out[i].label.resize(out[i].label.size() - 2);
    return out;
  }
  std::vector<Tick> x_ticks(const Panel& p, const Frame& f) const {
    return p.x.ticks.empty() ? ticks(f.xr, p.x.unit, f.x_log, std::max(2, static_cast<int>(f.w / 85))) : p.x.ticks;
  }

  // Flags in the first row where they fit; the later of two that collide goes down a row.
  void place_flags(double left, double right) {
    flags_.clear();
    flag_rows_ = 0;
    for (std::size_t i = 0; i < c_.panels.size(); ++i)
      for (const auto* r : marks_of<Rule>(c_.panels[i])) {
        if (!r->vertical || (r->name.empty() && r->detail.empty())) continue;
        Frame f = frames_[i];
        f.x = left, f.w = std::max(50.0, right - left);
        flags_.push_back({r, f.X(r->at), std::max(text_width(r->name, 12, true), text_width(r->detail, 12)) + 14, 0, false});
      }
    std::stable_sort(flags_.begin(), flags_.end(), [](const Flag& a, const Flag& b) { return a.x < b.x; });
    std::vector<double> ends;
    for (auto& f : flags_) {
      f.left = f.x + f.width > w_ - 4 && f.x - f.width > left - 40;
      const double start = f.left ? f.x - f.width : f.x;
      std::size_t row = 0;
      while (row < ends.size() && ends[row] > start - 6) ++row;
      if (row == ends.size()) ends.push_back(0);
      ends[row] = start + f.width;
      f.row = static_cast<int>(row);
    }
    flag_rows_ = static_cast<int>(ends.size());
  }

  void panel(std::size_t i, ShapeFill& shapes) {
    const auto& p = c_.panels[i];
    const auto& f = frames_[i];
    const auto yt = y_ticks(p, f), xt = x_ticks(p, f);
    if (p.y.grid)
      for (const auto& t : yt) out_.line(f.x, f.Y(t.at), f.right(), f.Y(t.at), {{"stroke", t_.colour("grid")}});
    if (p.x.grid)
      for (const auto& t : xt) out_.line(f.X(t.at), f.y, f.X(t.at), f.bottom(), {{"stroke", t_.colour("grid")}});
    const std::string note = draw_marks(out_, t_, p, f, shapes);
    axes(p, f, yt, xt);
    brackets(p, f);
    for (const auto& words : {p.note, note})
      if (!words.empty()) notes_ += (notes_.empty() ? "" : "; ") + words;
  }

  void axes(const Panel& p, const Frame& f, const std::vector<Tick>& yt, const std::vector<Tick>& xt) {
    if (p.frame_bottom) out_.line(f.x, f.bottom() + 0.5, f.right(), f.bottom() + 0.5, {{"stroke", t_.colour("text3")}});
    if (p.y.labels)
      for (const auto& t : yt) {
        const double y = f.Y(t.at);
        if (y < f.y - 1 || y > f.bottom() + 1) continue;
        out_.text(f.x - 9, y + 4, shorten(t.label, w_ / 3, 11), 11, t_.colour("text3"), "end", false, 0, t.label);
      }
    double end = -1e9;
    for (const auto& t : xt) {
      const double x = f.X(t.at), half = text_width(t.label, 11) / 2;
      if (!p.x.labels || x < f.x - 1 || x > f.right() + 1) continue;
      out_.line(x, f.bottom() + 1, x, f.bottom() + 5, {{"stroke", t_.colour("text3")}});
      if (x - half < end + 8) continue;
      const double at = std::min(x, w_ - 4 - half);
      out_.text(at, f.bottom() + 17, t.label, 11, t_.colour("text3"), "middle");
      end = at + half;
    }
    const std::string log_word = " (log)";
    const auto named = [&](const std::string& title, bool log) { return log && title.find("(log)") == std::string::npos ? title + log_word : title; };
    if (!p.x.title.empty()) out_.text(f.right(), f.bottom() + below(p) - 4, named(p.x.title, f.x_log), 12, t_.colour("text2"), "end");
    if (!p.y.title.empty()) out_.text(pad + 11, f.y + f.h / 2, shorten(named(p.y.title, f.y_log), std::max(40.0, f.h + 16), 12), 12, t_.colour("text2"), "middle", false, 90, p.y.title);
  }

  void brackets(const Panel& p, const Frame& f) {
    for (const auto* b : marks_of<Bracket>(p)) {
      const double a = f.X(b->from), z = f.X(b->to), y = b->above ? f.y - 8 : f.bottom() + (p.x.labels ? 22 : 4);
      if (b->line && !b->above) out_.line(a + 1, y, z - 1, y, {{"stroke", t_.colour("line2")}, {"stroke-width", "2"}});
      const std::string words = shorten(b->label, z - a + 10, b->above ? 12 : 11);
      out_.text((a + z) / 2, b->above ? y : y + 14, words, b->above ? 12 : 11, t_.colour(b->above ? "text" : "text3"), "middle", b->above, 0, b->label);
    }
  }

  void rules() {
    for (std::size_t i = 0; i < c_.panels.size(); ++i)
      for (const auto* r : marks_of<Rule>(c_.panels[i])) {
        const auto& f = frames_[i];
        SvgWriter::Attributes style{{"stroke", t_.colour(r->filled ? "ink" : r->token)}, {"stroke-width", px(r->width)}};
        if (!r->dash.empty()) style.push_back({"stroke-dasharray", r->dash});
        if (!r->vertical) {
          const double y = f.Y(r->at);
          if (y < f.y - 1 || y > f.bottom() + 1) continue;
          out_.line(f.x, y, f.right(), y, style);
          if (!r->name.empty()) out_.text(f.right() - 4, y - 5, r->name, 11, t_.text(r->token), "end", true);
          continue;
        }
        const double x = f.X(r->at);
        if (x < f.x - 1 || x > f.right() + 1) continue;
        for (std::size_t k = 0; k < frames_.size(); ++k) {
          if (k != i && !r->through) continue;
          out_.line(x, frames_[k].y, x, frames_[k].bottom(), {{"stroke", t_.colour("surface")}, {"stroke-width", px(r->width + 3)}, {"stroke-opacity", "0.5"}});
          out_.line(x, frames_[k].y, x, frames_[k].bottom(), style);
        }
      }
    for (const auto& flag : flags_) draw_flag(flag);
  }

  void draw_flag(const Flag& flag) {
    const auto& r = *flag.rule;
    const double first = frames_[0].y - above(c_.panels[0]) - flag_rows_ * flag_height;
    const double y = first + flag.row * flag_height, start = flag.left ? flag.x - flag.width : flag.x;
    const std::string line = t_.colour(r.filled ? "ink" : r.token);
    out_.line(flag.x, y, flag.x, frames_[0].y, {{"stroke", line}, {"stroke-width", px(r.width)}});
    if (r.filled) out_.rect(start, y, flag.width, flag_height - 3, {{"fill", t_.colour("ink")}, {"rx", "2"}});
    const double x = flag.left ? flag.x - 7 : flag.x + 7;
    const char* anchor = flag.left ? "end" : "start";
    out_.text(x, y + 13, r.name, 12, r.filled ? t_.colour("onInk") : t_.text(r.token), anchor, true);
    out_.text(x, y + 27, r.detail, 12, r.filled ? t_.colour("onInk") : t_.colour("text2"), anchor);
  }

  void watermark() {
    if (c_.watermark.empty() || frames_.empty()) return;
    const auto& f = *std::max_element(frames_.begin(), frames_.end(), [](const Frame& a, const Frame& b) { return a.h < b.h; });
    const bool withdrawn = c_.watermark.find("WITHDRAWN") != std::string::npos;
    const std::string token = withdrawn ? "withdrawn" : "simulated";
    if (f.h < 200) {  // too low for words across: they stand in the header
      out_.text(w_ - pad, h_ - pad + 8, c_.watermark, 11, t_.colour(token), "end", true);
      return;
    }
    const double size = std::min(0.55 * f.w / (text_width(c_.watermark, 1, true) * 1.18), f.h * 0.42);
    const double x = f.x + f.w / 2, y = f.y + f.h / 2 + size * 0.35;
    const bool dark = t_.name == "dark";
    out_.raw(fmt::format("<text x=\"{0}\" y=\"{1}\" font-size=\"{2}\" font-weight=\"700\" letter-spacing=\"{3}\" text-anchor=\"middle\" fill=\"{4}\" "
                         "fill-opacity=\"{5}\" transform=\"rotate(-12 {0} {1})\">{6}</text>\n",
                         px(x), px(y), px(size), px(size * 0.1), dark ? "#FFFFFF" : t_.colour(token), dark ? "0.13" : "0.15", xml_escape(c_.watermark)));
  }

  void caption() {
    double y = h_ - pad - 14.0 * static_cast<double>(c_.caption.size()) + 12;
    const double note = notes_.empty() ? 0 : text_width(notes_, 11) + 16;
    if (note > 0) out_.text(w_ - pad, c_.caption.empty() ? h_ - 5 : y, notes_, 11, t_.colour("text2"), "end");
    for (const auto& line : c_.caption) {
      const double room = w_ - 2 * pad - (&line == &c_.caption.front() ? note : 0);
      out_.text(pad, y, shorten(line, std::max(60.0, room), 11), 11, t_.colour("text3"), "start", false, 0, line);
      y += 14;
    }
  }

  const Chart& c_;
  const Theme& t_;
  SvgWriter out_;
  double w_ = 0, h_ = 0, top_ = 0;
  std::vector<Frame> frames_;
  std::vector<Flag> flags_;
  int flag_rows_ = 0;
  std::string notes_;
};

}  // namespace

std::string svg(const Chart& chart, const Theme& theme) { return Layout(chart, theme).run(); }

std::vector<LegendItem> source_legend(bool unknown, bool predicted) {
  std::vector<LegendItem> out{{"computed", "computed"}, {"host loaded", "host_loaded"}, {"GPU hit", "gpu_hit"}};
  if (unknown) out.push_back({"unknown", "unknown", LegendItem::Shape::hatch});
  if (predicted) out.push_back({"predicted", "text3", LegendItem::Shape::outline});
  return out;
}

}  // namespace kvcliff::chart
