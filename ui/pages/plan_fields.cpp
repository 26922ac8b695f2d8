// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/plan_fields.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>

#include "ui/theme/numbers.h"
#include "ui/theme/theme.h"
#include "ui/widgets/card.h"

namespace kvcliff::ui {

QVBoxLayout* group(const Theme& theme, QVBoxLayout* column, const QString& title) {
  if (column->count() > 0) column->addWidget(separator());
  auto* box = new QWidget;
  auto* inside = new QVBoxLayout(box);
  inside->setContentsMargins(14, 10, 14, 10);
  inside->setSpacing(5);
  auto* l = new QLabel(title);
  l->setFont(theme.font(TextSize::CardTitle));
  inside->addWidget(l);
  column->addWidget(box);
  return inside;
}

QWidget* field_row(const Theme& theme, QVBoxLayout* column, const QString& name, QWidget* field, QWidget* after) {
  auto* box = new QWidget;
  auto* row = new QHBoxLayout(box);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(8);
  auto* l = label(name, "secondary");
  l->setFixedWidth(theme.px(96));
  l->setBuddy(field);
  row->addWidget(l);
  row->addWidget(field, after ? 0 : 1);
  if (after) row->addWidget(after, 1);
  column->addWidget(box);
  return box;
}

QLineEdit* text_field(const QString& name, const QString& accessible, const QString& tip, const QString& hint) {
  auto* e = new QLineEdit;
  e->setObjectName(name);
  e->setAccessibleName(accessible);
  e->setToolTip(tip);
  e->setPlaceholderText(hint);
  return e;
}

QComboBox* choice(const QString& name, const QString& accessible, const QString& tip, const QStringList& items) {
  auto* c = new QComboBox;
  c->setObjectName(name);
  c->setAccessibleName(accessible);
  c->setToolTip(tip);
  c->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  c->setMinimumContentsLength(8);
  c->addItems(items);
  return c;
}

std::vector<std::string> arguments_of(const QString& text) {
  std::vector<std::string> out;
  for (const QString& line : text.split(QLatin1Char('\n')))
    if (!line.trimmed().isEmpty()) out.push_back(line.trimmed().toStdString());
  return out;
}

QString counted_word(std::size_t n) {
  static const char* const words[] = {"No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten"};
  return n < std::size(words) ? QCoreApplication::translate("kvcliff::ui::PlanPage", words[n]) : exact(qint64(n));
}

}  // namespace kvcliff::ui
