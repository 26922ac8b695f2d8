// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/models/plan_facts.h"
#include "ui/pages/page.h"

class QCheckBox;
class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QTableView;
class QTabWidget;
class QTimer;
class QVBoxLayout;

namespace kvcliff::ui {

class Card;
class Chip;
class CommandView;
class NumberField;
class PlanRequests;
class PlanSessions;
class Segments;

/// What would run, before anything runs: the plan on the left, and on the right exactly what follows from it. Each fault
/// stands beside its field; Start is possible when the plan has none and no preflight check fails.
class PlanPage : public Page {
  Q_OBJECT
 public:
  explicit PlanPage(Services services, QWidget* parent = nullptr);

  bool export_view() override;
  QString copy_text(bool csv) override;
  const PlanFactsLoader& facts() const { return loader_; }
  PlanRequests& requests() { return *requests_; }

 public slots:
  void open_plan();
  /// To the plan's own file; asks for one where it has none, or where it is one of the program's own.
  void save_plan();
  bool save_plan_to(const QString& path);
  void start();

 private:
  using Change = std::function<void(plan::Plan&)>;
  void build_inputs(QVBoxLayout* column);
  void build_arms(QVBoxLayout* column);
  void build_schedule(QVBoxLayout* column);
  void build_workload(QVBoxLayout* column);
  void build_engine(QVBoxLayout* column);
  void build_limits(QVBoxLayout* column);
  void build_power(QVBoxLayout* column);
  void build_panels(QVBoxLayout* column);
  QWidget* build_commands();
  QWidget* build_preflight();
  QWidget* build_requests();

  void edit(const QString& what, int merge, const Change& change);
  void toggle_arm(const std::string& name, bool on);
  void read_file_text();

  std::vector<plan::Fault> faults();
  void update_inputs();
  void update_launcher_options();
  void update_faults();
  void update_facts();
  void update_session();
  void update_preflight();
  void update_power();
  void update_start();
  void update_unsaved();
  void update_file_text();

  /// A label under a field for the faults whose place begins with one of `places`.
  QLabel* fault_line(QVBoxLayout* column, const QString& name, const QStringList& places, QWidget* field = nullptr);
  NumberField* number(QVBoxLayout* column, const QString& name, const QString& text, const QString& tip, double low, double high,
                      int decimals, const QString& place, int merge, const std::function<void(plan::Plan&, double)>& set);
  struct FaultLine {
    QStringList places;
    QLabel* label;
    QWidget* field;
  };

  PlanFactsLoader loader_;
  std::vector<FaultLine> fault_lines_;
  std::vector<std::pair<NumberField*, std::function<double(const plan::Plan&)>>> numbers_;
  std::map<std::string, QCheckBox*> arm_boxes_;
  QVBoxLayout* other_arms_ = nullptr;
  QLineEdit *name_ = nullptr, *version_ = nullptr, *environment_ = nullptr;
  NumberField *pairs_ = nullptr, *concurrency_ = nullptr, *rate_ = nullptr;
  QWidget *concurrency_row_ = nullptr, *rate_row_ = nullptr, *launcher_options_ = nullptr;
  Segments* first_ = nullptr;
  QLabel *order_ = nullptr, *load_note_ = nullptr;
  QComboBox *load_ = nullptr, *engine_ = nullptr, *launcher_ = nullptr;
  QPlainTextEdit *arguments_ = nullptr, *file_ = nullptr;
  QCheckBox *dummy_ = nullptr, *keep_raw_ = nullptr;
  QString shown_launcher_;
  Card *sessions_card_ = nullptr, *requests_card_ = nullptr;
  PlanSessions* sessions_ = nullptr;
  CommandView *command_ = nullptr, *environment_view_ = nullptr, *difference_ = nullptr;
  QTabWidget* tabs_ = nullptr;
  QLabel *difference_note_ = nullptr, *difference_glyph_ = nullptr, *file_fault_ = nullptr, *requests_note_ = nullptr, *estimate_ = nullptr;
  Chip *preflight_chip_ = nullptr, *simulated_chip_ = nullptr;
  QVBoxLayout* checks_ = nullptr;
  QTableView* table_ = nullptr;
  PlanRequests* requests_ = nullptr;
  QLabel *power_title_ = nullptr, *power_text_ = nullptr, *hash_ = nullptr;
  QGridLayout* power_rows_ = nullptr;
  QPushButton *start_ = nullptr, *again_ = nullptr;
  QTimer* file_rest_ = nullptr;
  bool updating_ = false, file_faulty_ = false;
};

}  // namespace kvcliff::ui
