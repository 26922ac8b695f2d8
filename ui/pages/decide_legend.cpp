// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/decide_legend.h"

#include "ui/charts/scatter_base.h"

namespace kvcliff::ui {
namespace {
constexpr Source order[] = {Source::computed, Source::host_loaded, Source::gpu_hit};
QString name_of(int i) {
  const QString names[] = {QObject::tr("computed"), QObject::tr("host loaded"), QObject::tr("GPU hit")};
  return names[i];
}
}  // namespace

SourceLegend::SourceLegend(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  setAccessibleName(tr("Legend: circle computed, square host loaded, diamond GPU hit"));
  connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

QSize SourceLegend::sizeHint() const {
  const QFontMetrics m(theme_.font(TextSize::Chart));
  int w = 0;
  for (int i = 0; i < 3; ++i) w += m.horizontalAdvance(name_of(i)) + 32;
  return {w, theme_.px(20)};
}

void SourceLegend::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.setFont(theme_.font(TextSize::Chart));
  const QFontMetrics m(p.font());
  double x = 6;
  for (int i = 0; i < 3; ++i) {
    draw_mark(p, theme_, order[i], {x, height() / 2.0}, 9);
    p.setPen(theme_.color("text2"));
    p.drawText(QPointF(x + 10, height() / 2.0 + m.ascent() / 2.0 - 1), name_of(i));
    x += m.horizontalAdvance(name_of(i)) + 32;
  }
}

}  // namespace kvcliff::ui
