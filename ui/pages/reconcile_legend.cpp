// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/reconcile_legend.h"

#include <QPainterPath>

namespace kvcliff::ui {
namespace {
const char* const grounds[] = {"pass_bg", "fail", "notpossible_bg", "notsettled_bg"};
QString name_of(int i) {
  const QString names[] = {QObject::tr("pass"), QObject::tr("fail"), QObject::tr("not possible"), QObject::tr("not settled"), QObject::tr("blank: not applicable")};
  return names[i];
}
}  // namespace

MatrixLegend::MatrixLegend(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  setAccessibleName(tr("Legend: dot pass, cross fail, dash not possible, wave not settled, blank not applicable"));
  connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

QSize MatrixLegend::sizeHint() const {
  const QFontMetrics m(theme_.font(TextSize::Chart));
  int w = 0;
  for (int i = 0; i < 5; ++i) w += m.horizontalAdvance(name_of(i)) + (i < 4 ? 18 : 0) + 14;
  return {w, theme_.px(20)};
}

void MatrixLegend::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.setFont(theme_.font(TextSize::Chart));
  const QFontMetrics m(p.font());
  double x = 0;
  for (int i = 0; i < 5; ++i) {
    const QRectF box(x, height() / 2.0 - 5.5, 11, 11);
    const QPointF c = box.center();
    if (i < 4) {
      p.setRenderHint(QPainter::Antialiasing, false);
      p.fillRect(box, theme_.color(grounds[i]));
      p.setRenderHint(QPainter::Antialiasing);
      if (i == 0) {
        p.setPen(Qt::NoPen);
        p.setBrush(theme_.color("pass"));
        p.drawEllipse(c, 2, 2);
      } else if (i == 1) {
        p.setPen(QPen(theme_.dark() ? theme_.color("window") : theme_.color("surface"), 1.8, Qt::SolidLine, Qt::RoundCap));
        p.drawLine(c + QPointF(-2.5, -2.5), c + QPointF(2.5, 2.5));
        p.drawLine(c + QPointF(-2.5, 2.5), c + QPointF(2.5, -2.5));
      } else if (i == 2) {
        p.setPen(QPen(theme_.color("notpossible"), 1.6));
        p.drawLine(c + QPointF(-3, 0), c + QPointF(3, 0));
      } else {
        p.setBrush(Qt::NoBrush);
        p.setPen(QPen(theme_.color("notsettled_fill"), 1));
        p.drawRect(box);
        QPainterPath wave(c + QPointF(-4, 1));
        wave.quadTo(c + QPointF(-2, -3.5), c);
        wave.quadTo(c + QPointF(2, 3.5), c + QPointF(4, -1));
        p.setPen(QPen(theme_.color("notsettled"), 1.5));
        p.drawPath(wave);
      }
      x += 18;
    }
    p.setPen(theme_.color("text2"));
    p.drawText(QPointF(x, height() / 2.0 + m.ascent() / 2.0 - 1), name_of(i));
    x += m.horizontalAdvance(name_of(i)) + 14;
  }
}

}  // namespace kvcliff::ui
