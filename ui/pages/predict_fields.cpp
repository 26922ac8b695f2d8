// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/predict_fields.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <vector>

#include "ui/theme/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/elided_label.h"

namespace kvcliff::ui {

QHBoxLayout* input_row(const Theme& theme, const QString& name, QWidget* field) {
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  auto* l = label(name, "secondary");
  l->setFixedWidth(theme.px(84));
  l->setBuddy(field);
  row->addWidget(l);
  row->addWidget(field, 1);
  return row;
}

QLabel* group_title(const Theme& theme, const QString& text) {
  auto* l = new QLabel(text);
  l->setFont(theme.font(TextSize::CardTitle));
  return l;
}

QHBoxLayout* value_row(const Theme& theme, const QString& name, const QString& value, const QString& unit, const QString& tip) {
  auto* row = new QHBoxLayout;
  row->setSpacing(6);
  // Three cells stand beside each other at 1280 px: names and units are small so that none is cut.
  auto* title = new ElidedLabel(name, "secondary");
  title->setFont(theme.font(TextSize::Chart));
  row->addWidget(title);
  row->addStretch(1);
  auto* v = new QLabel(value);
  v->setFont(theme.font(TextSize::CardTitle));
  v->setTextInteractionFlags(Qt::TextSelectableByMouse);
  v->setToolTip(tip);
  row->addWidget(v);
  if (!unit.isEmpty()) {
    auto* small = label(unit, "caption");
    small->setFont(theme.font(TextSize::Caption));
    small->setObjectName(QStringLiteral("unit"));
    row->addWidget(small);
  }
  return row;
}

void align_units(QVBoxLayout* rows) {
  std::vector<QLabel*> units;
  int width = 0;
  for (int i = 0; i < rows->count(); ++i)
    if (QLayout* row = rows->itemAt(i)->layout(); row && row->count() > 0)
      if (auto* unit = qobject_cast<QLabel*>(row->itemAt(row->count() - 1)->widget()); unit && unit->objectName() == QLatin1String("unit")) {
        units.push_back(unit);
        width = std::max(width, unit->sizeHint().width());
      }
  for (QLabel* unit : units) unit->setFixedWidth(width);
}

void clear_layout(QLayout* layout) {
  while (QLayoutItem* item = layout->takeAt(0)) {
    if (QLayout* inner = item->layout()) clear_layout(inner);
    delete item->widget();
    delete item;
  }
}

}  // namespace kvcliff::ui
