// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/segments.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QPushButton>

namespace kvcliff::ui {

Segments::Segments(const QString& object_name, const QStringList& names, QWidget* parent)
    : QWidget(parent), group_(new QButtonGroup(this)) {
  setObjectName(object_name);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  for (int i = 0; i < names.size(); ++i) {
    auto* b = new QPushButton(names[i], this);
    b->setCheckable(true);
    b->setChecked(i == 0);
    b->setProperty("segment", true);
    b->setProperty("first", i == 0);
    b->setProperty("last", i == names.size() - 1);
    b->setObjectName(QStringLiteral("%1.%2").arg(object_name).arg(i));
    b->setAccessibleName(names[i]);
    group_->addButton(b, i);
    row->addWidget(b);
  }
  connect(group_, &QButtonGroup::idClicked, this, &Segments::chosen);
}

int Segments::current() const { return group_->checkedId(); }
void Segments::set_current(int index) {
  if (auto* b = group_->button(index)) b->setChecked(true);
}

}  // namespace kvcliff::ui
