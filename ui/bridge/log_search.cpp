// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/log_search.h"

#include "journal/reader.h"
#include "ui/widgets/log_model.h"

namespace kvcliff::ui {

LogSearch::LogSearch(QObject* parent) : QObject(parent), stop_(std::make_shared<std::atomic<bool>>(false)) {
  pool_.setMaxThreadCount(1);
  qRegisterMetaType<std::vector<kvcliff::LogLine>>("std::vector<kvcliff::LogLine>");
}

LogSearch::~LogSearch() {
  cancel();
  pool_.waitForDone();
}

void LogSearch::set_source(const QString& journal, qint64 session) {
  cancel();
  journal_ = journal;
  session_ = session;
}

void LogSearch::cancel() {
  *stop_ = true;
  pool_.clear();
}

void LogSearch::search(const QString& words) {
  cancel();
  if (session_ == 0 || words.isEmpty()) return;
  auto stop = stop_ = std::make_shared<std::atomic<bool>>(false);
  pool_.start([this, stop, words, journal = journal_.toStdString(), session = session_] {
    const auto reader = journal::Reader::open(journal);
    auto result = reader ? reader->find_in_log(session, words.toStdString(), std::int64_t(LogModel::capacity), [stop] { return !*stop; })
                         : Result<journal::Reader::LogFound>(fail(reader.error()));
    if (*stop) return;
    QMetaObject::invokeMethod(this, [this, stop, words, result = std::move(result)] {
      if (*stop) return;
      if (result) emit found(words, result->lines, result->matches, result->searched);
      else emit failed(words, QString::fromStdString(result.error().sentence()));
    }, Qt::QueuedConnection);
  });
}

}  // namespace kvcliff::ui
