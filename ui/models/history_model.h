// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractTableModel>
#include <QSet>
#include <QSortFilterProxyModel>
#include <functional>
#include <set>

#include "ui/models/history_rows.h"

namespace kvcliff::ui {

/// All experiments of the opened journals. Rows are checked to be compared; tags can be edited in place.
class HistoryModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Run, Started, Name, Model, Engine, WorkingSet, HostGib, Sources, Reconciled, VerdictColumn, Ratio, Tags, ColumnCount };
  static constexpr int SortRole = Qt::UserRole + 1;    ///< invalid where unknown
  static constexpr int RowRole = Qt::UserRole + 2;     ///< int: index into rows()

  using QAbstractTableModel::QAbstractTableModel;

  const std::vector<HistoryRow>& rows() const { return rows_; }
  const HistoryRow& row(int i) const { return rows_[static_cast<std::size_t>(i)]; }
  /// Rows of one reading of a journal, in portions. Runs that are known keep their place, with what is being edited in
  /// them; those that the whole reading (`first` to `last`) did not bring are taken out.
  void put(const QString& journal, const std::vector<HistoryRow>& rows, bool first, bool last);
  void remove_journal(const QString& journal);
  void summarise(const QString& journal, const QString& uid, const HistorySummary& summary);
  std::vector<int> checked() const;
  void clear_checks();

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  /// Text of a cell for files: plain numbers, no separators.
  QString plain(int row, int column) const;

  static QString verdict_word(const HistorySummary& s);
  /// "today 10:43", "28 Nov 2026": local time for people; the journal holds UTC.
  static QString when(WallNs t);

 signals:
  void checks_changed();
  void tags_edited(const QString& journal, qint64 experiment, const QStringList& tags);

 private:
  QString shown(const HistoryRow& r, int column) const;
  QVariant sort_value(const HistoryRow& r, int column) const;

  std::vector<HistoryRow> rows_;
  void remove_rows(const std::function<bool(const HistoryRow&)>& which);

  QSet<QString> checked_;   ///< run ids
  std::map<QString, std::set<std::string>> unseen_;   ///< by journal: run ids that its present reading has not brought yet
};

/// Search over name, model, engine, tags, verdict, run id and plan hash; all words must occur. Unknown values sort last.
class HistoryFilter : public QSortFilterProxyModel {
  Q_OBJECT
 public:
  enum Kind { All, ReconciledRuns, WithdrawnRuns, ImportedRuns };
  using QSortFilterProxyModel::QSortFilterProxyModel;
  void set_text(const QString& text);
  void set_kind(int kind);

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
  bool lessThan(const QModelIndex& a, const QModelIndex& b) const override;

 private:
  QStringList words_;
  int kind_ = All;
};

}  // namespace kvcliff::ui
