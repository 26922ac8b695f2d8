// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/legend.h"

#include <QPainter>

#include "ui/theme/theme.h"

namespace kvcliff::ui {
namespace {
constexpr int box = 11, gap = 6, between = 14;
}

Legend::Legend(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  setAccessibleName(tr("Legend"));
  setAccessibleDescription(names().join(QStringLiteral(", ")));
  connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

QStringList Legend::names() const {
  QStringList all{tr("computed"), tr("host loaded"), tr("GPU hit")};
  if (unknown_) all << tr("unknown");
  return all << tr("predicted");
}

void Legend::set_unknown(bool shown) {
  if (shown == unknown_) return;
  unknown_ = shown;
  updateGeometry();
  update();
}

QSize Legend::sizeHint() const {
  const QFontMetrics m(theme_.font(TextSize::Chart));
  int width = 0;
  for (const QString& name : names()) width += box + gap + m.horizontalAdvance(name) + between;
  return {width, theme_.px(22)};
}

void Legend::paintEvent(QPaintEvent*) {
  QPainter p(this);
  const QFont f = theme_.font(TextSize::Chart);
  const QFontMetrics m(f);
  p.setFont(f);
  int x = 0;
  const int y = (height() - box) / 2;
  const QStringList all = names();
  for (int i = 0; i < all.size(); ++i) {
    const bool predicted = i == all.size() - 1;
    const QRectF r(x + 0.5, y + 0.5, box - 1, box - 1);
    if (predicted) {
      QPen pen(theme_.color("text2"), 1);
      pen.setDashPattern({2, 2});
      p.setPen(pen);
      p.setBrush(Qt::NoBrush);
      p.drawRect(r);
    } else {
      const Source s = i == 0 ? Source::computed : i == 1 ? Source::host_loaded : i == 2 ? Source::gpu_hit : Source::unknown;
      p.setPen(QPen(theme_.edge(s), 1));
      p.setBrush(s == Source::unknown ? theme_.color("surface") : theme_.fill(s));
      p.drawRect(r);
      if (s == Source::unknown)
        for (int d = 3; d < 2 * box; d += 4)
          p.drawLine(QPointF(x + std::max(0, d - box) + 0.5, y + std::min(d, box) - 0.5), QPointF(x + std::min(d, box) - 0.5, y + std::max(0, d - box) + 0.5));
    }
    p.setPen(theme_.color("text2"));
    p.drawText(QRect(x + box + gap, 0, m.horizontalAdvance(all[i]) + 4, height()), Qt::AlignVCenter, all[i]);
    x += box + gap + m.horizontalAdvance(all[i]) + between;
  }
}

}  // namespace kvcliff::ui
