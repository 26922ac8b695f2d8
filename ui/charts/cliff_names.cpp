// SPDX-License-Identifier: GPL-3.0-or-later
// Names inside the areas of the cliff chart: each where its area has room, clear of lines, points and other words.
#include <cmath>

#include "ui/charts/cliff_chart.h"
#include "ui/charts/label_place.h"

namespace kvcliff::ui {
namespace {

// Upper and lower border of an area in one column of pixels.
struct Column {
  double x, top, bottom;
};

}  // namespace

QRectF CliffChart::reading_box() const {
  const QRectF r = area();
  QFont f = theme().font(TextSize::Chart);
  f.setWeight(QFont::DemiBold);
  const QFontMetricsF m(f);
  const double x = x_pixel(marker_), width = m.horizontalAdvance(reading()) + 12;
  return {x + 10 + width < r.right() ? x + 10 : x - 10 - width, r.top() + 8, width, m.height() + 4};
}

Obstacles CliffChart::obstacles() const {
  const QRectF r = area();
  Obstacles out;
  const auto upright = [&](double x) { out.boxes.emplace_back(x - 4, r.top(), 8, r.height()); };
  for (const double blocks : {gpu_blocks_, host_blocks_})
    if (blocks > 0 && in_view(blocks)) upright(x_pixel(blocks));
  if (marker_ > 0 && in_view(marker_)) {
    upright(x_pixel(marker_));
    out.boxes.push_back(reading_box());
  }
  for (const Measured& m : measured_) {
    const double x = x_pixel(m.blocks);
    const double top = std::min({y_pixel(m.high), y_pixel(m.low), y_pixel(m.gpu + m.host)}), bottom = std::max({y_pixel(m.high), y_pixel(m.low), y_pixel(m.gpu + m.host)});
    out.boxes.emplace_back(x - 6, top - 6, 12, bottom - top + 12);
  }
  for (const Edge& e : edges_) out.boxes.emplace_back(x_pixel(e.low) - 3, y_pixel(0.5) - 9, x_pixel(e.high) - x_pixel(e.low) + 6, 18);
  return out;
}

std::optional<QRectF> CliffChart::place_of_name(Source source, QSizeF size, const std::vector<CliffPoint>& shares, const Obstacles& obstacles) const {
  const QRectF r = area();
  std::vector<Column> columns;
  columns.reserve(shares.size());
  for (const CliffPoint& c : shares) {
    const double low = source == Source::gpu_hit ? 0 : source == Source::host_loaded ? c.gpu : c.gpu + c.host_high;
    const double high = source == Source::gpu_hit ? c.gpu : source == Source::host_loaded ? c.gpu + c.host_low : 1;
    columns.push_back({r.left() + 4 * double(columns.size()), y_pixel(high), y_pixel(low)});
  }
  // From the middle of the plot outwards, in the row and the column that leave most air on all sides.
  std::optional<QRectF> best;
  double most = -1e9;
  const int wide = int(std::ceil(size.width() / 4)) + 1;
  for (std::size_t i = 0; i + std::size_t(wide) <= columns.size(); i += 2) {
    double top = r.top(), bottom = r.bottom();
    for (std::size_t k = i; k < i + std::size_t(wide); ++k) {
      top = std::max(top, columns[k].top);
      bottom = std::min(bottom, columns[k].bottom);
    }
    if (bottom - top < size.height() + 8) continue;
    for (const double share : {0.5, 0.35, 0.65, 0.2, 0.8}) {
      const double y = top + 4 + (bottom - top - 8 - size.height()) * share;
      const QRectF box(columns[i].x + 2, y, size.width(), size.height());
      if (!is_clear(box.adjusted(-5, 0, 5, 0), obstacles)) continue;
      // Room to the sides counts until it is ample; beyond that the middle of the area's height decides.
      double left = 60, right = 60;
      for (const QRectF& o : obstacles.boxes) {
        if (o.bottom() < box.top() || o.top() > box.bottom()) continue;
        if (o.center().x() < box.left()) left = std::min(left, box.left() - o.right());
        else right = std::min(right, o.left() - box.right());
      }
      left = std::min(left, box.left() - r.left());
      right = std::min(right, r.right() - box.right());
      const double score = std::min(left, right) - 40 * std::fabs(share - 0.5) + 0.02 * (bottom - top) + 0.1 * std::min(left + right, 100.0);
      if (score <= most) continue;
      most = score;
      best = box;
    }
  }
  return best;
}

void CliffChart::paint_labels(QPainter& p) {
  names_.clear();
  if (shape_.points.empty()) return;
  struct Name {
    Source source;
    QString title, text;
  };
  const bool has_tier = tier();
  const Name names[] = {{Source::gpu_hit, tr("GPU hit"), has_tier && !shape_.over_capacity ? tr("the tier cannot help") : QString()},
                        {Source::host_loaded, tr("loaded from host"), tr("without the tier, computed again")},
                        {Source::computed, tr("computed"), shape_.over_capacity ? QString() : host_blocks_ > 0 ? tr("the tier gives nothing") : tr("every revisit, again")}};
  Obstacles taken = obstacles();
  // A measured cliff has its bars where the words of a ramp would stand; a trace has no one ramp.
  if (edges_.empty() && !shape_.over_capacity) {
    paint_ramp_label(p, false, has_tier ? tr("the cliff without the tier") : tr("the cliff"), taken);
    if (has_tier) paint_ramp_label(p, true, tr("the cliff with the tier"), taken);
  }
  const QRectF r = area();
  std::vector<CliffPoint> shares;  // every four pixels
  for (double x = r.left(); x <= r.right(); x += 4) shares.push_back(shape_.at(areas_->axis(QCPAxis::atBottom)->pixelToCoord(x)));
  const QFont big = theme().font(TextSize::Sentence), small = theme().font(TextSize::Chart);
  const QFontMetricsF mb(big), ms(small);
  for (const Name& n : names) {
    const double title = mb.horizontalAdvance(n.title) + 2, text = n.text.isEmpty() ? 0 : ms.horizontalAdvance(n.text) + 2;
    const double below = n.text.isEmpty() ? 0 : ms.height() + 2;
    auto box = place_of_name(n.source, {std::max(title, text), mb.height() + below}, shares, taken);
    const bool with_text = box && !n.text.isEmpty();
    if (!box) box = place_of_name(n.source, {title, mb.height()}, shares, taken);
    // Better small than without a name.
    QFont font = big;
    if (!box) {
      font = theme().font(TextSize::CardTitle);
      const QFontMetricsF mc(font);
      box = place_of_name(n.source, {mc.horizontalAdvance(n.title) + 2, mc.height()}, shares, taken);
    }
    if (!box) continue;
    taken.boxes.push_back(*box);
    names_.push_back(*box);
    p.setPen(theme().on(n.source));
    p.setFont(font);
    p.drawText(QRectF(box->left(), box->top(), box->width(), QFontMetricsF(font).height()), Qt::AlignCenter | Qt::TextSingleLine, n.title);
    if (!with_text) continue;
    p.setFont(small);
    p.drawText(QRectF(box->left(), box->top() + mb.height() + 2, box->width(), ms.height()), Qt::AlignCenter | Qt::TextSingleLine, n.text);
  }
}

void CliffChart::paint_ramp_label(QPainter& p, bool with_host, const QString& text, Obstacles& taken) {
  const double from = shape_.falls_below(with_host, 0.9), to = shape_.falls_below(with_host, 0.1);
  if (from < 0 || to <= from) return;
  const QPointF a(x_pixel(from), y_pixel(0.9)), b(x_pixel(to), y_pixel(0.1));
  const QFont f = theme().font(TextSize::Chart);
  const double width = QFontMetricsF(f).horizontalAdvance(text);
  const double mx = x_pixel(marker_);
  const double length = std::hypot(b.x() - a.x(), b.y() - a.y());
  if (width + 20 > length || b.x() - a.x() < 14 || (mx > a.x() - 24 && mx < b.x() + 24) || a.x() < area().left() || b.x() > area().right()) return;
  // A curve that bulges over the straight line between its ends would run through the words: they stand beyond it.
  double bulge = 0;
  for (double share = 0.8; share > 0.15; share -= 0.1) {
    const double straight = a.x() + (b.x() - a.x()) * (0.9 - share) / 0.8;
    bulge = std::max(bulge, (x_pixel(shape_.falls_below(with_host, share)) - straight) * (b.y() - a.y()) / length);
  }
  p.save();
  p.setRenderHint(QPainter::Antialiasing);
  p.translate((a + b) / 2);
  p.rotate(std::atan2(b.y() - a.y(), b.x() - a.x()) * 180 / M_PI);
  p.setPen(theme().on(with_host ? Source::computed : tier() ? Source::host_loaded : Source::computed));
  p.setFont(f);
  const QRectF words(-width / 2, -QFontMetricsF(f).height() - 5 - bulge, width + 2, QFontMetricsF(f).height());
  p.drawText(words, Qt::AlignCenter, text);
  p.restore();
  // Two lines along the words stand for them: other words come between neither.
  QTransform turn;
  turn.translate(((a + b) / 2).x(), ((a + b) / 2).y());
  turn.rotate(std::atan2(b.y() - a.y(), b.x() - a.x()) * 180 / M_PI);
  for (const double y : {words.top(), words.center().y(), words.bottom()}) taken.lines.push_back(turn.map(QPolygonF{QPointF(words.left(), y), QPointF(words.right(), y)}));
}

}  // namespace kvcliff::ui
