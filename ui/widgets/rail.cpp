// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/rail.h"

#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

#include "ui/theme/theme.h"
#include "ui/widgets/card.h"

namespace kvcliff::ui {

RailItem::RailItem(const Theme& theme, const QString& icon, const QString& name, QWidget* parent)
    : QAbstractButton(parent), theme_(theme), icon_(icon), name_(name) {
  setCheckable(true);
  setFocusPolicy(Qt::StrongFocus);
  setAttribute(Qt::WA_Hover);
  setAccessibleName(name);
  connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void RailItem::set_result(const QString& text, const QByteArray& color) {
  if (text == result_ && color == color_) return;
  result_ = text;
  color_ = color;
  setAccessibleDescription(text);
  update();
}

QSize RailItem::sizeHint() const { return {theme_.px(80), theme_.px(66)}; }
// A small screen at a large scale has little height: the result goes first, then the icon, never the name.
QSize RailItem::minimumSizeHint() const { return {theme_.px(80), theme_.px(24)}; }

void RailItem::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.setRenderHint(QPainter::Antialiasing);
  const QRectF card = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
  if (isChecked()) {
    p.setPen(theme_.color("line"));
    p.setBrush(theme_.color("surface"));
    p.drawRoundedRect(card, 6, 6);
  } else if (underMouse() && isEnabled()) {
    p.setPen(Qt::NoPen);
    p.setBrush(theme_.color("hover"));
    p.drawRoundedRect(card, 6, 6);
  }
  const char* ink = !isEnabled() ? "disabled" : isChecked() ? "text" : "text2";
  const int size = theme_.px(22);
  QFont f = theme_.font(TextSize::Chart);
  f.setWeight(isChecked() ? QFont::DemiBold : QFont::Medium);
  const int line = QFontMetrics(f).height();
  const bool with_result = height() >= theme_.px(60), with_icon = height() >= size + line + theme_.px(4);
  int y = with_result ? theme_.px(8) : (height() - line - (with_icon ? size + 2 : 0)) / 2;
  if (with_icon) {
    p.drawPixmap(QPointF((width() - size) / 2.0, y), theme_.pixmap(icon_, theme_.color(ink), size, devicePixelRatioF()));
    y += size + 2;
  }
  p.setFont(f);
  p.setPen(theme_.color(ink));
  p.drawText(QRect(0, y, width(), line), Qt::AlignCenter, name_);
  y += line;
  p.setFont(theme_.font(TextSize::Caption));
  p.setPen(theme_.color(isEnabled() ? color_.constData() : "disabled"));
  const QFontMetrics m(p.font());
  if (with_result) p.drawText(QRect(1, y, width() - 2, m.height()), Qt::AlignCenter, m.elidedText(result_, Qt::ElideRight, width() - 4));
  if (hasFocus()) {
    p.setPen(QPen(theme_.color("ink"), 2));
    p.setBrush(Qt::NoBrush);
    p.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 6, 6);
  }
}

Rail::Rail(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  setObjectName(QStringLiteral("rail"));
  setFixedWidth(theme.px(92));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(6, 6, 6, 8);
  column->setSpacing(0);
  struct Entry {
    const char* step;
    const char* key;
    const char* icon;
    QString name;
    QString tip;
  };
  const Entry entries[] = {
      {QT_TR_NOOP("1 PREDICT"), "predict", "predict", tr("Predict"), tr("The cliff, before anything runs (Ctrl+1)")},
      {QT_TR_NOOP("2 MEASURE"), "plan", "plan", tr("Plan"), tr("Sessions, commands, requests, preflight (Ctrl+2)")},
      {nullptr, "run", "run", tr("Run"), tr("Token sources and TTFT as requests end (Ctrl+3)")},
      {QT_TR_NOOP("3 DEFEND"), "reconcile", "reconcile", tr("Reconcile"), tr("Every check on every request (Ctrl+4)")},
      {nullptr, "decide", "decide", tr("Decide"), tr("Verdict, evidence, and what the run does not establish (Ctrl+5)")},
      {nullptr, "history", "history", tr("History"), tr("All experiments of the journal (Ctrl+6)")},
  };
  for (int i = 0; i < pages; ++i) {
    const Entry& e = entries[i];
    if (i == pages - 1) {
      column->addStretch(1);
      column->addWidget(separator(this));
      column->addSpacing(6);
    }
    if (e.step) {
      auto* step = label(tr(e.step), "caption", this);
      step->setFont(theme.font(TextSize::Step));
      step->setIndent(theme.px(2));
      column->addSpacing(theme.px(i == 0 ? 4 : 10));
      column->addWidget(step);
      column->addSpacing(theme.px(3));
    }
    auto* item = new RailItem(theme, QLatin1String(e.icon), e.name, this);
    item->setObjectName(QStringLiteral("rail.") + QLatin1String(e.key));
    item->setToolTip(e.tip);
    connect(item, &RailItem::clicked, this, [this, i] { emit chosen(i); });
    column->addWidget(item);
    items_.push_back(item);
  }
  connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void Rail::set_current(int page) {
  for (int i = 0; i < pages; ++i) items_[static_cast<std::size_t>(i)]->setChecked(i == page);
  update();
}

void Rail::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.fillRect(rect(), theme_.color("rail"));
  p.fillRect(QRect(width() - 1, 0, 1, height()), theme_.color("line"));
  for (const RailItem* item : items_)
    if (item->isChecked()) p.fillRect(QRect(0, item->y() + 10, 3, item->height() - 20), theme_.color("ink"));
}

}  // namespace kvcliff::ui
