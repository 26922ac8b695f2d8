// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/number_field.h"

#include <QKeyEvent>
#include <QLocale>
#include <QPainter>
#include <QRegularExpression>
#include <cmath>

#include "ui/widgets/field_fault.h"

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
  // An entry that is to be mended stays until the value behind it changes.
  const bool other = value != value_;
  value_ = value;
  if (faulty() ? !other || (hasFocus() && isModified()) : hasFocus() && isModified()) return;
  reset();
}

void NumberField::reset() {
  setModified(false);
  setText(shown());
  if (fault_.isEmpty()) return;
  fault_.clear();
  show_fault();
}

void NumberField::set_outer_fault(const QString& sentence) {
  if (sentence == outer_) return;
  outer_ = sentence;
  show_fault();
}

void NumberField::show_fault() {
  const QString now = fault_.isEmpty() ? outer_ : fault_;
  mark_fault(this, now);
  emit fault_changed(now);
}

namespace {

// The digits without their separators. Groups must be whole ("6,144"): "1,5" is a decimal of another language, and would
// silently become fifteen.
std::optional<QString> without_groups(QString text) {
  const QLocale locale;
  for (const QString& mark : {QStringLiteral(" "), QStringLiteral("\u00a0"), QStringLiteral("\u202f"), QStringLiteral("_")}) text.replace(mark, locale.groupSeparator());
  const QString group = locale.groupSeparator();
  if (group.isEmpty() || !text.contains(group)) return text;
  const QString mark = QRegularExpression::escape(group), point = QRegularExpression::escape(QString(locale.decimalPoint()));
  const QRegularExpression whole(QStringLiteral("^[+-]?\\d{1,3}(%1\\d{3})+(%2\\d*)?$").arg(mark, point));
  if (!whole.match(text).hasMatch()) return std::nullopt;
  return text.remove(group);
}

}  // namespace

QString NumberField::fault_of(const QString& text, double* value) const {
  const QLocale locale;
  const QString typed = text.trimmed();
  if (typed.isEmpty()) return tr("A number is needed.");
  const QString quoted = typed.size() > 24 ? typed.left(23) + QStringLiteral("\u2026") : typed;
  const auto plain = without_groups(typed);
  bool good = false;
  double v = plain ? locale.toDouble(*plain, &good) : 0;
  if (plain && !good) v = QLocale::c().toDouble(*plain, &good);
  if (!good || !std::isfinite(v)) return tr("\u201c%1\u201d is not a number. Type digits alone, without a unit.").arg(quoted);
  if (decimals_ == 0 && v != std::floor(v)) return tr("A whole number is needed.");
  if (v < low_) return tr("At least %1.").arg(locale.toString(low_, 'f', decimals_));
  if (v > high_) return tr("At most %1.").arg(locale.toString(high_, 'f', decimals_));
  *value = v;
  return {};
}

void NumberField::read(const QString& text) {
  double v = value_;
  const QString fault = fault_of(text, &v);
  const bool changed = fault != fault_;
  fault_ = fault;
  if (changed) show_fault();
  if (!fault_.isEmpty() || v == value_) return;
  value_ = v;
  emit edited(v);
}

void NumberField::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape && (faulty() || text() != shown())) return reset();
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
