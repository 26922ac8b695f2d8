// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/charts/plot.h"
#include "ui/models/history_rows.h"

namespace kvcliff::ui {

/// TTFT ratios of the compared runs on one axis, each with its 95 % interval, around the strip of "no effect".
class HistoryEffect : public Plot {
  Q_OBJECT
 public:
  explicit HistoryEffect(const Theme& theme, QWidget* parent = nullptr);
  void show_runs(const std::vector<const HistoryRow*>& runs);

 private:
  struct Bar {
    QString name, note, words;
    bool simulated = false;
    std::optional<analysis::Interval> ratio;
  };
  void paint_axis(QPainter& p);

  std::vector<Bar> bars_;
  double effect_ = 0.05;    ///< d of the first run's plan
};

}  // namespace kvcliff::ui
