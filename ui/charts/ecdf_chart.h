// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "chart/chart.h"
#include "ui/bridge/evidence.h"
#include "ui/charts/scatter_base.h"

namespace kvcliff::ui {

/// Share of revisits whose TTFT is at or below x, one line per source, on a log axis.
class EcdfChart : public PointPlot {
  Q_OBJECT
 public:
  explicit EcdfChart(const Theme& theme, QWidget* parent = nullptr);
  void set_judged(const JudgedPtr& judged);

  struct Curve {
    Source source;
    int count = 0;
    double median = 0;
    std::vector<chart::Point> steps;   ///< exact: two vertices per value
  };
  const std::vector<Curve>& curves() const { return curves_; }
  /// Where names stand, as drawn last.
  const std::vector<QRectF>& names() const { return names_; }

 protected:
  void paint_below(QPainter& p) override;
  void paint_above(QPainter& p) override;
  QString words_at(double x, double y) const override;

 private:
  /// The words of a curve and where they stand: right of its line, or left of it.
  struct Name {
    QString name, numbers;
    QSizeF size;
    QRectF box;
    bool right = true;
  };
  QPolygonF line_of(const Curve& c) const;   ///< pixels
  std::vector<Name> placed_names() const;
  void put_in_column(std::vector<Name>& all, const std::vector<QPolygonF>& lines) const;

  std::vector<Curve> curves_;
  std::vector<QRectF> names_;
  int left_out_ = 0;
};

}  // namespace kvcliff::ui
