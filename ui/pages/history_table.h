// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStyledItemDelegate>
#include <QTableView>

#include "ui/models/history_model.h"

namespace kvcliff::ui {

class Theme;

/// Draws a row of History: check box, flask of simulated runs, tokens by source as one bar, verdict with its glyph.
class HistoryCells : public QStyledItemDelegate {
  Q_OBJECT
 public:
  HistoryCells(const Theme& theme, QObject* parent);
  void paint(QPainter* p, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  /// An entry that is being typed stays: a list that is read again would take it away.
  void setEditorData(QWidget* editor, const QModelIndex& index) const override;
  bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option, const QModelIndex& index) override;

 private:
  void paint_check(QPainter& p, const QRect& r, bool on) const;
  void paint_sources(QPainter& p, const QRect& r, const HistorySummary& s) const;
  void paint_verdict(QPainter& p, const QRect& r, const HistorySummary& s, qreal dpr) const;

  const Theme& theme_;
};

/// The table of runs. Space checks the current row, Enter opens it, Delete asks to delete.
class HistoryTable : public QTableView {
  Q_OBJECT
 public:
  HistoryTable(const Theme& theme, QWidget* parent = nullptr);
  void fit_columns();

 signals:
  void open_asked(const QModelIndex& index);
  void delete_asked();

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  const Theme& theme_;
};

}  // namespace kvcliff::ui
