// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <QThreadPool>
#include <atomic>
#include <memory>
#include <vector>

#include "record/session.h"

namespace kvcliff::ui {

/// Searches the whole log of one session in its journal, on a worker: the window keeps only the newest lines. What is asked
/// for last is answered; an older search is broken off.
class LogSearch : public QObject {
  Q_OBJECT
 public:
  explicit LogSearch(QObject* parent = nullptr);
  ~LogSearch() override;

  /// Session row 0: nothing can be searched.
  void set_source(const QString& journal, qint64 session);
  void search(const QString& words);
  void cancel();

 signals:
  /// `lines`: the newest of the `matches`, at most as many as the dock keeps; `searched`: lines of the whole log.
  void found(const QString& words, const std::vector<kvcliff::LogLine>& lines, qint64 matches, qint64 searched);
  void failed(const QString& words, const QString& why);

 private:
  QString journal_;
  qint64 session_ = 0;
  std::shared_ptr<std::atomic<bool>> stop_;
  QThreadPool pool_;
};

}  // namespace kvcliff::ui
