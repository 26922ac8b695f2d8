// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/field_fault.h"

#include <QStyle>
#include <QVariant>
#include <QWidget>

namespace kvcliff::ui {

void mark_fault(QWidget* field, const QString& sentence) {
  if (!field->property("tip").isValid()) field->setProperty("tip", field->toolTip());
  const QString tip = field->property("tip").toString();
  field->setToolTip(sentence.isEmpty() ? tip : tip.isEmpty() ? sentence : sentence + QLatin1Char('\n') + tip);
  field->setAccessibleDescription(sentence);
  if (field->property("fault").toBool() == !sentence.isEmpty()) return;
  field->setProperty("fault", !sentence.isEmpty());
  field->style()->unpolish(field);
  field->style()->polish(field);
}

}  // namespace kvcliff::ui
