// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractScrollArea>

#include "ui/models/matrix_model.h"
#include "ui/theme/theme.h"

namespace kvcliff::ui {

/// The matrix, painted by hand: pass is a quiet dot, fail a filled cell with a cross. Over 150 requests columns shrink to
/// 3 px at least and passes become one tint; then it scrolls.
class MatrixView : public QAbstractScrollArea {
  Q_OBJECT
 public:
  MatrixView(const Theme& theme, MatrixModel& model, QWidget* parent = nullptr);

  int current_row() const { return row_; }
  int current_column() const { return column_; }
  /// Selects a cell and scrolls to it; told to others by `selected`.
  void select(int row, int column);
  /// Follows a request chosen elsewhere; the row stays.
  void show_request(int request);
  bool next_open(bool forward);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;
  /// Where a cell is painted, in viewport coordinates.
  QRectF cell_rect(int row, int column) const;

 signals:
  void selected(int row, int column);
  void opened();                      ///< Enter or double click: to the evidence

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  struct Hit {
    int row = -1, column = -1;
  };
  Hit at(const QPointF& pos) const;
  void arrange();
  void reveal();                      ///< scrolls to what is selected
  int whole_rows(int pixels) const;   ///< pixels of the rows that cover so many
  void move(int rows, int columns);
  double x_of(int column) const;      ///< left edge before scrolling
  int column_at(double x) const;
  double content_width() const;
  void paint_header(QPainter& p, int first, int last);
  void paint_labels(QPainter& p);
  void paint_cells(QPainter& p, int first, int last);
  void paint_cell(QPainter& p, const QRectF& rect, CheckState state, bool glyph) const;
  bool separates(int row) const;      ///< a rule above: the first row of another kind of subject

  const Theme& theme_;
  MatrixModel& model_;
  int row_ = -1, column_ = -1;
  int slot_ = 12, row_height_ = 17, header_ = 40, labels_ = 270, id_width_ = 32;
  std::pair<int, int> drawn_{-1, -1};
};

}  // namespace kvcliff::ui
