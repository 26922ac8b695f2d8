// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractTableModel>
#include <QByteArray>
#include <QStyledItemDelegate>
#include <vector>

#include "ui/theme/theme.h"

namespace kvcliff::ui {

/// One cell of a read-only table.
struct Cell {
  QString text;
  QString plain = {};        ///< for CSV: no separators, dot as decimal; empty = text
  QByteArray tone = {};      ///< palette name; empty = text
  bool bold = false, fixed = false;
  QString tip = {};
  QString definition = {};   ///< opened by click, F1 or Enter; drawn with a dotted underline
};

/// A read-only table of words and numbers; what the evidence tabs and the tables of Decide show.
class EvidenceTable : public QAbstractTableModel {
  Q_OBJECT
 public:
  struct Column {
    QString name;
    bool number = false;     ///< right-aligned, digits of equal width
    QString tip = {};
  };
  static constexpr int ToneRole = Qt::UserRole + 1, BoldRole = Qt::UserRole + 2, FixedRole = Qt::UserRole + 3, PlainRole = Qt::UserRole + 4,
                       DefinitionRole = Qt::UserRole + 5;

  explicit EvidenceTable(std::vector<Column> columns, QObject* parent = nullptr) : QAbstractTableModel(parent), columns_(std::move(columns)) {}
  void set_rows(std::vector<std::vector<Cell>> rows);
  const Cell& cell(int row, int column) const { return rows_[std::size_t(row)][std::size_t(column)]; }
  bool is_number(int column) const { return columns_[std::size_t(column)].number; }
  QString text(bool csv) const;

  int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : int(rows_.size()); }
  int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : int(columns_.size()); }
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

/// Draws numbers with equal digits, in the tone, weight and font of the cell, on the ground of a failed row.
class EvidenceDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  EvidenceDelegate(const Theme& theme, QObject* parent) : QStyledItemDelegate(parent), theme_(theme) {}
  void paint(QPainter* p, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  QFont font_of(const QModelIndex& index) const;
  const Theme& theme_;
};

}  // namespace kvcliff::ui
