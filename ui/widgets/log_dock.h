// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDockWidget>
#include <QTimer>
#include <vector>

#include "record/session.h"

class QLabel;
class QLineEdit;
class QListView;
class QPushButton;

namespace kvcliff::ui {

class LogModel;
class Theme;

/// The engine's own lines, newest last: search as filter, following that pauses when one scrolls back. Bounded, and
/// filled in batches: an engine that writes without end does not slow the window.
class LogDock : public QDockWidget {
  Q_OBJECT
 public:
  explicit LogDock(const Theme& theme, QWidget* parent = nullptr);

  /// Names the server whose lines come now ("session 3, process 41,877, port 18231").
  void set_source(const QString& words);
  void append(const std::vector<LogLine>& lines, qint64 dropped = 0);
  void clear();
  LogModel& model() { return *model_; }
  bool following() const { return follow_; }
  void focus_filter();
  void copy_selection();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void flush();
  void set_following(bool on);
  void update_count();

  const Theme& theme_;
  LogModel* model_;
  QListView* list_;
  QLabel *source_, *count_;
  QLineEdit* filter_;
  QPushButton* follow_button_;
  std::vector<LogLine> waiting_;
  qint64 waiting_dropped_ = 0;
  QTimer batch_, filter_later_;
  bool follow_ = true, moving_ = false;
};

}  // namespace kvcliff::ui
