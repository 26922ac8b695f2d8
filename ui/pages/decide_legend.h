// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

#include "ui/theme/theme.h"

namespace kvcliff::ui {

/// Computed, host loaded, GPU hit: the markers of the sources with their names, in the fixed order.
class SourceLegend : public QWidget {
  Q_OBJECT
 public:
  explicit SourceLegend(const Theme& theme, QWidget* parent = nullptr);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent*) override;

 private:
  const Theme& theme_;
};

}  // namespace kvcliff::ui
