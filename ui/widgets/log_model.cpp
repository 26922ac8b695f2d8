// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/log_model.h"

#include <QDateTime>

#include "ui/theme/plain_text.h"

namespace kvcliff::ui {
namespace {

// A line as long as a book is shown by its beginning; the journal has all of it.
constexpr qsizetype shown_length = 4000;

}  // namespace

LogModel::Line LogModel::made_from(const LogLine& l) {
  Line out;
  out.is_stderr = l.is_stderr;
  out.time = QDateTime::fromMSecsSinceEpoch(l.at.wall / 1'000'000).toString(QStringLiteral("HH:mm:ss.zzz"));
  QString text = shown_lines(std::string_view(l.text).substr(0, 4 * shown_length));
  if (text.size() > shown_length || l.truncated) text = text.left(shown_length) + QChar(0x2026);
  text.replace(QLatin1Char('\t'), QStringLiteral("    "));
  // Python loggers write the level first; it gets a column of its own.
  for (const char* level : {"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"}) {
    const QLatin1String word(level);
    const qsizetype at = text.indexOf(word);
    if (at < 0 || at > 40 || (at > 0 && text[at - 1] != QLatin1Char(' ') && text[at - 1] != QLatin1Char(')'))) continue;
    out.level = word;
    if (at == 0) text = text.mid(word.size()).trimmed();
    break;
  }
  if (text.startsWith(QLatin1Char(':'))) text = text.mid(1).trimmed();
  out.text = text;
  return out;
}

int LogModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(shown_.size()); }

QVariant LogModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() < 0 || index.row() >= int(shown_.size())) return {};
  const Line& l = line(index.row());
  switch (role) {
    case Qt::DisplayRole:
    case Qt::AccessibleTextRole: return text(index.row());
    case Qt::ToolTipRole: return l.text.size() > 120 ? l.text.left(2000) : QVariant();
    case TimeRole: return l.time;
    case LevelRole: return l.level;
    case TextRole: return l.text;
    case StderrRole: return l.is_stderr;
    default: return {};
  }
}

QString LogModel::text(int row) const {
  const Line& l = line(row);
  return l.time + QStringLiteral("  ") + (l.level.isEmpty() ? QString() : l.level + QStringLiteral("  ")) + l.text;
}

void LogModel::append(const std::vector<LogLine>& lines, qint64 dropped) {
  total_ += qint64(lines.size()) + dropped;
  dropped_ += dropped;
  const std::size_t from = lines.size() > capacity ? lines.size() - capacity : 0;
  const std::size_t coming = lines.size() - from;
  // Oldest first out, so that the bound holds at every moment.
  if (const std::size_t after = lines_.size() + coming; after > capacity) {
    const std::size_t out = after - capacity;
    const qint64 next = first_ + qint64(out);
    std::size_t rows = 0;
    while (rows < shown_.size() && shown_[rows] < next) ++rows;
    if (rows > 0) {
      beginRemoveRows({}, 0, int(rows) - 1);
      shown_.erase(shown_.begin(), shown_.begin() + std::ptrdiff_t(rows));
    }
    lines_.erase(lines_.begin(), lines_.begin() + std::ptrdiff_t(out));
    first_ = next;
    if (rows > 0) endRemoveRows();
    dropped_ += qint64(out) + qint64(from);
  }
  std::vector<qint64> passing;
  std::vector<Line> made;
  for (std::size_t i = from; i < lines.size(); ++i) {
    made.push_back(made_from(lines[i]));
    if (passes(made.back())) passing.push_back(first_ + qint64(lines_.size() + made.size()) - 1);
  }
  if (!passing.empty()) beginInsertRows({}, int(shown_.size()), int(shown_.size() + passing.size()) - 1);
  for (Line& l : made) lines_.push_back(std::move(l));
  shown_.insert(shown_.end(), passing.begin(), passing.end());
  if (!passing.empty()) endInsertRows();
}

void LogModel::clear() {
  beginResetModel();
  lines_.clear();
  shown_.clear();
  first_ = total_ = dropped_ = 0;
  endResetModel();
}

void LogModel::set_filter(const QString& words) {
  if (words == filter_) return;
  beginResetModel();
  filter_ = words;
  shown_.clear();
  for (std::size_t i = 0; i < lines_.size(); ++i)
    if (passes(lines_[i])) shown_.push_back(first_ + qint64(i));
  endResetModel();
}

}  // namespace kvcliff::ui
