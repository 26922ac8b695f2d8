// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <qcustomplot.h>

#include <functional>

#include "ui/theme/theme.h"

namespace kvcliff::ui {

/// One layer of our own drawing inside a plot. Plain QPainter code; the plot gives axes, ticks and ranges.
/// The painter comes without antialiasing (QCPPainter's own switch moves the origin by half a pixel); `draw` sets the
/// render hint itself.
class PaintLayer : public QCPLayerable {
 public:
  PaintLayer(QCustomPlot* plot, const QString& layer, std::function<void(QPainter&)> draw);

  /// Optional mouse handling: distance in pixels to what can be grabbed (-1: nothing), then press, move, release.
  std::function<double(const QPointF&)> grab_distance;
  std::function<void(QMouseEvent*)> pressed, moved, released;

 protected:
  void draw(QCPPainter* painter) override;
  void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
  double selectTest(const QPointF& pos, bool only_selectable, QVariant* details) const override;
  void mousePressEvent(QMouseEvent* event, const QVariant& details) override;
  void mouseMoveEvent(QMouseEvent* event, const QPointF& start) override;
  void mouseReleaseEvent(QMouseEvent* event, const QPointF& start) override;

 private:
  std::function<void(QPainter&)> draw_;
};

/// What every chart of the window shares: colours and fonts of the theme, layers from below (background, grid, data,
/// overgrid, axes, caps, marker), replots only when visible, device pixel ratio of the present screen, exports.
class Plot : public QCustomPlot {
  Q_OBJECT
 public:
  Plot(const Theme& theme, const QString& object_name, const QString& title, QWidget* parent = nullptr);

  const Theme& theme() const { return theme_; }
  QString title() const { return title_; }
  /// Asks for a replot with the next event loop turn; while hidden only remembered.
  void refresh();
  /// Watermark words ("SIMULATED"); empty = none. Drawn above the data, in every export.
  void set_watermark(const QString& words);
  /// Line under an exported picture: run id, versions, plan hash, gates.
  void set_caption(const QString& caption) { caption_ = caption; }

  /// Picture of the chart at a size of its own, not the widget's. `scale` 1, 2, 3.
  QImage image(QSize size, double scale);
  QByteArray svg(QSize size);
  QByteArray pdf(QSize size);
  /// Into a part of a page that somebody else paints; vectors, without title and caption.
  void paint_on(QCPPainter& p, const QRectF& where);
  /// Asks where and writes PNG, SVG or PDF by the name's ending.
  bool export_dialog();
  bool export_to(const QString& path, QSize size, double scale, QString* error);

  /// x or y snapped to device pixels of the painter in use.
  static double snap(const QPainter& p, double v);

 signals:
  void export_failed(const QString& sentence);

 protected:
  virtual void restyle();
  void style_axis(QCPAxis* axis) const;
  void showEvent(QShowEvent* event) override;
  bool event(QEvent* event) override;
  /// Plots lower than 200 px carry the words small in `low_place` instead; null: right above the plot.
  void draw_watermark(QPainter& p, const QRectF& plot, const QRectF& low_place = {});

 private slots:
  void screen_changed();

 private:
  class AsPaper;
  void render(QPainter& p, QSize size, double scale);

  const Theme& theme_;
  QString title_, watermark_, caption_;
  bool dirty_ = true;
};

}  // namespace kvcliff::ui
