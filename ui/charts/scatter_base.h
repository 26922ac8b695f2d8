// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <vector>

#include "ui/charts/plot.h"

namespace kvcliff::ui {

/// A request drawn as a point: marker by source, linked to the tables by its number.
struct ChartMark {
  double x = 0, y = 0;
  Source source = Source::unknown;
  int request = -1;          ///< index of the measured request; -1: none
  QString words;             ///< readout: "request 31: 14.1 ms, host loaded"
};

/// Where most of a prompt came from; unknown when a source is not known.
struct TokenSourcesView {
  static Source main_source(const TokenSources& sources);
};

/// Circle computed, square host loaded, diamond GPU hit, cross unknown: the second channel beside colour.
void draw_mark(QPainter& p, const Theme& theme, Source source, QPointF at, double size, bool hollow = false);

/// What the charts of Decide share: one axis rect, crosshair with a readout, nearest point selects its request, wheel and
/// rubber band zoom with a stack that Esc steps back, Home resets.
class PointPlot : public Plot {
  Q_OBJECT
 public:
  PointPlot(const Theme& theme, const QString& object_name, const QString& title, QWidget* parent = nullptr);

  void set_selected(int request);
  int selected() const { return selected_; }
  const std::vector<ChartMark>& marks() const { return marks_; }
  bool zoomed() const { return !stack_.empty(); }

 signals:
  void reading_changed(const QString& text);   ///< empty: the pointer left
  void request_chosen(int request);

 protected:
  /// Data below points; points and labels are drawn by the base between.
  virtual void paint_below(QPainter&) {}
  virtual void paint_above(QPainter&) {}
  virtual QString words_at(double x, double y) const = 0;
  virtual bool connects_marks() const { return true; }   ///< false: marks are not drawn by the base

  QCPAxisRect* rect() const { return rect_; }
  QCPAxis* x_axis() const { return rect_->axis(QCPAxis::atBottom); }
  QCPAxis* y_axis() const { return rect_->axis(QCPAxis::atLeft); }
  QPointF pixel(double x, double y) const { return {x_axis()->coordToPixel(x), y_axis()->coordToPixel(y)}; }
  void set_home(QCPRange x, QCPRange y);
  void set_marks(std::vector<ChartMark> marks);
  QString x_title_, y_title_;

  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  struct View {
    QCPRange x, y;
  };
  void push_view();
  void step_back();
  int nearest(const QPointF& pos, double reach) const;
  void paint_data(QPainter& p);
  void paint_titles(QPainter& p);
  void paint_cross(QPainter& p);

  QCPAxisRect* rect_;
  std::vector<ChartMark> marks_;
  std::vector<View> stack_;
  View home_;
  int selected_ = -1, hovered_ = -1;
  std::optional<QPointF> cross_, pinned_, pressed_;
};

}  // namespace kvcliff::ui
