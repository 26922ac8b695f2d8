// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/decide_interval.h"

#include "ui/theme/numbers.h"

namespace kvcliff::ui {

IntervalStrip::IntervalStrip(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  setObjectName(QStringLiteral("decide.interval"));
  setAccessibleName(tr("Ratio of TTFT, with over without the tier, with its 95 % interval"));
  setFixedHeight(theme.px(96));
  setMinimumWidth(240);
  connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void IntervalStrip::set(const std::optional<analysis::Interval>& ratio, double smallest, const QString& why) {
  ratio_ = ratio;
  smallest_ = smallest;
  why_ = why;
  setToolTip(ratio ? tr("Estimate %1, 95 % interval %2 to %3. Inside %4 to %5 is no effect.")
                         .arg(kvcliff::ui::ratio(ratio->estimate, 3), kvcliff::ui::ratio(ratio->low, 3), kvcliff::ui::ratio(ratio->high, 3),
                              kvcliff::ui::ratio(1 - smallest, 2), kvcliff::ui::ratio(1 + smallest, 2))
                   : why);
  setAccessibleDescription(toolTip());
  update();
}

void IntervalStrip::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.setFont(theme_.font(TextSize::Chart));
  const QFontMetricsF m(p.font());
  if (!ratio_) {
    p.setPen(theme_.color("text3"));
    p.drawText(QRectF(rect()), Qt::AlignRight | Qt::AlignVCenter | Qt::TextWordWrap, why_);
    return;
  }
  // The axis starts at 0 and holds the whole interval; one step of 0.5 more than needed at most.
  const double right = std::max(1.5, std::ceil((ratio_->high + 0.1) * 2) / 2);
  const double shown = std::min(right, 6.0);
  const QRectF band(14, m.height() + 6, width() - 28, theme_.px(28));
  const auto x = [&](double v) { return band.left() + band.width() * std::clamp(v, 0.0, shown) / shown; };
  const double low = x(1 - smallest_), high = x(1 + smallest_);
  p.fillRect(QRectF(band.left(), band.top(), low - band.left(), band.height()), theme_.color("pass_bg"));
  p.fillRect(QRectF(low, band.top(), high - low, band.height()), theme_.color("notpossible_bg"));
  p.fillRect(QRectF(high, band.top(), band.right() - high, band.height()), theme_.color("fail_bg"));
  p.setPen(QPen(theme_.color("text3"), 1));
  const double one = std::floor(x(1)) + 0.5;
  p.drawLine(QPointF(one, band.top()), QPointF(one, band.bottom()));

  QFont bold = p.font();
  bold.setWeight(QFont::DemiBold);
  p.setFont(bold);
  const QFontMetricsF mb(bold);
  const QString none = tr("no effect"), helps = tr("helps"), hurts = tr("hurts");
  const double wn = mb.horizontalAdvance(none), wh = mb.horizontalAdvance(helps), wu = mb.horizontalAdvance(hurts);
  // "hurts" stands in its zone where there is room, else right of "no effect".
  const double none_left = std::clamp((low + high - wn) / 2, 0.0, width() - wn - wu - 10);
  const double hurts_left = std::clamp(std::max((high + band.right() - wu) / 2, none_left + wn + 10), 0.0, width() - wu);
  const double helps_left = std::min((band.left() + low - wh) / 2, none_left - wh - 10);
  const double y = m.ascent();
  p.setPen(theme_.color("pass"));
  p.drawText(QPointF(std::max(0.0, helps_left), y), helps);
  p.setPen(theme_.color("notpossible"));
  p.drawText(QPointF(none_left, y), none);
  p.setPen(theme_.color("fail"));
  p.drawText(QPointF(hurts_left, y), hurts);

  p.setFont(theme_.font(TextSize::Chart));
  p.setPen(theme_.color("text3"));
  const double step = shown > 3 ? 1 : 0.5;
  for (double v = 0; v <= shown + 1e-9; v += step) {
    const double at = std::floor(x(v)) + 0.5;
    p.drawLine(QPointF(at, band.bottom()), QPointF(at, band.bottom() + 4));
    const QString t = QLocale().toString(v, 'g', 2);
    const double w = m.horizontalAdvance(t);
    p.drawText(QPointF(std::clamp(at - w / 2, 0.0, width() - w), band.bottom() + 4 + m.ascent()), t);
  }
  p.setPen(theme_.color("text2"));
  p.drawText(QRectF(0, band.bottom() + 6 + m.height(), width(), m.height()), Qt::AlignCenter, tr("TTFT with the tier / without"));

  p.setRenderHint(QPainter::Antialiasing);
  const double c = band.center().y();
  p.setPen(QPen(theme_.color("ink"), 2.5));
  p.drawLine(QPointF(x(ratio_->low), c), QPointF(x(ratio_->high), c));
  for (const double v : {ratio_->low, ratio_->high}) p.drawLine(QPointF(x(v), c - 5), QPointF(x(v), c + 5));
  p.setPen(Qt::NoPen);
  p.setBrush(theme_.color("ink"));
  // Between ends that are close together the dot stays apart from both, or goes.
  const double dot = std::min({4.5, x(ratio_->estimate) - x(ratio_->low) - 3, x(ratio_->high) - x(ratio_->estimate) - 3});
  if (dot >= 2) p.drawEllipse(QPointF(x(ratio_->estimate), c), dot, dot);
}

}  // namespace kvcliff::ui
