// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QElapsedTimer>
#include <algorithm>
#include <optional>
#include <vector>

#include "ui/charts/cliff_shape.h"
#include "ui/charts/label_place.h"
#include "ui/charts/plot.h"

namespace kvcliff::ui {

/// The hero of Predict: share of prompt tokens by source against the working set, stacked, with the capacities as
/// lines and this workload as a marker; below it, on the same axis, the histogram of revisit distances.
class CliffChart : public Plot {
  Q_OBJECT
 public:
  explicit CliffChart(const Theme& theme, QWidget* parent = nullptr);

  void set_shape(const CliffShape& shape);
  const CliffShape& shape() const { return shape_; }
  /// Usable blocks; `host_blocks` 0 = no tier. `block_bytes` turns blocks into GiB on the flags; 0 = not shown.
  void set_capacities(double gpu_blocks, double host_blocks, double block_bytes);
  void set_marker(double blocks);
  double marker() const { return marker_; }
  void set_histogram(std::vector<DistanceBin> bins, const QString& sentence);
  /// A second curve drawn as points with intervals: the measured cliff of a sweep.
  struct Measured {
    double blocks, gpu, host, low, high;
    bool tier = true;                    ///< filled dots with the tier, hollow ones without
  };
  /// Between which sizes a measured cliff lies, blocks.
  struct Edge {
    double low, high;
  };
  void set_measured(std::vector<Measured> points, std::vector<Edge> edges = {});
  /// Without the histogram the areas take its place: for panels that are not the page's hero.
  void show_histogram(bool shown);

  /// The whole axis, zoom and pin forgotten.
  void show_all();
  bool zoomed() const { return !views_.empty(); }
  /// Blocks in view.
  QCPRange view() const { return areas_->axis(QCPAxis::atBottom)->range(); }
  /// Where the names of the areas stand, as drawn last, and what they keep clear of: lines, points with their intervals.
  const std::vector<QRectF>& names() const { return names_; }
  Obstacles obstacles() const;
  /// "6 documents: 99.85 % loaded, 0.15 % computed" at the marker.
  QString reading() const;

 signals:
  void marker_moved(double blocks);      ///< while dragging and by keys
  void marker_reset();                   ///< Home: back to the plan's value
  void gpu_moved(double blocks);
  void host_moved(double blocks);
  void crosshair_moved(const QString& reading);

 protected:
  void restyle() override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  enum class Grab { None, Marker, Gpu, Host };
  void paint_zones(QPainter& p);
  void paint_areas(QPainter& p);
  void paint_over_grid(QPainter& p);
  void paint_histogram(QPainter& p);
  void paint_capacities(QPainter& p);
  void paint_labels(QPainter& p);
  void paint_marker(QPainter& p);
  void paint_axis_titles(QPainter& p);
  void paint_measured(QPainter& p);
  void paint_ramp_label(QPainter& p, bool with_host, const QString& text, Obstacles& taken);
  QRectF reading_box() const;
  /// Where words of a size stand inside a source's area; nothing where it has no room for them.
  std::optional<QRectF> place_of_name(Source source, QSizeF size, const std::vector<CliffPoint>& shares, const Obstacles& obstacles) const;
  double draw_flag(QPainter& p, double x, const QString& name, const QString& detail, bool filled, const std::vector<Span>& taken,
                   Span* used);
  double x_pixel(double blocks) const;
  double y_pixel(double share) const;
  QRectF area() const;
  Grab grabbed_at(const QPointF& pos, double* distance) const;
  double snapped(double blocks, Qt::KeyboardModifiers modifiers) const;
  bool tier() const { return host_blocks_ > gpu_blocks_; }
  QString size_words(double blocks) const;
  void update_axes();
  void update_ticks();
  QCPRange whole() const { return {0, std::max(1.0, shape_.max_blocks)}; }
  bool in_view(double blocks) const { return blocks >= view().lower - 1e-6 && blocks <= view().upper * 1.0001; }
  void push_view();
  void set_view(QCPRange range);       ///< within the whole axis, and not narrower than a few blocks
  void step_back();
  void zoom(double factor, double around);
  void paint_zoom(QPainter& p);        ///< rubber band and pin
  QString words_at(double blocks) const;

  CliffShape shape_;
  double gpu_blocks_ = 0, host_blocks_ = 0, block_bytes_ = 0, marker_ = 0;
  std::vector<DistanceBin> bins_;
  std::vector<Measured> measured_;
  std::vector<Edge> edges_;
  QString histogram_sentence_;
  QRectF histogram_words_;             ///< where the sentence stands
  std::vector<QRectF> names_;
  QCPAxisRect* areas_;
  QCPAxisRect* histogram_;
  Grab grab_ = Grab::None;
  std::optional<double> cross_, pinned_;
  std::optional<QPointF> pressed_, dragged_;   ///< of a rubber band
  std::vector<QCPRange> views_;                ///< to step back to
  QElapsedTimer wheel_;                        ///< turns that follow each other are one step
};

}  // namespace kvcliff::ui
