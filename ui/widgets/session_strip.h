// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>
#include <vector>

#include "ui/bridge/run_data.h"

namespace kvcliff::ui {

class Theme;

/// One cell per session: ordinal, arm, requests done, state with glyph and word, progress line. As many pixels as its
/// requests deserve; a row that is too long scrolls to the running one.
class SessionStrip : public QWidget {
  Q_OBJECT
 public:
  explicit SessionStrip(const Theme& theme, QWidget* parent = nullptr);
  void set_data(const RunData* data);
  /// Words of one cell, as drawn: "3 offload on, measuring, round 2, 10 of 18".
  QString words(int cell) const;
  int cells() const { return int(cells_.size()); }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {200, sizeHint().height()}; }

 signals:
  void chosen(int session);

 protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct Cell {
    int number = 0, attempt = 1, round = -1;
    QString arm, why;
    bool conditioning = false, offload = false;
    SessionState state = SessionState::planned;
    std::size_t done = 0, count = 0;
    std::int64_t took_ns = 0;
  };
  std::vector<QRectF> places() const;
  int cell_at(const QPointF& pos) const;
  void paint_cell(QPainter& p, const QRectF& r, const Cell& c, bool focused) const;

  const Theme& theme_;
  std::vector<Cell> cells_;
  int focus_cell_ = 0;
};

}  // namespace kvcliff::ui
