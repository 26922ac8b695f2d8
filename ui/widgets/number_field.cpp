// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/number_field.h"

#include <QKeyEvent>
#include <QLocale>
#include <QPainter>
#include <QStyle>
#include <cmath>

namespace kvcliff::ui {

NumberField::NumberField(const QString& object_name, const QString& accessible_name, double low, double high, int decimals,
                         QWidget* parent)
    : QLineEdit(parent), low_(low), high_(high), decimals_(decimals) {
  setObjectName(object_name);
  setAccessibleName(accessible_name);
  setAlignment(Qt::AlignRight);
  connect(this, &QLineEdit::textEdited, this, &NumberField::read);
}

QString NumberField::shown() const { return QLocale().toString(value_, 'f', decimals_); }

void NumberField::set_value(double value) {
  value_ = value;
  if (hasFocus() && isModified()) return;
  setText(shown());
  if (!fault_.isEmpty()) {
    fault_.clear();
    show_fault();
  }
}

void NumberField::set_outer_fault(const QString& sentence) {
  if (sentence == outer_) return;
  outer_ = sentence;
  show_fault();
}

void NumberField::show_fault() {
  const QString now = fault_.isEmpty() ? outer_ : fault_;
  setProperty("fault", !now.isEmpty());
  style()->unpolish(this);
  style()->polish(this);
  setToolTip(now);
  setAccessibleDescription(now);
  emit fault_changed(now);
}

void NumberField::read(const QString& text) {
  QString plain = text.trimmed();
  const QLocale locale;
  for (const QString& mark : {QString(locale.groupSeparator()), QStringLiteral(" "), QStringLiteral("\u00a0"), QStringLiteral("\u202f"), QStringLiteral("_")})
    plain.remove(mark);
  bool good = false;
  double v = locale.toDouble(plain, &good);
  if (!good) v = QLocale::c().toDouble(plain, &good);
  QString fault;
  if (plain.isEmpty()) fault = tr("A number is needed.");
  else if (!good || !std::isfinite(v)) fault = tr("\u201c%1\u201d is not a number.").arg(text);
  else if (decimals_ == 0 && v != std::floor(v)) fault = tr("A whole number is needed.");
  else if (v < low_) fault = tr("At least %1.").arg(locale.toString(low_, 'f', decimals_));
  else if (v > high_) fault = tr("At most %1.").arg(locale.toString(high_, 'f', decimals_));
  const bool changed = fault != fault_;
  fault_ = fault;
  if (changed) show_fault();
  if (!fault_.isEmpty() || v == value_) return;
  value_ = v;
  emit edited(v);
}

void NumberField::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Up || event->key() == Qt::Key_Down) {
    const double step = (event->modifiers().testFlag(Qt::ShiftModifier) ? 10 : 1) * (decimals_ > 0 ? std::pow(10, -decimals_) : 1);
    const double v = std::clamp(value_ + (event->key() == Qt::Key_Up ? step : -step), low_, high_);
    setText(QLocale().toString(v, 'f', decimals_));
    read(text());
    return;
  }
  QLineEdit::keyPressEvent(event);
}

void NumberField::focusOutEvent(QFocusEvent* event) {
  QLineEdit::focusOutEvent(event);
  setModified(false);
  if (fault_.isEmpty()) setText(shown());
}

void NumberField::paintEvent(QPaintEvent* event) {
  QLineEdit::paintEvent(event);
  if (unit_.isEmpty()) return;
  QPainter p(this);
  p.setPen(palette().color(QPalette::PlaceholderText));
  p.drawText(rect().adjusted(8, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, unit_);
}

}  // namespace kvcliff::ui
