// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/bridge/evidence.h"
#include "ui/charts/scatter_base.h"

namespace kvcliff::ui {

/// Every revisit, off and on: the TTFTs of the same visit in both arms of a pair joined by a line; the control beside.
class PairsChart : public PointPlot {
  Q_OBJECT
 public:
  explicit PairsChart(const Theme& theme, QWidget* parent = nullptr);
  void set_judged(const JudgedPtr& judged);

  struct Group {
    double from, to;      ///< x
    QString name, brief;
  };
  const std::vector<Group>& groups() const { return groups_; }

 protected:
  void paint_below(QPainter& p) override;
  void paint_above(QPainter& p) override;
  QString words_at(double x, double y) const override;

 private:
  std::vector<Group> groups_;
  std::vector<std::array<double, 3>> joins_;   ///< x, off ms, on ms
};

}  // namespace kvcliff::ui
