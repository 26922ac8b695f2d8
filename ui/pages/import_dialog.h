// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDialog>

#include "ui/models/history_rows.h"

class QLabel;
class QLineEdit;
class QPushButton;
class QRadioButton;

namespace kvcliff::ui {

class Theme;

/// Asks what the result of another tool does not say: whether the measured server had a host tier, and a name. It does not
/// block; `confirmed` tells the answer.
class ImportDialog : public QDialog {
  Q_OBJECT
 public:
  ImportDialog(const Theme& theme, ForeignFile file, QWidget* parent = nullptr);

 signals:
  void confirmed(const kvcliff::ui::ForeignFile& file, const QString& name, bool offload);

 private:
  void check();

  ForeignFile file_;
  QLineEdit* name_;
  QLabel* fault_;
  QRadioButton *off_, *on_;
  QPushButton* import_;
};

}  // namespace kvcliff::ui
