// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "ui/bridge/prediction.h"
#include "ui/bridge/server_log.h"
#include "ui/pages/page.h"

class QComboBox;
class QLabel;
class QSlider;
class QVBoxLayout;

namespace kvcliff::ui {

class Card;
class CliffChart;
class NumberField;
class Segments;

/// The cliff, before anything runs. Inputs on the left, the cliff chart on the right, exact numbers below it. Everything
/// on this page edits the plan (with undo) and shows what core computed of it.
class PredictPage : public Page {
  Q_OBJECT
 public:
  PredictPage(Services services, const QString& resources, QWidget* parent = nullptr);
  ~PredictPage() override;
  bool export_view() override;
  QString copy_text(bool csv) override;
  CliffChart& chart() { return *chart_; }
  Prediction& prediction() { return prediction_; }

 private:
  /// A place of the plan ("workload.tokens") and the field that edits it; no field: the place has none here.
  struct FaultPlace {
    QString name;
    QWidget* field;
  };
  struct FaultRow {
    QLabel* label;
    std::vector<FaultPlace> places;
  };

  void build_inputs(QVBoxLayout* column);
  void build_workload(QVBoxLayout* groups);
  void build_trace(QVBoxLayout* column);
  void update_trace();
  void update_stream();                ///< sentence and cells of a trace or of sessions
  void build_chart(QVBoxLayout* column);
  void build_cells(QVBoxLayout* column);
  QWidget* capacity_group(const QString& title, const QString& key, const QString& place, const QString& rest,
                          NumberField** blocks, NumberField** tokens, NumberField** gib, QLabel** note);
  /// A line under a row of fields that says what is wrong with their entries.
  void fault_row(QVBoxLayout* column, const QString& name, std::vector<FaultPlace> places);
  void update_faults();
  void read_model(const QString& typed, bool finished);
  void update_inputs();
  void update_results();
  void update_sentence();
  void update_cells();
  void update_times();
  void recompute();
  void edit(const QString& what, int merge, const std::function<void(plan::Plan&)>& change);
  void set_gpu_blocks(double blocks);
  void set_host_blocks(double blocks);
  void show_derivation();
  void show_explanation();
  void keep_scenario();
  void show_log(const ServerLogRead& log);
  cache::HostTouch rule() const;
  double document_blocks() const;
  double working_set() const;
  std::int64_t block_bytes() const;

  Prediction prediction_;
  ServerLogLoader logs_;
  QComboBox *model_, *dtype_, *order_, *rule_;
  NumberField *tp_, *pp_, *documents_, *rounds_, *tokens_, *shared_;
  NumberField *gpu_blocks_, *gpu_tokens_, *gpu_gib_, *host_blocks_, *host_tokens_, *host_gib_;
  QLabel *bytes_per_token_, *bytes_note_, *gpu_note_, *host_note_, *tokens_note_, *layout_fault_, *slider_value_;
  QWidget *documents_box_, *trace_box_;
  QLabel *trace_name_, *trace_note_;
  NumberField* trace_requests_;
  QSlider* slider_;
  QLabel *sentence_, *sentence_detail_, *reading_, *rule_note_;
  QFrame* sentence_bar_;
  CliffChart* chart_;
  Segments *visits_, *tier_;
  Card *revisit_cell_, *edges_cell_, *times_cell_, *kept_cell_;
  QVBoxLayout *revisit_rows_, *edges_rows_, *times_rows_, *kept_rows_;
  QComboBox* gpu_class_;
  std::vector<FaultRow> fault_rows_;
  QString model_fault_;   ///< of the name being typed
  std::string shown_version_;   ///< of the engine: its rule was chosen
  QString shown_model_;   ///< what the model field was filled with
  bool updating_ = false, saying_faults_ = false;
  int documents_max_ = 14;
  double dragged_ = -1;   ///< marker position in blocks that is no whole number of documents; -1: the plan's
};

}  // namespace kvcliff::ui
