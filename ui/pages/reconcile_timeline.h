// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

#include "record/stream.h"
#include "ui/theme/theme.h"

namespace kvcliff::ui {

/// The events of one answer on a time axis from t0: tokens tall, the others short, with the named times above.
class EventTimeline : public QWidget {
  Q_OBJECT
 public:
  explicit EventTimeline(const Theme& theme, QWidget* parent = nullptr);
  void set_stream(const StreamRecord& stream);
  void set_current(int event);
  QSize sizeHint() const override { return {400, 74}; }

 signals:
  void chosen(int event);

 protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  double x_of(MonoNs at) const;
  const Theme& theme_;
  std::vector<StreamEvent> events_;
  StreamTimes times_;
  MonoNs low_ = 0, high_ = 1;
  int current_ = -1;
};

}  // namespace kvcliff::ui
