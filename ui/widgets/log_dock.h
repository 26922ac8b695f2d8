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
  /// Lines of the whole log for the filter's present words, in place of those that are kept. Other words: ignored.
  void show_found(const QString& words, const std::vector<LogLine>& lines, qint64 matches, qint64 searched);
  /// The journal could not be searched: what the view holds is all that is shown.
  void show_search_failed(const QString& words, const QString& sentence);
  /// The model that is shown: the kept lines, or those that a search of the whole log found.
  const LogModel& shown() const;

 signals:
  /// The filter has words and older lines are no longer kept: who knows the journal searches it. Empty: no more.
  void search_asked(const QString& words);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void flush();
  void set_following(bool on);
  void update_count();
  void apply_filter();
  void show_model(LogModel* model);

  const Theme& theme_;
  LogModel *model_, *found_;
  QListView* list_;
  QLabel *source_, *count_;
  QLineEdit* filter_;
  QPushButton* follow_button_;
  std::vector<LogLine> waiting_;
  qint64 waiting_dropped_ = 0;
  QTimer batch_, filter_later_, search_again_;
  qint64 matches_ = 0, searched_ = 0;
  bool follow_ = true, moving_ = false;
};

}  // namespace kvcliff::ui
