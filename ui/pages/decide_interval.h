// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>
#include <optional>

#include "analysis/effect.h"
#include "ui/theme/theme.h"

namespace kvcliff::ui {

/// The estimate with its interval over the zones "helps", "no effect", "hurts".
class IntervalStrip : public QWidget {
  Q_OBJECT
 public:
  explicit IntervalStrip(const Theme& theme, QWidget* parent = nullptr);
  /// Absent: nothing to show, `why` is written instead. `smallest`: the smallest effect of interest, 0.05.
  void set(const std::optional<analysis::Interval>& ratio, double smallest, const QString& why);
  QSize sizeHint() const override { return {300, 96}; }

 protected:
  void paintEvent(QPaintEvent*) override;

 private:
  const Theme& theme_;
  std::optional<analysis::Interval> ratio_;
  double smallest_ = 0.05;
  QString why_;
};

}  // namespace kvcliff::ui
