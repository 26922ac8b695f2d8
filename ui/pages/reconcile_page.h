// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/models/ledger_model.h"
#include "ui/models/matrix_model.h"
#include "ui/pages/page.h"

class QPushButton;
class QSplitter;
class QTableView;

namespace kvcliff::ui {

class Card;
class Chip;
class EvidencePanel;
class MatrixView;

/// The auditor's desk: every check of every request, the ledgers, and the raw evidence below.
class ReconcilePage : public Page {
  Q_OBJECT
 public:
  explicit ReconcilePage(Services services, QWidget* parent = nullptr);
  bool export_view() override;
  QString copy_text(bool csv) override;
  bool focus_filter() override;

  MatrixModel& matrix() { return matrix_; }
  LedgerModel& ledger() { return ledger_; }
  MatrixView& view() { return *view_; }
  EvidencePanel& panel() { return *panel_; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void fit_matrix();                  ///< room for all rows, until the user drags the divider
  void build_matrix(QSplitter* column);
  void build_below(QSplitter* column);
  void build_actions();
  void update_all();
  void update_ledger_buttons();
  void show_ledger(int index);        ///< 0: the experiment, else session index - 1
  void cell_selected(int row, int column);
  void go_open(bool forward);
  void export_evidence();

  MatrixModel matrix_;
  LedgerModel ledger_;
  MatrixView* view_;
  EvidencePanel* panel_;
  Card *matrix_card_, *ledger_card_;
  QWidget* ledger_choice_ = nullptr;
  std::function<void(int)> choose_ledger_;
  QTableView* ledger_view_;
  Chip *reconciled_, *possible_, *simulated_, *unexplained_;
  QPushButton *only_open_, *next_;
  QLabel* reading_;
  QSplitter* split_;
  bool following_ = false, divided_by_hand_ = false;
};

}  // namespace kvcliff::ui
