// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QTimer>
#include <memory>

#include "ui/charts/plot.h"
#include "ui/charts/request_columns.h"

namespace kvcliff::ui {

/// The hero of Run: one stacked bar of prompt tokens by source per request with its prediction as outline, and on the same
/// axis TTFT. Long runs are drawn by level of detail. Replots at most 25 times a second, and not at all while hidden.
class RequestChart : public Plot {
  Q_OBJECT
 public:
  explicit RequestChart(const Theme& theme, QWidget* parent = nullptr);

  /// Shows other values; null shows an empty chart. Zoom and following start anew.
  void set_data(std::shared_ptr<RunData> data);
  const RunData* data() const { return data_.get(); }
  /// The data changed: asks for a replot, now or when the last one is 40 ms old.
  void data_changed();

  bool following() const { return following_; }
  void set_following(bool on);
  void select(std::int64_t request);               ///< -1: none
  /// Range of requests shown, fractions included.
  std::pair<double, double> shown() const { return {from_, to_}; }
  void show_requests(double from, double to, bool by_user = true);
  void show_all();
  void step_back();

  /// "1 column = 12 requests"; empty when each request has its own.
  QString detail_words() const;
  /// Values of a request in words, for the crosshair and for readers who cannot see it.
  QString reading(std::int64_t request) const;
  int replots() const { return replots_; }

 signals:
  void request_chosen(int request);
  void crosshair_moved(const QString& reading);
  void following_changed(bool on);
  void detail_changed(const QString& words);

 protected:
  void restyle() override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct View;                                     ///< pixel geometry of one painting
  View view(const QPainter* p) const;
  void paint_data(QPainter& p);
  void paint_bars(QPainter& p, const View& v);
  void paint_columns(QPainter& p, const View& v);
  void paint_dots(QPainter& p, const View& v);
  void paint_column_times(QPainter& p, const View& v);
  void paint_sessions(QPainter& p, const View& v);
  void paint_rounds(QPainter& p, const View& v, std::size_t session);
  void paint_axis_titles(QPainter& p, const View& v);
  void paint_over(QPainter& p);
  void paint_fault(QPainter& p, double x, double top, const QString& words) const;
  void update_ranges();
  void follow();
  void push_zoom();
  std::int64_t request_at(const QPointF& pos) const;

  std::shared_ptr<RunData> data_;
  RequestScale scale_;
  RequestColumns columns_;
  QCPAxisRect* bars_;
  QCPAxisRect* times_;
  double from_ = 0, to_ = 1;                       ///< requests shown
  double top_tokens_ = 0, top_ms_ = 0;
  std::uint64_t ranged_version_ = ~0ull;
  std::vector<std::pair<double, double>> zooms_;
  bool following_ = true, whole_ = true;
  std::int64_t selected_ = -1, cross_ = -1, pinned_ = -1;
  std::optional<double> drag_from_, drag_to_;      ///< px
  std::optional<double> pan_from_;
  QTimer throttle_;
  bool waiting_ = false;
  int replots_ = 0;
  QString detail_;
  QPixmap mark_;                                   ///< the watermark, drawn once per size
  QSize mark_size_;
  bool mark_dark_ = false;
};

}  // namespace kvcliff::ui
