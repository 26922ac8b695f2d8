// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

#include "ui/theme/theme.h"

namespace kvcliff::ui {

/// The states of a matrix cell, drawn as the matrix draws them.
class MatrixLegend : public QWidget {
  Q_OBJECT
 public:
  explicit MatrixLegend(const Theme& theme, QWidget* parent = nullptr);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent*) override;

 private:
  const Theme& theme_;
};

}  // namespace kvcliff::ui
