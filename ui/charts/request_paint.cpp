// SPDX-License-Identifier: GPL-3.0-or-later
// The drawing of the request chart: bars and dots while each request has a slot of its own, columns under that.
#include <cmath>

#include "ui/charts/request_view.h"
#include "ui/theme/numbers.h"

namespace kvcliff::ui {
namespace {

constexpr double own_slot = 2;      ///< px; narrower requests are drawn as columns
constexpr double edged_slot = 5;    ///< px; from here on bars have an edge and a gap
constexpr double column_px = 2;
constexpr std::array<Source, 4> stack = {Source::gpu_hit, Source::host_loaded, Source::computed, Source::unknown};

// Heights of the parts of one bar: what is not 0 shows at least 1.5 px, taken from the largest part.
std::array<double, 4> heights(const std::array<double, 4>& tokens, double per_px) {
  std::array<double, 4> h{};
  double added = 0;
  std::size_t largest = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    h[i] = std::max(0.0, tokens[i]) / per_px;
    if (h[i] > h[largest]) largest = i;
    if (tokens[i] > 0 && h[i] < 1.5) {
      added += 1.5 - h[i];
      h[i] = 1.5;
    }
  }
  h[largest] = std::max(1.5 * (tokens[largest] > 0), h[largest] - added);
  return h;
}

// Hatching as segments cut to the shape: right on screen, in SVG and in PDF alike.
void hatch(QPainter& p, const QRectF& r, const QColor& color) {
  p.setPen(QPen(color, 1));
  constexpr double pitch = 5;
  for (double d = pitch - std::fmod(r.left() + r.bottom(), pitch); d < r.width() + r.height(); d += pitch) {
    const double x0 = std::max(0.0, d - r.height()), x1 = std::min(r.width(), d);
    if (x1 > x0) p.drawLine(QPointF(r.left() + x0, r.bottom() - (d - x0)), QPointF(r.left() + x1, r.bottom() - (d - x1)));
  }
}

void marker(QPainter& p, Source s, const QPointF& c, double r) {
  switch (s) {
    case Source::computed: p.drawEllipse(c, r, r); break;
    case Source::host_loaded: p.drawRect(QRectF(c.x() - r, c.y() - r, 2 * r, 2 * r)); break;
    case Source::gpu_hit: p.drawPolygon(QPolygonF({{c.x(), c.y() - 1.3 * r}, {c.x() + 1.3 * r, c.y()}, {c.x(), c.y() + 1.3 * r}, {c.x() - 1.3 * r, c.y()}})); break;
    case Source::unknown:
      p.drawLine(c + QPointF(-r, -r), c + QPointF(r, r));
      p.drawLine(c + QPointF(-r, r), c + QPointF(r, -r));
      break;
  }
}

}  // namespace

RequestChart::View RequestChart::view(const QPainter* p) const {
  View v;
  v.scale = p ? std::max(0.25, p->deviceTransform().m11()) : devicePixelRatioF();
  v.bars = bars_->rect();
  v.times = times_->rect();
  if (!data_ || data_->requests.empty()) return v;
  const std::size_t n = data_->requests.size();
  v.first = std::min(n - 1, std::size_t(std::max(0.0, from_)));
  v.last = std::clamp(std::size_t(std::ceil(to_)), v.first + 1, n);
  v.from = scale_.position(v.first) + (from_ - double(v.first));
  const double to = whole_ ? scale_.axis_end : scale_.position(v.last - 1) + 1;
  v.per_unit = v.bars.width() / std::max(1e-9, to - v.from);
  // Whole device pixels where a request has its own slot: bars must not change width by a pixel from one to the next.
  if (v.per_unit >= own_slot && whole_) v.per_unit = std::max(own_slot, std::floor(v.per_unit * v.scale) / v.scale);
  v.tokens_per_px = bars_->axis(QCPAxis::atLeft)->range().upper / std::max(1.0, v.bars.height());
  v.ms_per_px = times_->axis(QCPAxis::atLeft)->range().upper / std::max(1.0, v.times.height());
  return v;
}

void RequestChart::paint_data(QPainter& p) {
  const View v = view(&p);
  QString words;
  p.setPen(QPen(theme().color("text3"), v.edge()));
  for (const QRectF& r : {v.bars, v.times}) p.drawLine(QPointF(r.left(), r.bottom() + 1), QPointF(r.right(), r.bottom() + 1));
  if (data_ && !data_->requests.empty()) {
    paint_sessions(p, v);
    if (v.slot() >= own_slot) {
      paint_bars(p, v);
      paint_dots(p, v);
      data_->dirty_low = data_->dirty_high = 0;
    } else {
      const auto per = std::max<std::size_t>(1, std::size_t(std::ceil(column_px / v.slot())));
      columns_.update(*data_, scale_, v.first, v.last, per);
      words = tr("one column = %1 requests").arg(exact(qint64(per)));
      paint_columns(p, v);
      paint_column_times(p, v);
    }
  }
  if (words != detail_) {
    detail_ = words;
    emit detail_changed(words);
  }
}

void RequestChart::paint_bars(QPainter& p, const View& v) {
  const bool edged = v.slot() >= edged_slot;
  const double edge = v.edge();
  const double width = edged ? std::max(2 * edge, v.snap(v.slot() * 0.78)) : v.slot();
  const double base = v.bars.bottom() + 1;
  std::array<QVector<QRectF>, 4> fills, tints;
  std::array<QVector<QRectF>, 3> outlines, dashed;
  QVector<QRectF> failures;
  for (std::size_t i = v.first; i < v.last; ++i) {
    const RunRequest& r = data_->requests[i];
    const double x0 = v.snap(v.x(scale_.position(i)));
    const double w = edged ? width : v.snap(v.x(scale_.position(i)) + v.slot()) - x0;
    const bool done = r.state == RequestState::Done;
    if (done && (r.measured() || r.prompt_tokens > 0)) {
      std::array<double, 4> tokens{};
      for (std::size_t k = 0; k < 4; ++k) tokens[k] = double(std::max<std::int64_t>(0, r.tokens[k]));
      if (!r.measured()) tokens[3] = double(r.prompt_tokens);
      const auto h = heights(tokens, v.tokens_per_px);
      double sum = 0;
      for (const Source s : stack) {
        const auto k = std::size_t(s);
        if (h[k] <= 0) continue;
        const double bottom = v.snap(base - sum);
        sum += h[k];
        const double top = v.snap(base - sum);
        fills[k].append(QRectF(x0, top, w, std::max(edge, bottom - top)));
      }
    }
    if (r.has_prediction() && edged) {
      const auto h = heights({r.predicted[0], r.predicted[1], r.predicted[2], 0}, v.tokens_per_px);
      double sum = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        if (h[k] <= 0) continue;
        const double bottom = v.snap(base - sum);
        sum += h[k];
        const QRectF box(x0, v.snap(base - sum), w, bottom - v.snap(base - sum));
        if (done) outlines[k].append(box);
        else {
          dashed[k].append(box);
          tints[k].append(box);
        }
      }
    } else if (r.has_prediction() && !done) {
      const double top = v.snap(base - v.token_height(r.predicted[0] + r.predicted[1] + r.predicted[2]));
      tints[std::size_t(r.predicted_source())].append(QRectF(x0, top, w, base - top));
    }
    if (r.failed()) failures.append(QRectF(x0, v.bars.top(), w, base - v.bars.top()));
  }
  p.setRenderHint(QPainter::Antialiasing, false);
  p.setPen(Qt::NoPen);
  for (std::size_t k = 0; k < 4; ++k) {
    QColor tint = theme().fill(Source(k));
    tint.setAlphaF(0.13f);
    p.setBrush(tint);
    p.drawRects(tints[k]);
    if (Source(k) == Source::unknown) {
      p.setBrush(theme().color("surface"));
      p.drawRects(fills[k]);
      for (const QRectF& r : fills[k]) hatch(p, r, theme().edge(Source::unknown));
      p.setPen(Qt::NoPen);
      continue;
    }
    p.setBrush(edged ? theme().edge(Source(k)) : theme().fill(Source(k)));
    p.drawRects(fills[k]);
    if (!edged) continue;
    p.setBrush(theme().fill(Source(k)));
    for (QRectF& r : fills[k]) r.adjust(edge, std::min(edge, r.height() / 3), -edge, -std::min(edge, r.height() / 3));
    p.drawRects(fills[k]);
  }
  p.setBrush(Qt::NoBrush);
  const auto strokes = [&](const QVector<QRectF>& boxes, const QColor& color, bool dash) {
    QPen pen(color, edge);
    pen.setCapStyle(Qt::FlatCap);
    if (dash) pen.setDashPattern({2, 2});
    p.setPen(pen);
    for (const QRectF& b : boxes) p.drawRect(b.adjusted(edge / 2, edge / 2, -edge / 2, -edge / 2));
  };
  for (std::size_t k = 0; k < 3; ++k) {
    strokes(outlines[k], theme().edge(Source(k)), false);
    strokes(dashed[k], theme().edge(Source(k)), true);
  }
  strokes(failures, theme().color("fail"), true);
  for (std::size_t i = v.first; i < v.last; ++i) {
    const RunRequest& r = data_->requests[i];
    if (!r.missed && !r.failed()) continue;
    paint_fault(p, v.x(scale_.position(i)) + width / 2, v.bars.top(), r.missed && edged ? signed_exact(r.residual) : QString());
  }
}

void RequestChart::paint_fault(QPainter& p, double x, double top, const QString& words) const {
  p.setRenderHint(QPainter::Antialiasing);
  p.setPen(Qt::NoPen);
  p.setBrush(theme().color("fail"));
  p.drawPolygon(QPolygonF({{x - 4, top - 1}, {x + 4, top - 1}, {x, top - 8}}));
  if (!words.isEmpty()) {
    p.setPen(theme().color("fail"));
    p.setFont(theme().font(TextSize::Step));
    p.drawText(QRectF(x - 40, top - 22, 80, 13), Qt::AlignCenter, words);
  }
  p.setRenderHint(QPainter::Antialiasing, false);
}

void RequestChart::paint_dots(QPainter& p, const View& v) {
  const double r = std::clamp(v.slot() * 0.36, 1.0, 4.0);
  const double bar = v.slot() >= edged_slot ? v.snap(v.slot() * 0.78) : v.slot();
  // Predictions first, as dashes: a dot on its dash hides all but its ends.
  if (v.slot() >= edged_slot) {
    p.setRenderHint(QPainter::Antialiasing, false);
    for (std::size_t i = v.first; i < v.last; ++i) {
      const RunRequest& q = data_->requests[i];
      if (q.predicted_ttft_ns < 0) continue;
      const double x = v.snap(v.x(scale_.position(i))), y = v.snap(v.ms_y(double(q.predicted_ttft_ns) * 1e-6));
      if (y < v.times.top() || y > v.times.bottom()) continue;
      p.fillRect(QRectF(x, y, bar, 1.5), theme().edge(q.predicted_source()));
    }
  }
  p.setRenderHint(QPainter::Antialiasing, r > 1.5);
  for (std::size_t k = 0; k < 4; ++k) {
    const Source s = Source(k);
    p.setPen(QPen(theme().edge(s), s == Source::unknown ? 1.6 : 1));
    p.setBrush(s == Source::unknown ? QBrush(Qt::NoBrush) : QBrush(theme().fill(s)));
    for (std::size_t i = v.first; i < v.last; ++i) {
      const RunRequest& q = data_->requests[i];
      if (q.ttft_ns < 0) continue;
      // Until the counters settle the source is the predicted one, drawn hollow.
      const bool settled = q.state == RequestState::Done;
      if ((settled ? q.main_source() : q.predicted_source()) != s) continue;
      if (!settled) p.setBrush(theme().color("surface"));
      marker(p, s, QPointF(v.x(scale_.position(i)) + bar / 2, v.ms_y(double(q.ttft_ns) * 1e-6)), r);
      if (!settled && s != Source::unknown) p.setBrush(theme().fill(s));
    }
  }
}

void RequestChart::paint_columns(QPainter& p, const View& v) {
  const double base = v.bars.bottom() + 1;
  std::array<QVector<QRectF>, 4> fills, tints;
  QVector<QRectF> unknowns;
  QVector<double> faults;
  for (const Column& c : columns_.update(*data_, scale_, v.first, v.last, std::max<std::size_t>(1, std::size_t(std::ceil(column_px / v.slot()))))) {
    const double x0 = v.snap(v.x(scale_.position(c.first)));
    const double x1 = std::max(x0 + 1 / v.scale, v.snap(v.x(scale_.position(c.last - 1) + 1)));
    if (c.measured > 0) {
      // The running sum is rounded, not each part, so that no gap flickers at the top.
      double sum = 0, bottom = base;
      for (const Source s : stack) {
        const auto k = std::size_t(s);
        if (c.mean[k] <= 0) continue;
        sum += c.mean[k];
        const double top = v.snap(base - v.token_height(sum));
        fills[k].append(QRectF(x0, top, x1 - x0, std::max(1 / v.scale, bottom - top)));
        bottom = top;
      }
    } else if (c.with_prediction > 0) {
      double sum = 0, bottom = base;
      for (std::size_t k = 0; k < 3; ++k) {
        if (c.predicted[k] <= 0) continue;
        sum += c.predicted[k];
        const double top = v.snap(base - v.token_height(sum));
        tints[k].append(QRectF(x0, top, x1 - x0, bottom - top));
        bottom = top;
      }
    }
    if (c.unknown > 0) unknowns.append(QRectF(x0, v.bars.top(), std::max(2.0, x1 - x0), 4));
    if (c.failed > 0 || c.missed > 0) faults.append((x0 + x1) / 2);
  }
  p.setPen(Qt::NoPen);
  for (std::size_t k = 0; k < 4; ++k) {
    p.setBrush(k == 3 ? theme().color("unknown") : theme().fill(Source(k)));
    p.drawRects(fills[k]);
    QColor tint = theme().fill(Source(k));
    tint.setAlphaF(0.2f);
    p.setBrush(tint);
    p.drawRects(tints[k]);
  }
  p.setBrush(theme().edge(Source::unknown));
  p.drawRects(unknowns);
  for (const double x : faults) paint_fault(p, x, v.bars.top(), {});
}

void RequestChart::paint_column_times(QPainter& p, const View& v) {
  std::array<QVector<QRectF>, 4> ranges, medians;
  for (const Column& c : columns_.update(*data_, scale_, v.first, v.last, std::max<std::size_t>(1, std::size_t(std::ceil(column_px / v.slot()))))) {
    const double x0 = v.snap(v.x(scale_.position(c.first)));
    const double width = std::max(1 / v.scale, v.snap(v.x(scale_.position(c.last - 1) + 1)) - x0);
    for (std::size_t k = 0; k < 4; ++k) {
      const TimeSpread& t = c.times[k];
      if (t.count == 0) continue;
      const double high = v.snap(v.ms_y(double(t.high) * 1e-6)), low = v.snap(v.ms_y(double(t.low) * 1e-6));
      ranges[k].append(QRectF(x0, high, width, std::max(1 / v.scale, low - high)));
      medians[k].append(QRectF(x0, v.snap(v.ms_y(double(t.median) * 1e-6)) - 1, width, 2));
    }
  }
  p.setPen(Qt::NoPen);
  for (std::size_t k = 0; k < 4; ++k) {
    QColor pale = k == 3 ? theme().color("unknown") : theme().fill(Source(k));
    pale.setAlphaF(0.45f);
    p.setBrush(pale);
    p.drawRects(ranges[k]);
    p.setBrush(theme().edge(Source(k)));
    p.drawRects(medians[k]);
  }
}

}  // namespace kvcliff::ui
