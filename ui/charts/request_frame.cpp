// SPDX-License-Identifier: GPL-3.0-or-later
// What stands around the bars: session gaps, rounds, axis titles; and what lies above them: marks of the running and the
// chosen request, crosshair, rubber band, watermark.
#include <cmath>

#include "ui/charts/request_view.h"
#include "ui/theme/numbers.h"

namespace kvcliff::ui {

void RequestChart::paint_sessions(QPainter& p, const View& v) {
  QFont bold = theme().font(TextSize::Chart);
  bold.setWeight(QFont::DemiBold);
  const QFont plain = theme().font(TextSize::Chart);
  const QFontMetricsF mb(bold), mp(plain);
  double numbers_end = -1e9, names_end = -1e9;
  bool first_seen = true;
  std::size_t k = 0;
  for (std::size_t session = 0; session < data_->sessions.size(); ++session) {
    const RunSession& s = data_->sessions[session];
    if (s.count == 0) continue;
    ++k;
    const double a = v.x(scale_.position(s.first)), b = v.x(scale_.position(s.first + s.count - 1) + 1);
    if (b < v.bars.left() || a > v.bars.right() + 1) continue;
    if (!first_seen || a > v.bars.left() + 4) {
      const double x = v.snap(a - scale_.gap * v.per_unit / 2) + 0.5 / v.scale;
      if (k > 1 && x > v.bars.left()) {
        QPen dots(theme().color("line2"), v.edge());
        dots.setDashPattern({2, 3});
        p.setPen(dots);
        p.drawLine(QPointF(x, v.bars.top() - 22), QPointF(x, v.times.bottom()));
      }
    }
    first_seen = false;
    const double from = std::max(a, v.bars.left()), to = std::min(b, v.bars.right() + 1);
    p.setFont(bold);
    p.setPen(theme().color("text"));
    // A name that is wider than its session takes what the one before left of the gap, and behind the last all there is.
    const bool final = s.first + s.count >= data_->requests.size();
    const double low = std::max(names_end + 8, from - scale_.gap * v.per_unit), high = final ? double(viewport().right()) - 4 : to + scale_.gap * v.per_unit * 0.3;
    const QString name = mb.elidedText(s.arm, Qt::ElideMiddle, std::max(0.0, high - low));
    const double width = mb.horizontalAdvance(name);
    if (to - from > 10 || name.size() > 2) {
      const double left = std::clamp((from + to - width) / 2, low, std::max(low, high - width));
      p.drawText(QPointF(left, v.bars.top() - 25 + (16 + mb.ascent() - mb.descent()) / 2), name);
      names_end = left + width;
    }
    paint_rounds(p, v, session);
    // Numbers of the first request and of the one in the middle, where they fit.
    p.setFont(plain);
    p.setPen(theme().color("text3"));
    const bool last = s.first + s.count >= data_->requests.size();
    for (const std::size_t i : {s.first, s.first + s.count / 2, last ? s.first + s.count - 1 : s.first}) {
      if (i < v.first || i >= v.last) continue;
      const QString text = exact(qint64(i) + 1);
      const double x = v.x(scale_.position(i) + 0.4), half = number_width(plain, text) / 2;
      if (x - half < numbers_end + 8 || x + half > v.bars.right() + 13) continue;
      draw_number(p, QRectF(x - half, v.times.bottom() + 6, 2 * half, mp.height()), Qt::AlignLeft | Qt::AlignTop, text);
      numbers_end = x + half;
    }
  }
}

void RequestChart::paint_rounds(QPainter& p, const View& v, std::size_t session) {
  const RunSession& s = data_->sessions[session];
  const std::size_t from = std::max(s.first, v.first), to = std::min(s.first + s.count, v.last);
  if (to <= from || to - from > 4000) return;
  const QFont f = theme().font(TextSize::Caption);
  const QFontMetricsF m(f);
  p.setFont(f);
  for (std::size_t i = from; i < to;) {
    const int round = data_->requests[i].round;
    std::size_t j = i + 1;
    while (j < to && data_->requests[j].round == round) ++j;
    const double a = v.snap(v.x(scale_.position(i))), b = v.snap(v.x(scale_.position(j - 1) + 0.9));
    const double y = v.bars.bottom() + 6;
    if (round > 0 && b - a >= 10) {
      p.setPen(QPen(theme().color("line2"), v.edge()));
      p.drawLine(QPointF(a, y), QPointF(b, y));
      QString text = tr("round %1").arg(round);
      if (m.horizontalAdvance(text) > b - a) text = QString::number(round);
      p.setPen(theme().color("text3"));
      if (m.horizontalAdvance(text) <= b - a + 4) p.drawText(QRectF(a - 20, y + 2, b - a + 40, m.height()), Qt::AlignCenter, text);
    }
    i = j;
  }
}

void RequestChart::paint_axis_titles(QPainter& p, const View& v) {
  p.setFont(theme().font(TextSize::Chart));
  p.setPen(theme().color("text2"));
  const QFontMetricsF m(p.font());
  const auto vertical = [&](const QRectF& box, const QString& text) {
    p.save();
    p.translate(12, box.center().y());
    p.rotate(-90);
    p.drawText(QRectF(-150, -m.height() / 2, 300, m.height()), Qt::AlignCenter, text);
    p.restore();
  };
  vertical(v.bars, tr("prompt tokens"));
  vertical(v.times, tr("TTFT, ms"));
}

void RequestChart::paint_over(QPainter& p) {
  const View v = view(&p);
  if (!data_ || data_->requests.empty()) return;
  if (data_->simulated) {
    // On screen as a kept picture, in exports as a path.
    const QRectF plot = v.bars.united(v.times);
    const bool export_now = p.device() != nullptr && p.device()->devType() != QInternal::Pixmap && p.device()->devType() != QInternal::Widget;
    if (export_now || plot.height() < 200) {
      draw_watermark(p, plot);
    } else {
      const QSize size = (plot.size() * v.scale).toSize();
      if (mark_.isNull() || mark_size_ != size || mark_dark_ != theme().dark()) {
        mark_ = QPixmap(size);
        mark_.setDevicePixelRatio(v.scale);
        mark_.fill(Qt::transparent);
        QPainter q(&mark_);
        draw_watermark(q, QRectF(QPointF(0, 0), plot.size()));
        mark_size_ = size;
        mark_dark_ = theme().dark();
      }
      p.drawPixmap(plot.topLeft(), mark_);
    }
  }
  const auto middle = [&](std::int64_t i) {
    return v.x(scale_.position(std::size_t(i))) + (v.slot() >= 5 ? v.snap(v.slot() * 0.78) / 2 : v.slot() / 2);
  };
  const auto seen = [&](std::int64_t i) { return i >= 0 && std::size_t(i) >= v.first && std::size_t(i) < v.last; };
  const auto line = [&](std::int64_t i, const QColor& color, double width) {
    const double x = v.snap(middle(i)) + 0.5 / v.scale;
    p.setPen(QPen(color, width));
    p.drawLine(QPointF(x, v.bars.top() - 4), QPointF(x, v.times.bottom()));
  };
  if (seen(selected_)) {
    QColor band = theme().color("ink");
    band.setAlphaF(0.10f);
    const double w = std::max(3.0, v.slot());
    p.fillRect(QRectF(middle(selected_) - w / 2 - 1, v.bars.top() - 4, w + 2, v.times.bottom() - v.bars.top() + 4), band);
    if (hasFocus()) {
      p.setPen(QPen(theme().color("ink"), 2));
      p.drawRect(QRectF(middle(selected_) - w / 2 - 2, v.bars.top() - 4, w + 4, v.times.bottom() - v.bars.top() + 5));
    }
  }
  if (seen(pinned_)) line(pinned_, theme().color("text2"), 1);
  if (seen(cross_)) line(cross_, theme().color("text3"), 1);
  const std::int64_t now = data_->live ? data_->newest : -1;
  if (seen(now) && data_->requests[std::size_t(now)].state != RequestState::Planned) {
    const RunRequest& r = data_->requests[std::size_t(now)];
    const double x = middle(now);
    if (r.state != RequestState::Done) line(now, theme().color("text3"), 1);
    p.setRenderHint(QPainter::Antialiasing);
    p.setPen(Qt::NoPen);
    p.setBrush(theme().color("ink"));
    p.drawPolygon(QPolygonF({{x - 4.5, v.bars.top() - 8}, {x + 4.5, v.bars.top() - 8}, {x, v.bars.top() - 2}}));
    if (r.ttft_ns >= 0) {
      p.setPen(QPen(theme().color("ink"), 2));
      p.setBrush(Qt::NoBrush);
      p.drawEllipse(QPointF(x, v.ms_y(double(r.ttft_ns) * 1e-6)), 5.5, 5.5);
    }
    p.setRenderHint(QPainter::Antialiasing, false);
  }
  if (drag_from_ && drag_to_) {
    const double a = std::max(v.bars.left(), std::min(*drag_from_, *drag_to_)), b = std::min(v.bars.right(), std::max(*drag_from_, *drag_to_));
    QColor band = theme().color("ink");
    band.setAlphaF(0.12f);
    p.fillRect(QRectF(a, v.bars.top(), b - a, v.times.bottom() - v.bars.top()), band);
  }
  if (hasFocus() && selected_ < 0) {
    p.setPen(QPen(theme().color("ink"), 2));
    p.setBrush(Qt::NoBrush);
    p.drawRect(QRectF(viewport()).adjusted(1, 1, -1, -1));
  }
}

}  // namespace kvcliff::ui
