// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/bridge/evidence.h"
#include "ui/charts/plot.h"

namespace kvcliff::ui {

/// Where the difference went: off, minus what is not computed, plus what loading costs, on. Split by the control.
class SplitChart : public Plot {
  Q_OBJECT
 public:
  explicit SplitChart(const Theme& theme, QWidget* parent = nullptr);
  void set_judged(const JudgedPtr& judged);
  const std::optional<analysis::GainSplit>& split() const { return split_; }
  /// "Split by the control: a GPU hit takes 8.9 ms", or why there is none.
  QString note() const { return note_; }

 private:
  void paint(QPainter& p);
  std::optional<analysis::GainSplit> split_;
  QString note_, tokens_, bytes_;
  QCPAxisRect* rect_;
};

}  // namespace kvcliff::ui
