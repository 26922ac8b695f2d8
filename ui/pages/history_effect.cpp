// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/history_effect.h"

#include "ui/models/history_model.h"
#include "ui/theme/numbers.h"

namespace kvcliff::ui {

HistoryEffect::HistoryEffect(const Theme& theme, QWidget* parent)
    : Plot(theme, QStringLiteral("history.effect"), tr("Effect, side by side"), parent) {
  setMinimumHeight(theme.px(150));
  plotLayout()->clear();  // everything here is drawn by hand: one value axis, one row per run
  new PaintLayer(this, QStringLiteral("data"), [this](QPainter& p) { paint_axis(p); });
}

void HistoryEffect::show_runs(const std::vector<const HistoryRow*>& runs) {
  bars_.clear();
  QStringList spoken, caption;
  bool simulated = false;
  for (const HistoryRow* r : runs) {
    Bar b{r->number(), QString(), QString(), r->record.simulated, r->summary.ratio};
    b.note = r->record.simulated ? tr("simulated") : QString::fromStdString(r->summary.gpu.empty() ? r->record.model : r->summary.gpu);
    if (b.ratio) b.words = tr("%1 (%2 to %3)").arg(ratio(b.ratio->estimate), ratio(b.ratio->low), ratio(b.ratio->high));
    else b.words = r->summary.verdict == analysis::Verdict::withdrawn ? tr("withheld: withdrawn") : HistoryModel::verdict_word(r->summary);
    spoken << b.name + QLatin1Char(' ') + b.words;
    caption << tr("run %1, plan %2").arg(QString::fromStdString(r->record.uid), QString::fromStdString(r->record.plan_hash.substr(0, 12)));
    simulated |= r->record.simulated;
    bars_.push_back(std::move(b));
  }
  effect_ = !runs.empty() && runs.front()->plan ? runs.front()->plan->smallest_effect : 0.05;
  setAccessibleDescription(spoken.join(QStringLiteral("; ")));
  set_caption(caption.join(QStringLiteral("; ")));
  set_watermark(simulated ? tr("SIMULATED") : QString());
  refresh();
}

void HistoryEffect::paint_axis(QPainter& p) {
  const QRectF all = viewport();
  if (bars_.empty()) return;
  p.setRenderHint(QPainter::Antialiasing);
  const Theme& t = theme();
  const QFont small = t.font(TextSize::Chart), caption = t.font(TextSize::Caption);
  double left = t.px(70);
  QFont strong = small;
  strong.setWeight(QFont::DemiBold);
  for (const Bar& b : bars_)
    left = std::max({left, QFontMetricsF(strong).horizontalAdvance(b.name) + 24, std::min(QFontMetricsF(small).horizontalAdvance(b.note) + 24, t.px(150) * 1.0)});
  const QRectF plot(all.left() + left, all.top() + 16, all.width() - left - t.px(22), all.height() - 16 - t.px(42));
  double most = 1.25;
  for (const Bar& b : bars_)
    if (b.ratio) most = std::max(most, b.ratio->high * 1.1);
  const double step = most <= 1.5 ? 0.25 : most <= 3 ? 0.5 : std::pow(10, std::floor(std::log10(most / 3)));
  most = std::ceil(most / step - 1e-9) * step;
  const auto x = [&](double v) { return plot.left() + plot.width() * v / most; };

  p.fillRect(QRectF(QPointF(x(1 - effect_), plot.top()), QPointF(x(1 + effect_), plot.bottom())), t.color("hover"));
  p.setFont(small);
  for (double v = 0; v <= most + 1e-9; v += step) {
    p.setPen(QPen(t.color("grid"), 1));
    p.drawLine(QPointF(snap(p, x(v)) + 0.5, plot.top()), QPointF(snap(p, x(v)) + 0.5, plot.bottom()));
    p.setPen(t.color("text3"));
    p.drawText(QRectF(x(v) - 40, plot.bottom() + 4, 80, t.px(16)), Qt::AlignHCenter | Qt::AlignTop, QLocale().toString(v, 'g', 4));
  }
  p.setPen(QPen(t.color("text3"), 1.5));
  p.drawLine(QPointF(x(1), plot.top()), QPointF(x(1), plot.bottom()));
  p.drawLine(plot.bottomLeft(), plot.bottomRight());
  p.setFont(caption);
  p.drawText(QRectF(x(1) - 200, all.top(), 194, 15), Qt::AlignRight | Qt::AlignVCenter, tr("no effect"));
  p.setFont(small);
  p.drawText(QRectF(plot.left() - 200, plot.bottom() + t.px(20), plot.width() + 200, t.px(18)), Qt::AlignRight | Qt::AlignVCenter,
             tr("TTFT ratio on revisits, with the tier / without, 95 %"));

  const double row = std::min(t.px(52) * 1.0, plot.height() / double(bars_.size()));
  for (std::size_t i = 0; i < bars_.size(); ++i) {
    const Bar& b = bars_[i];
    const double y = plot.top() + row * (double(i) + 0.5);
    p.setFont(strong);
    p.setPen(t.color("text"));
    p.drawText(QRectF(all.left(), y - t.px(17), left - 12, t.px(17)), Qt::AlignLeft | Qt::AlignVCenter, b.name);
    p.setFont(caption);
    p.setPen(t.color(b.simulated ? "simulated" : "text2"));
    p.drawText(QRectF(all.left(), y, left - 12, t.px(15)), Qt::AlignLeft | Qt::AlignVCenter, QFontMetricsF(caption).elidedText(b.note, Qt::ElideRight, left - 12));
    p.setFont(small);
    const double words = QFontMetricsF(small).horizontalAdvance(b.words);
    double at = plot.left() + 6;
    if (b.ratio) {
      p.setPen(QPen(t.color("ink"), 2.5, Qt::SolidLine, Qt::FlatCap));
      p.drawLine(QPointF(x(b.ratio->low), y), QPointF(x(b.ratio->high), y));
      for (const double end : {b.ratio->low, b.ratio->high}) p.drawLine(QPointF(x(end), y - 5), QPointF(x(end), y + 5));
      p.setPen(Qt::NoPen);
      p.setBrush(t.color("ink"));
      p.drawEllipse(QPointF(x(b.ratio->estimate), y), 4.5, 4.5);
      at = x(b.ratio->high) + 10;
      if (at + words > plot.right()) at = x(b.ratio->low) - 10 - words;  // flips to the other side at the border
    }
    // A ground of its own: the words may stand on a grid line or on the strip.
    QColor ground = t.color("surface");
    ground.setAlphaF(0.8f);
    p.fillRect(QRectF(at - 3, y - t.px(9), words + 6, t.px(18)), ground);
    p.setPen(t.color(b.ratio ? "text" : "text3"));
    p.drawText(QRectF(at, y - t.px(9), words + 4, t.px(18)), Qt::AlignLeft | Qt::AlignVCenter, b.words);
  }
  draw_watermark(p, plot);
}

}  // namespace kvcliff::ui
