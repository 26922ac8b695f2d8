// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "analysis/ttft_model.h"
#include "ui/bridge/evidence.h"
#include "ui/charts/scatter_base.h"

namespace kvcliff::ui {

/// TTFT against the tokens that were computed, every measured request, by source; the fitted model where there is one.
class ComputedChart : public PointPlot {
  Q_OBJECT
 public:
  explicit ComputedChart(const Theme& theme, QWidget* parent = nullptr);
  void set_judged(const JudgedPtr& judged);

 protected:
  void paint_below(QPainter& p) override;
  QString words_at(double x, double y) const override;

 private:
  std::optional<analysis::TtftModel> model_;
};

/// Predicted tokens against measured tokens, one point per request and source; agreement lies on the diagonal.
class PredictedChart : public PointPlot {
  Q_OBJECT
 public:
  explicit PredictedChart(const Theme& theme, QWidget* parent = nullptr);
  void set_judged(const JudgedPtr& judged);
  int off_diagonal() const { return off_; }   ///< points that are not where the prediction put them
  int without_prediction() const { return without_; }

 protected:
  void paint_below(QPainter& p) override;
  void paint_above(QPainter& p) override;
  QString words_at(double x, double y) const override;

 private:
  int off_ = 0, without_ = 0;
  double high_ = 1;
};

}  // namespace kvcliff::ui
