// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/card.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>

#include "ui/theme/theme.h"
#include "ui/widgets/elided_label.h"

namespace kvcliff::ui {

Card::Card(const Theme& theme, const QString& title, QWidget* parent) : QFrame(parent) {
  setProperty("card", true);
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(14, 11, 14, 12);
  outer->setSpacing(8);
  header_ = new QHBoxLayout;
  header_->setSpacing(8);
  title_ = new ElidedLabel(title, nullptr, this);
  title_->setFont(theme.font(TextSize::CardTitle));
  title_->setVisible(!title.isEmpty());
  header_->addWidget(title_);
  header_->addStretch(1);
  outer->addLayout(header_);
  body_ = new QVBoxLayout;
  body_->setSpacing(6);
  outer->addLayout(body_, 1);
  setAccessibleName(title);
}

void Card::set_title(const QString& title) {
  title_->setText(title);
  title_->setVisible(!title.isEmpty());
  setAccessibleName(title);
}

QString Card::title() const { return title_->text(); }

Chip::Chip(const Theme& theme, const QString& icon, const QString& text, const QByteArray& state, QWidget* parent)
    : QWidget(parent), theme_(theme) {
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
  set(icon, text, state);
}

void Chip::set(const QString& icon, const QString& text, const QByteArray& state) {
  icon_ = icon;
  text_ = text;
  state_ = state;
  setAccessibleName(text);
  updateGeometry();
  update();
}

QSize Chip::sizeHint() const {
  const QFontMetrics m(theme_.font(TextSize::Chart));
  return {m.horizontalAdvance(text_) + 18 + (icon_.isEmpty() ? 0 : 18), theme_.px(22)};
}

void Chip::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.setRenderHint(QPainter::Antialiasing);
  p.setPen(Qt::NoPen);
  p.setBrush(theme_.color((state_ + "_bg").constData()));
  p.drawRoundedRect(rect(), 4, 4);
  const QColor ink = theme_.color(state_.constData());
  int x = 8;
  if (!icon_.isEmpty()) {
    p.drawPixmap(QPointF(x, (height() - 13) / 2.0), theme_.pixmap(icon_, ink, 13, devicePixelRatioF()));
    x += 18;
  }
  QFont f = theme_.font(TextSize::Chart);
  f.setWeight(QFont::Medium);
  p.setFont(f);
  p.setPen(ink);
  p.drawText(QRect(x, 0, width() - x - 4, height()), Qt::AlignVCenter | Qt::AlignLeft, text_);
}

QLabel* label(const QString& text, const char* role, QWidget* parent) {
  auto* l = new QLabel(text, parent);
  if (role) l->setProperty("role", QLatin1String(role));
  return l;
}

QFrame* separator(QWidget* parent) {
  auto* f = new QFrame(parent);
  f->setProperty("line", true);
  return f;
}

}  // namespace kvcliff::ui
