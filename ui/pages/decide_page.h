// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/bridge/evidence.h"
#include "ui/models/evidence_table.h"
#include "ui/pages/page.h"

class QFrame;
class QPushButton;
class QStackedWidget;
class QTableView;

namespace kvcliff::ui {

class Card;
class Chip;
class CliffChart;
class ComputedChart;
class EcdfChart;
class IntervalStrip;
class PairsChart;
class Plot;
class PointPlot;
class PredictedChart;
class Segments;
class SplitChart;

/// The claim, what it rests on, and what this run does not establish.
class DecidePage : public Page {
  Q_OBJECT
 public:
  explicit DecidePage(Services services, QWidget* parent = nullptr);
  bool export_view() override;
  QString copy_text(bool csv) override;

  EvidenceTable& estimates() { return estimates_; }
  EvidenceTable& sizing() { return sizing_; }
  /// Asks for a folder and writes the report there.
  void export_report();
  /// The same without a question. False: said in a strip.
  bool export_report_to(const QString& folder);

 private:
  void build_verdict(QVBoxLayout* column);
  void build_charts(QVBoxLayout* column);
  void build_below(QVBoxLayout* column);
  void build_limits(QVBoxLayout* column);
  void build_actions();
  Card* chart_card(Plot* chart, const QString& title);
  void link(PointPlot* chart);
  void update_all();
  void update_verdict(const Judged& judged);
  void update_limits(const Judged& judged);
  void update_sweep(const Judged& judged);
  void show_chart(int which);
  QString cliff_legend() const;
  void show_definition(const QModelIndex& index);

  EvidenceTable estimates_, sizing_;
  QLabel *glyph_, *title_, *sentence_, *notes_, *reading_, *split_note_, *sizing_why_;
  QVBoxLayout *gates_box_, *limits_box_;
  QWidget* gates_holder_ = nullptr;
  IntervalStrip* interval_;
  PairsChart* pairs_;
  EcdfChart* ecdf_;
  ComputedChart* computed_;
  PredictedChart* predicted_;
  SplitChart* split_;
  CliffChart* cliff_;
  QVBoxLayout* left_ = nullptr;   ///< verdict, charts, what stands below
  Card *pairs_card_, *distribution_card_, *split_card_;
  QLabel* cliff_reading_ = nullptr;
  std::string swept_run_;   ///< the run that was last looked at: a sweep opens on its cliff once
  QStackedWidget* distributions_;
  Segments* which_;
  QTableView *estimate_view_, *sizing_view_;
  QPushButton *copy_, *report_;
  Chip* simulated_;
};

}  // namespace kvcliff::ui
