// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <QThreadPool>
#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/decision.h"
#include "exchange/import.h"
#include "journal/records.h"
#include "plan/plan.h"
#include "ui/bridge/model_sizes.h"

namespace kvcliff::ui {

/// What core concludes of one experiment, for its row. Computed on a worker after the list is there.
struct HistorySummary {
  bool ready = false;
  QString why;                          ///< why there is no verdict: not judged yet, too large, unreadable
  std::string engine_version, gpu;
  std::optional<std::int64_t> computed, gpu_hit, host_loaded, unknown;   ///< tokens of measured requests of finished sessions
  std::int64_t measured = 0;
  std::optional<std::int64_t> reconciled;
  std::optional<analysis::Verdict> verdict;
  std::string verdict_why;
  QString title, sentence, gates;       ///< the whole verdict as Decide says it; empty where it was not judged here
  std::optional<analysis::Interval> ratio;   ///< hidden when withdrawn
  std::optional<std::int64_t> bytes_per_token;
  std::map<std::string, std::string> settings;   ///< environment and machine, for the comparison
};

/// One experiment of one journal.
struct HistoryRow {
  QString journal;
  journal::ExperimentRecord record;     ///< without its plan text
  std::optional<plan::Plan> plan;       ///< absent when the stored plan cannot be read
  QString plan_why;
  std::optional<double> working_set;    ///< in multiples of the usable GPU cache
  bool read_only = false;
  HistorySummary summary;

  QString number() const { return QStringLiteral("E-%1").arg(record.id, 4, 10, QLatin1Char('0')); }
  bool same(const HistoryRow& o) const { return journal == o.journal && record.uid == o.record.uid; }
};

/// How a file was found when it was opened.
struct HistoryOpened {
  QString journal, word, sentence;      ///< empty sentence: it is open
  bool newer = false;                   ///< a newer schema: may be read as far as it is known
  bool read_only = false;
  bool empty = false;
};

/// A result of another tool that was read and waits for what its file does not say.
struct ForeignFile {
  QString file, journal;                ///< where it lies, and the journal it goes into
  std::shared_ptr<const std::string> content;
  std::shared_ptr<const exchange::ForeignResult> result;
};

/// Reads journals and does what changes them, one task after the other on a worker. Signals come on the GUI thread.
class HistoryLoader : public QObject {
  Q_OBJECT
 public:
  explicit HistoryLoader(QString resources, QObject* parent = nullptr);
  ~HistoryLoader() override;

  /// Lists the journal's experiments in pages, newest first, and then judges each of them.
  void load(const QString& journal, bool allow_newer = false);
  void forget(const QString& journal);
  void set_tags(const QString& journal, std::int64_t experiment, const QStringList& tags);
  /// Copies of the experiments go into `trash` first, so that `restore` can bring them back.
  void remove(const QString& journal, const std::vector<std::int64_t>& experiments, const QString& trash);
  void restore(const QString& trash, const QString& journal);
  /// A journal or bundle is copied into `journal`; a result of another tool is read, and `result_read` follows.
  void import(const QString& file, const QString& journal);
  /// Writes such a result as an experiment of one session.
  void import_result(const ForeignFile& file, const exchange::ImportOptions& options);
  void export_bundle(const QString& journal, std::int64_t experiment, const QString& target);
  void cancel() { cancel_ = true; }
  bool busy() const { return tasks_ > 0; }

 signals:
  void opened(const kvcliff::ui::HistoryOpened& state);
  void rows(const QString& journal, const std::vector<kvcliff::ui::HistoryRow>& rows, bool last);
  void summarised(const QString& journal, const QString& uid, const kvcliff::ui::HistorySummary& summary);
  /// `task`: tags, remove, restore, import, export. An empty error: done; `note` says what exactly.
  void task_done(const QString& task, const QString& journal, const QString& error, const QString& note);
  void result_read(const kvcliff::ui::ForeignFile& file);
  void busy_changed(bool busy);

 private:
  void run(std::function<void()> work);
  void read_result(const QString& file, const QString& journal);
  void finish(const QString& task, const QString& journal, const Result<void>& result, const QString& note = {});
  void summarise(const QString& journal, std::vector<HistoryRow> rows, std::shared_ptr<std::atomic<bool>> stop);

  std::shared_ptr<const ModelSizes> sizes_;
  QThreadPool list_pool_, judge_pool_;    ///< judging a large run must not hold up the list
  std::map<QString, std::shared_ptr<std::atomic<bool>>> stops_;
  std::atomic<bool> cancel_{false};
  int tasks_ = 0;
};

/// What core concludes of one experiment. `most_requests`: a larger run is not judged here, only its tokens are summed.
HistorySummary summary_of(const QString& journal, const journal::ExperimentRecord& record, const ModelSizes& sizes,
                          std::int64_t most_requests, const std::atomic<bool>& stop);

}  // namespace kvcliff::ui
