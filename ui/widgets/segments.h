// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStringList>
#include <QWidget>

class QButtonGroup;

namespace kvcliff::ui {

/// A row of joined buttons of which one is chosen.
class Segments : public QWidget {
  Q_OBJECT
 public:
  Segments(const QString& object_name, const QStringList& names, QWidget* parent = nullptr);
  int current() const;
  void set_current(int index);

 signals:
  void chosen(int index);

 private:
  QButtonGroup* group_;
};

}  // namespace kvcliff::ui
