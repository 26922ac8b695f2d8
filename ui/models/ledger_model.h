// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractTableModel>
#include <vector>

#include "record/check.h"

namespace kvcliff::ui {

/// One ledger: per quantity expected, measured, what explains the difference, and what stays unexplained.
class LedgerModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Quantity, Expected, Measured, Explained, Unexplained, ColumnCount };

  explicit LedgerModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}
  void set_lines(std::vector<LedgerLine> lines);
  const LedgerLine& line(int row) const { return lines_[std::size_t(row)]; }
  /// Sums of absolute unexplained amounts by unit, for the chip: "0", "1,835,008 bytes", "unknown".
  QString unexplained_words() const;
  bool clean() const;
  /// Every line could be accounted for; otherwise "clean" only says that nothing was found.
  bool known() const;
  QString text(bool csv) const;

  int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : int(lines_.size()); }
  int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : ColumnCount; }
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  std::vector<LedgerLine> lines_;
};

}  // namespace kvcliff::ui
