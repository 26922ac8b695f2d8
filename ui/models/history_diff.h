// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractTableModel>

#include "ui/models/history_rows.h"

namespace kvcliff::ui {

/// Settings of the compared runs, those that differ first: a row per setting, a column per run.
class HistoryDiff : public QAbstractTableModel {
  Q_OBJECT
 public:
  static constexpr int DiffersRole = Qt::UserRole + 1;

  using QAbstractTableModel::QAbstractTableModel;
  void compare(const std::vector<const HistoryRow*>& runs);
  int differing() const { return differing_; }
  int settings() const { return static_cast<int>(lines_.size()); }
  /// Models or engines differ: times of such runs must not be subtracted.
  bool other_model() const { return other_model_; }
  bool other_engine() const { return other_engine_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  QString text(QChar separator) const;

 private:
  struct Line {
    QString name, place;       ///< in words; place in the plan file
    QStringList values;        ///< empty text: not set there
    bool differs = false;
  };
  std::vector<Line> lines_;
  QStringList titles_;
  int differing_ = 0;
  bool other_model_ = false, other_engine_ = false;
};

}  // namespace kvcliff::ui
