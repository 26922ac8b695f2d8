// SPDX-License-Identifier: GPL-3.0-or-later
// The drawing of the cliff chart: plain QPainter code over positions that the axes give.
#include <cmath>

#include "ui/charts/clip.h"
#include "ui/charts/cliff_chart.h"
#include "ui/theme/numbers.h"

namespace kvcliff::ui {
namespace {

void centered(QPainter& p, const QRectF& r, const QString& text) { p.drawText(r, Qt::AlignCenter | Qt::TextSingleLine, text); }

}  // namespace

void CliffChart::paint_zones(QPainter& p) {
  const QRectF r = area();
  const double top = r.top() - theme().px(26), height = theme().px(22);
  struct Zone {
    double from, to;
    Source source;
    QString text;
  };
  std::vector<Zone> zones{{0, gpu_blocks_, Source::gpu_hit, tr("fits the GPU")}};
  if (tier()) zones.push_back({gpu_blocks_, host_blocks_, Source::host_loaded, tr("fits the host tier")});
  zones.push_back({tier() ? host_blocks_ : gpu_blocks_, shape_.max_blocks, Source::computed,
                   host_blocks_ > 0 && tier() ? tr("fits neither") : tr("does not fit the GPU")});
  if (shape_.over_capacity) {
    zones.clear();
    if (host_blocks_ > 0) zones = {{0, host_blocks_, Source::host_loaded, tr("the tier is the larger")}, {host_blocks_, shape_.max_blocks, Source::computed, tr("the tier gives nothing")}};
  }
  QFont f = theme().font(TextSize::Chart);
  f.setWeight(QFont::DemiBold);
  p.setFont(f);
  const QFontMetricsF m(f);
  for (const Zone& z : zones) {
    const double a = std::max(r.left(), x_pixel(z.from)), b = std::min(r.right(), x_pixel(z.to));
    if (b <= a) continue;
    const QRectF band(snap(p, a), top, snap(p, b) - snap(p, a), height);
    p.fillRect(band, theme().zone(z.source));
    const Span free = widest_free({a, b}, {{x_pixel(marker_) - 10, x_pixel(marker_) + 10}});
    if (free.width() < m.horizontalAdvance(z.text) + 20) continue;
    p.setPen(theme().text(z.source));
    centered(p, QRectF(free.from, top, free.width(), height), z.text);
  }
}

void CliffChart::paint_areas(QPainter& p) {
  const QRectF r = area();
  if (shape_.points.empty()) return;
  const QRectF box = r.adjusted(0, 0, 0, 1);
  p.save();
  p.setClipRect(box);
  p.setRenderHint(QPainter::Antialiasing, false);
  p.fillRect(r, theme().fill(Source::computed));
  p.setRenderHint(QPainter::Antialiasing);

  // Like a painter: everything up to GPU + host in the host's colour, then the GPU over it. No seams between fills.
  const auto curve = [&](auto&& value) {
    QPolygonF line;
    line << QPointF(std::min(r.left() - 2, x_pixel(shape_.points.front().blocks)), y_pixel(value(shape_.points.front())));
    for (const CliffPoint& pt : shape_.points) line << QPointF(x_pixel(pt.blocks), y_pixel(value(pt)));
    line << QPointF(std::max(r.right() + 2, x_pixel(shape_.points.back().blocks)), y_pixel(value(shape_.points.back())));
    return line;
  };
  const auto fill_under = [&](QPolygonF line, const QBrush& brush) {
    line << QPointF(line.last().x(), r.bottom() + 2) << QPointF(line.first().x(), r.bottom() + 2);
    p.setPen(Qt::NoPen);
    p.setBrush(brush);
    p.drawPolygon(area_inside(line, box));
  };
  const auto stroke = [&](const QPolygonF& line) {
    for (const QPolygonF& part : line_inside(line, box)) p.drawPolyline(part);
  };
  const QPolygonF gpu = curve([](const CliffPoint& c) { return c.gpu; });
  const QPolygonF low = curve([](const CliffPoint& c) { return c.gpu + c.host_low; });
  const QPolygonF high = curve([](const CliffPoint& c) { return c.gpu + c.host_high; });
  const QPolygonF mean = curve([](const CliffPoint& c) { return c.gpu + c.host; });
  const bool band = std::any_of(shape_.points.begin(), shape_.points.end(),
                                [](const CliffPoint& c) { return c.host_high - c.host_low > 1e-9; });
  if (band) {
    QColor light = theme().fill(Source::host_loaded);
    light.setAlphaF(0.45f);
    fill_under(high, light);
  }
  fill_under(band ? low : mean, theme().fill(Source::host_loaded));
  fill_under(gpu, theme().fill(Source::gpu_hit));
  p.setBrush(Qt::NoBrush);
  p.setPen(QPen(theme().color("surface"), 2));
  stroke(mean);
  stroke(gpu);
  if (band) {
    p.setPen(QPen(theme().edge(Source::host_loaded), 1, Qt::DashLine));
    stroke(high);
    stroke(low);
  }
  // What is less than a pixel of computed still shows as one device pixel, and never as nothing.
  p.setRenderHint(QPainter::Antialiasing, false);
  const double pixel = 1 / std::max(1.0, p.deviceTransform().m11());
  if (shape_.at(shape_.points.front().blocks).gpu < 1) p.fillRect(QRectF(r.left(), r.top(), r.width(), pixel), theme().fill(Source::computed));
  p.restore();
}

void CliffChart::paint_over_grid(QPainter& p) {
  const QRectF r = area();
  QColor line(Qt::white);
  line.setAlphaF(0.28f);
  p.setPen(QPen(line, 1));
  for (const double share : {0.25, 0.5, 0.75}) {
    const double y = std::floor(y_pixel(share)) + 0.5;
    p.drawLine(QPointF(r.left(), y), QPointF(r.right(), y));
  }
}

void CliffChart::paint_histogram(QPainter& p) {
  if (!histogram_->visible()) return;
  const QRectF r = histogram_->rect();
  QCPAxis* y = histogram_->axis(QCPAxis::atLeft);
  p.save();
  p.setClipRect(r.adjusted(0, 0, 0, 1));
  p.setPen(Qt::NoPen);
  p.setBrush(theme().color("text3"));
  double right = r.left();
  for (const DistanceBin& b : bins_) {
    const double x0 = snap(p, x_pixel(double(b.from) - 0.5)), x1 = snap(p, x_pixel(double(b.to) + 0.5));
    const double top = snap(p, y->coordToPixel(double(b.count)));
    const double gap = x1 - x0 > 4 ? 1 : 0;
    p.drawRect(QRectF(x0, top, std::max(1.0, x1 - x0 - gap), r.bottom() + 1 - top));
    right = std::max(right, x1);
  }
  p.restore();
  histogram_words_ = {};
  if (histogram_sentence_.isEmpty()) return;
  const QFontMetricsF m(theme().font(TextSize::Caption));
  const double width = m.horizontalAdvance(histogram_sentence_);
  // Beside the bars, and clear of the capacity lines where there is room for that.
  std::vector<Span> lines;
  for (const double blocks : {gpu_blocks_, host_blocks_, marker_})
    if (blocks > 0) lines.push_back({x_pixel(blocks) - 6, x_pixel(blocks) + 6});
  double x = right + 12 + width < r.right() ? right + 12 : r.left() + 8;
  if (const Span free = widest_free({right + 8, r.right()}, lines); free.width() > width + 8) x = free.from + 4;
  histogram_words_ = QRectF(x - 4, r.top() + 2, width + 8, m.height() + 4);
}

void CliffChart::paint_capacities(QPainter& p) {
  const QRectF r = area();
  const QRectF h = histogram_->rect();
  std::vector<Span> taken;
  // The marker's flag has the first right to its place.
  QFont f = theme().font(TextSize::Chart);
  const double marker_width = QFontMetricsF(f).horizontalAdvance(size_words(marker_)) + 30;
  const double mx = x_pixel(marker_);
  taken.push_back(mx + marker_width < r.right() ? Span{mx - 4, mx + marker_width} : Span{mx - marker_width, mx + 4});
  const auto capacity = [&](double blocks, const QString& name) {
    if (blocks <= 0 || !in_view(blocks)) return;
    const double x = snap(p, x_pixel(blocks));
    QColor casing = theme().color("surface");
    casing.setAlphaF(0.5f);
    for (const auto& [color, width] : {std::pair(casing, 4.0), std::pair(theme().color("text"), 1.5)}) {
      p.setPen(QPen(color, width));
      p.drawLine(QPointF(x, r.top() - theme().px(30)), QPointF(x, r.bottom()));
      if (histogram_->visible()) p.drawLine(QPointF(x, h.top()), QPointF(x, h.bottom()));
    }
    Span used;
    draw_flag(p, x, name, size_words(blocks), false, taken, &used);
    taken.push_back(used);
  };
  capacity(gpu_blocks_, tr("GPU cache"));
  if (host_blocks_ > 0) capacity(host_blocks_, tr("Host tier"));
  // Above the lines, which would run through the words.
  if (histogram_words_.isNull() || !histogram_->visible()) return;
  QColor ground = theme().color("surface");
  ground.setAlphaF(0.86f);
  p.fillRect(histogram_words_, ground);
  p.setFont(theme().font(TextSize::Caption));
  p.setPen(theme().color("text2"));
  p.drawText(histogram_words_, Qt::AlignCenter | Qt::TextSingleLine, histogram_sentence_);
}

double CliffChart::draw_flag(QPainter& p, double x, const QString& name, const QString& detail, bool filled,
                             const std::vector<Span>& taken, Span* used) {
  const QRectF r = area();
  QFont bold = theme().font(TextSize::Chart);
  bold.setWeight(QFont::DemiBold);
  const QFont plain = theme().font(TextSize::Chart);
  const QFontMetricsF mb(bold), mp(plain);
  const double width = std::max(mb.horizontalAdvance(name), mp.horizontalAdvance(detail)) + 14;
  const double line = mp.height();
  const double height = 2 * line + 6;
  const double top = r.top() - theme().px(30) - height + 2;
  const auto free = [&](Span s) {
    if (s.from < 2 || s.to > viewport().right() - 2) return false;
    for (const Span& t : taken)
      if (s.from < t.to && s.to > t.from) return false;
    return true;
  };
  // Right of the line, else left of it; else beyond the flag that stands there, led to by an elbow; else not at all.
  Span place{x, x + width};
  if (!free(place)) place = {x - width, x};
  *used = {x, x};
  if (!free(place) && !filled) {
    constexpr double longest_elbow = 150;
    double from = x;
    for (const Span& t : taken)
      if (t.from <= x + width && t.to > x) from = std::max(from, t.to + 8);
    place = {from, from + width};
    if (from - x > longest_elbow || !free(place)) return 0;
    p.setPen(QPen(theme().color("text"), 1.5));
    p.setRenderHint(QPainter::Antialiasing, false);
    const double y = snap(p, r.top() - theme().px(29));
    p.drawLine(QPointF(x, y), QPointF(place.from + 4, y));
  }
  if (filled && !free(place)) place = x + width < viewport().right() ? Span{x, x + width} : Span{x - width, x};
  *used = place;
  if (filled) {
    p.setPen(Qt::NoPen);
    p.setBrush(theme().color("ink"));
    p.setRenderHint(QPainter::Antialiasing);
    p.drawRoundedRect(QRectF(place.from, top, place.width(), height), 3, 3);
  }
  p.setPen(theme().color(filled ? "onInk" : "text"));
  p.setFont(bold);
  p.drawText(QPointF(place.from + 7, top + 3 + mb.ascent()), name);
  p.setPen(theme().color(filled ? "onInk" : "text2"));
  p.setFont(plain);
  draw_number(p, QRectF(place.from + 7, top + 3 + line, place.width() - 8, line), Qt::AlignLeft | Qt::AlignTop, detail);
  return width;
}

void CliffChart::paint_measured(QPainter& p) {
  p.setRenderHint(QPainter::Antialiasing);
  p.save();
  p.setClipRect(area().adjusted(-5, -5, 5, 5));
  for (const Measured& m : measured_) {
    const double x = x_pixel(m.blocks), y = y_pixel(m.gpu + m.host);
    p.setPen(QPen(theme().color("ink"), 2.5));
    p.drawLine(QPointF(x, y_pixel(m.low)), QPointF(x, y_pixel(m.high)));
    p.setPen(QPen(theme().color(m.tier ? "surface" : "ink"), m.tier ? 1.5 : 2));
    p.setBrush(theme().color(m.tier ? "ink" : "surface"));
    p.drawEllipse(QPointF(x, y), m.tier ? 4.5 : 4, m.tier ? 4.5 : 4);
  }
  // Where a cliff lies is known as finely as the sizes were tried: an interval at half of the height.
  for (const Edge& e : edges_) {
    const double y = y_pixel(0.5), a = x_pixel(e.low), b = x_pixel(e.high);
    for (const auto& [color, width] : {std::pair("surface", 5.5), std::pair("ink", 2.5)}) {
      p.setPen(QPen(theme().color(color), width, Qt::SolidLine, Qt::FlatCap));
      const double more = width > 3 ? 1.5 : 0;
      p.drawLine(QPointF(a - more, y), QPointF(b + more, y));
      for (const double end : {a, b}) p.drawLine(QPointF(end, y - 6 - more), QPointF(end, y + 6 + more));
    }
  }
  p.restore();
}

void CliffChart::paint_marker(QPainter& p) {
  const QRectF r = area();
  if (shape_.points.empty()) return;
  if (cross_ && in_view(*cross_)) {
    const double x = std::floor(x_pixel(*cross_)) + 0.5;
    p.setPen(QPen(theme().color("text3"), 1));
    p.drawLine(QPointF(x, r.top()), QPointF(x, r.bottom()));
    if (histogram_->visible()) p.drawLine(QPointF(x, histogram_->rect().top()), QPointF(x, histogram_->rect().bottom()));
  }
  if (marker_ <= 0 || !in_view(marker_)) return;
  const double x = snap(p, x_pixel(marker_));
  p.setRenderHint(QPainter::Antialiasing);
  p.setPen(QPen(theme().color("ink"), 2.5));
  p.drawLine(QPointF(x, r.top() - theme().px(30)), QPointF(x, r.bottom()));
  p.setPen(QPen(theme().color("ink"), 1));
  if (histogram_->visible()) p.drawLine(QPointF(x, histogram_->rect().top()), QPointF(x, histogram_->rect().bottom()));
  Span used;
  draw_flag(p, x, shape_.over_capacity ? tr("This GPU cache") : tr("This workload"), size_words(marker_), true, {}, &used);

  const CliffPoint at = shape_.at(marker_);
  p.setPen(QPen(theme().color("ink"), 2.5));
  p.setBrush(theme().color("surface"));
  p.drawEllipse(QPointF(x, y_pixel(at.gpu + at.host)), 5, 5);

  // The reading stands on a ground of its own: it may cross areas and capacity lines.
  QFont f = theme().font(TextSize::Chart);
  f.setWeight(QFont::DemiBold);
  const QString text = reading();
  const QFontMetricsF m(f);
  const QRectF ground = reading_box();
  p.setPen(Qt::NoPen);
  p.setBrush(theme().color("surface"));
  p.drawRoundedRect(ground, 3, 3);
  p.setPen(theme().color("text"));
  p.setFont(f);
  p.drawText(ground, Qt::AlignCenter, text);

  // Thumb with the count of documents on the axis.
  const double documents = shape_.document_blocks > 0 ? marker_ / shape_.document_blocks : 0;
  const QString count = documents > 0 ? QLocale().toString(documents, 'f', std::fabs(documents - std::round(documents)) < 0.005 ? 0 : 2)
                                      : exact(qint64(marker_));
  const double tw = std::max(22.0, m.horizontalAdvance(count) + 12);
  const QRectF thumb(x - tw / 2, r.bottom() + 3, tw, m.height() + 4);
  p.setPen(Qt::NoPen);
  p.setBrush(theme().color("surface"));
  p.drawRect(thumb.adjusted(-14, -1, 14, 1));
  p.setBrush(theme().color("ink"));
  p.drawRoundedRect(thumb, 4, 4);
  p.setPen(theme().color("onInk"));
  p.drawText(thumb, Qt::AlignCenter, count);
  p.setPen(QPen(theme().color("text2"), 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  p.setBrush(Qt::NoBrush);
  for (const int side : {-1, 1}) {
    const double ax = x + side * (tw / 2 + 8), ay = thumb.center().y();
    p.drawPolyline(QPolygonF({{ax - side * 3.0, ay - 4}, {ax + side * 1.0, ay}, {ax - side * 3.0, ay + 4}}));
  }
  if (hasFocus()) {
    p.setPen(QPen(theme().color("ink"), 2));
    p.drawRoundedRect(thumb.adjusted(-3, -3, 3, 3), 6, 6);
  }
}

void CliffChart::paint_axis_titles(QPainter& p) {
  const QRectF r = area();
  const QRectF h = histogram_->rect();
  p.setFont(theme().font(TextSize::Chart));
  p.setPen(theme().color("text2"));
  const QFontMetricsF m(p.font());
  const QString x = shape_.over_capacity ? tr("GPU cache, usable blocks")
                    : shape_.document_blocks > 0
                        ? tr("working set, documents of %1 blocks").arg(exact(qint64(shape_.document_blocks)))
                        : tr("working set, blocks");
  p.drawText(QRectF(r.left(), r.bottom() + theme().px(22), r.width(), m.height()), Qt::AlignRight, x);
  if (histogram_->visible())
    p.drawText(QRectF(h.left(), h.bottom() + theme().px(22), h.width(), m.height()), Qt::AlignRight,
               tr("revisit distance, distinct blocks since the last use"));
  const auto vertical = [&](const QRectF& box, const QString& text) {
    p.save();
    p.translate(14, box.center().y());
    p.rotate(-90);
    p.drawText(QRectF(-150, -m.height() / 2, 300, m.height()), Qt::AlignCenter, text);
    p.restore();
  };
  vertical(r, tr("share of prompt tokens"));
  if (histogram_->visible()) vertical(h, tr("blocks"));
}

}  // namespace kvcliff::ui
