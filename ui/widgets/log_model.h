// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractListModel>
#include <QString>
#include <deque>
#include <vector>

#include "record/session.h"

namespace kvcliff::ui {

/// The newest lines of an engine's output, at most `capacity`, and of them those that contain the filter's words.
/// Lines come in batches; every batch is one insertion, whatever its size.
class LogModel : public QAbstractListModel {
  Q_OBJECT
 public:
  static constexpr std::size_t capacity = 20'000;
  enum Role { TimeRole = Qt::UserRole, LevelRole, TextRole, StderrRole };

  explicit LogModel(QObject* parent = nullptr) : QAbstractListModel(parent) {}
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

  void append(const std::vector<LogLine>& lines, qint64 dropped = 0);
  void clear();
  void set_filter(const QString& words);
  const QString& filter() const { return filter_; }
  /// Lines that came since `clear`, and those of them that are not kept any more.
  qint64 total() const { return total_; }
  qint64 dropped() const { return dropped_; }
  int kept() const { return int(lines_.size()); }
  QString text(int row) const;         ///< one line as shown, for the clipboard

 private:
  struct Line {
    QString time, level, text;
    bool is_stderr = false;
  };
  static Line made_from(const LogLine& l);
  bool passes(const Line& l) const { return filter_.isEmpty() || l.text.contains(filter_, Qt::CaseInsensitive) || l.level.contains(filter_, Qt::CaseInsensitive); }
  const Line& line(int row) const { return lines_[std::size_t(shown_[std::size_t(row)] - first_)]; }

  std::deque<Line> lines_;
  qint64 first_ = 0;                   ///< number of lines_[0], counted from the first ever
  std::deque<qint64> shown_;           ///< numbers of the lines that pass, in order
  QString filter_;
  qint64 total_ = 0, dropped_ = 0;
};

}  // namespace kvcliff::ui
