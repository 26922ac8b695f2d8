// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/scatter_chart.h"

#include "ui/charts/clip.h"
#include "ui/theme/numbers.h"

namespace kvcliff::ui {
namespace {

QSharedPointer<QCPAxisTickerText> token_ticks(double high) {
  const auto ticks = QSharedPointer<QCPAxisTickerText>::create();
  double step = std::pow(10, std::floor(std::log10(std::max(1.0, high / 4))));
  for (const double f : {1.0, 2.0, 5.0, 10.0})
    if (high / (step * f) <= 6) {
      step *= f;
      break;
    }
  for (double v = 0; v <= high; v += step) ticks->addTick(v, exact(qint64(std::llround(v))));
  return ticks;
}

}  // namespace

ComputedChart::ComputedChart(const Theme& theme, QWidget* parent)
    : PointPlot(theme, QStringLiteral("computedChart"), tr("TTFT against computed tokens"), parent) {
  x_title_ = tr("tokens computed");
  y_title_ = tr("TTFT, ms");
}

void ComputedChart::set_judged(const JudgedPtr& j) {
  std::vector<ChartMark> marks;
  double right = 1, top = 1;
  model_.reset();
  if (j) {
    model_ = j->evaluation.decision.ttft.model;
    for (int q = 0; q < int(j->measured.size()); ++q) {
      const RequestRecord& r = j->record(q);
      const auto t = r.stream.ttft();
      if (!t || *t <= 0 || !r.sources.computed.value) continue;
      const double c = double(r.sources.computed.value->v), ms = double(*t) * 1e-6;
      right = std::max(right, c);
      top = std::max(top, ms);
      marks.push_back({c, ms, TokenSourcesView::main_source(r.sources), q,
                       tr("%1: %2 tokens computed, %3 ms").arg(j->request_words(q), exact(r.sources.computed.value->v), QLocale().toString(ms, 'f', 3))});
    }
  }
  x_axis()->setTicker(token_ticks(right));
  set_home(QCPRange(-right * 0.04, right * 1.06), QCPRange(0, top * 1.12));
  set_marks(std::move(marks));
}

void ComputedChart::paint_below(QPainter& p) {
  if (!model_) return;
  // What computing alone costs, over the range that was fitted.
  QPolygonF line;
  const double low = model_->computed_low, high = model_->computed_high;
  for (int i = 0; i <= 100; ++i) {
    const double c = low + (high - low) * i / 100;
    line << pixel(c, model_->at(c, 0, 0));
  }
  p.setRenderHint(QPainter::Antialiasing);
  p.setPen(QPen(theme().color("text3"), 1.5, Qt::DashLine));
  p.setBrush(Qt::NoBrush);
  for (const QPolygonF& part : line_inside(line, rect()->rect())) p.drawPolyline(part);
}

QString ComputedChart::words_at(double x, double y) const {
  return tr("%1 tokens, %2 ms").arg(exact(qint64(std::llround(std::max(0.0, x)))), QLocale().toString(y, 'f', 1));
}

PredictedChart::PredictedChart(const Theme& theme, QWidget* parent)
    : PointPlot(theme, QStringLiteral("predictedChart"), tr("Predicted against measured tokens, by source"), parent) {
  x_title_ = tr("tokens predicted");
  y_title_ = tr("tokens measured");
}

void PredictedChart::set_judged(const JudgedPtr& j) {
  std::vector<ChartMark> marks;
  high_ = 1;
  off_ = without_ = 0;
  if (j)
    for (int q = 0; q < int(j->measured.size()); ++q) {
      const RequestRecord& r = j->record(q);
      const auto& p = r.plan.predicted;
      if (p.computed.max <= 0) {
        ++without_;
        continue;
      }
      const CheckResult* check = j->measured[std::size_t(q)]->find("R13");
      if (check && check->state == CheckState::fail) ++off_;
      const auto put = [&](Source s, const MeasuredTokens& m, const PredictedCount& c, const QString& name) {
        if (!m.value) return;
        high_ = std::max({high_, c.mean, double(m.value->v)});
        marks.push_back({c.mean, double(m.value->v), s, q,
                         tr("%1: %2, predicted %3, measured %4").arg(j->request_words(q), name, QLocale().toString(c.mean, 'f', c.is_exact() ? 0 : 1), exact(m.value->v))});
      };
      put(Source::gpu_hit, r.sources.gpu_hit, p.gpu_hit, tr("GPU hit"));
      put(Source::host_loaded, r.sources.host_loaded, p.host_loaded, tr("host loaded"));
      put(Source::computed, r.sources.computed, p.computed, tr("computed"));
    }
  x_axis()->setTicker(token_ticks(high_));
  y_axis()->setTicker(token_ticks(high_));
  set_home(QCPRange(-high_ * 0.05, high_ * 1.08), QCPRange(-high_ * 0.05, high_ * 1.08));
  set_marks(std::move(marks));
}

void PredictedChart::paint_below(QPainter& p) {
  p.setRenderHint(QPainter::Antialiasing);
  p.setPen(QPen(theme().color("text3"), 1.5, Qt::DashLine));
  // Cut by hand: drawings for SVG know no clipping.
  const double low = std::max(x_axis()->range().lower, y_axis()->range().lower), high = std::min(x_axis()->range().upper, y_axis()->range().upper);
  if (low < high) p.drawLine(pixel(low, low), pixel(high, high));
}

void PredictedChart::paint_above(QPainter& p) {
  const QRectF r = rect()->rect();
  p.setFont(theme().font(TextSize::Chart));
  const bool whole = off_ == 0;
  p.setPen(theme().color(whole ? "text2" : "fail"));
  QString words = whole ? tr("every point on the diagonal (R13)") : tr("%1 requests are not as predicted (R13)").arg(exact(off_));
  if (without_ > 0) words += tr(", %1 without a prediction").arg(exact(without_));
  p.drawText(r.adjusted(8, 4, -8, 0), Qt::AlignTop | Qt::AlignLeft, words);
}

QString PredictedChart::words_at(double x, double y) const {
  return tr("predicted %1, measured %2 tokens").arg(exact(qint64(std::llround(std::max(0.0, x)))), exact(qint64(std::llround(std::max(0.0, y)))));
}

}  // namespace kvcliff::ui
