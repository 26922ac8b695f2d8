// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractTableModel>
#include <cstdint>
#include <optional>
#include <vector>

#include "ui/bridge/evidence.h"

namespace kvcliff::ui {

/// Columns of one session, side by side.
struct MatrixGroup {
  std::size_t session = 0;      ///< index into the input
  int first = 0, last = -1;     ///< columns
  int pair = -1;
  QString number, arm;
};

/// One row: a check on one kind of subject (R7, R15 and R17 have two kinds and two rows).
struct MatrixRow {
  std::size_t check = 0;        ///< index into check_table()
  CheckScope scope = CheckScope::request;
  QString id, name, title;      ///< "R3", "loaded tokens = loaded bytes", the long title
  int subjects = 0, fail = 0, not_possible = 0, not_settled = 0;
  bool flag = false;            ///< R21: seen, never a gate
};

/// One cell with all columns it covers.
struct MatrixCell {
  CheckState state = CheckState::not_applicable;
  const CheckResult* result = nullptr;   ///< null: blank
  int from = 0, to = 0;                  ///< columns, inclusive
};

/// Requests x checks: rows are checks, columns are measured requests in running order. A check of a session, a pair or
/// the experiment covers all columns of its subject.
class MatrixModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  explicit MatrixModel(QObject* parent = nullptr);

  void set_judged(JudgedPtr judged);
  JudgedPtr judged() const { return judged_; }
  /// Shows only rows and columns with something that is not a pass.
  void set_only_open(bool on);
  bool only_open() const { return only_open_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

  const std::vector<MatrixGroup>& groups() const { return groups_; }
  const MatrixRow& row(int r) const { return rows_[std::size_t(shown_rows_[std::size_t(r)])]; }
  MatrixCell cell(int row, int column) const;
  int request_of(int column) const { return shown_[std::size_t(column)]; }
  int column_of(int request) const;   ///< -1: not shown
  int group_of(int column) const;
  /// Fails and unsettled cells, in the order of requests. `forward` from a place, wrapping round.
  std::optional<std::pair<int, int>> next_open(int row, int column, bool forward) const;
  int open_left_of(int column) const;
  int open_right_of(int column) const;
  int open_count() const { return int(open_.size()); }
  /// What stands in the tooltip and what a screen reader says: check, subject, state, residual, reason.
  QString words(int row, int column) const;
  /// The whole table as text.
  QString text(bool csv) const;

 private:
  void build();
  const CheckResult* result(const MatrixRow& row, int request, std::size_t group) const;

  JudgedPtr judged_;
  bool only_open_ = false;
  std::vector<MatrixRow> rows_;
  std::vector<int> shown_rows_, shown_;         ///< indexes of rows_ and of measured requests
  std::vector<MatrixGroup> groups_;
  std::vector<std::vector<std::uint8_t>> states_;  ///< of request rows, by measured request: drawing asks often
  std::vector<std::pair<int, int>> open_;       ///< (column, row) of fails and unsettled cells, sorted
};

QString state_words(CheckState state);
/// "+1,835,008 bytes", "0 tokens", "−0.03 share".
QString residual_words(const CheckResult& result);

}  // namespace kvcliff::ui
