// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <QTimer>
#include <memory>
#include <thread>
#include <vector>

#include "plan/plan.h"
#include "ui/bridge/run_data.h"

namespace kvcliff::ui {

/// What the counters of the running server said last. Absent = not reported.
struct ServerReading {
  std::int64_t session = 0;
  std::optional<double> gpu_usage;     ///< share of the GPU blocks held by running requests
  std::optional<double> running, waiting;
  std::optional<double> loaded_bytes, stored_bytes;   ///< since the server started
  std::vector<double> rates;           ///< bytes per second of the newest loads, oldest first; 0 = nothing was loaded
  QString error;                       ///< the page could not be read, and why
  int readings = 0;
};

/// The stream that runs now, as far as it has come.
struct StreamNow {
  std::int64_t session = 0;
  std::int64_t index = -1;             ///< in RunData::requests; -1: a warm-up request
  int ordinal = 0;
  bool warmup = false;
  MonoNs began = 0;                    ///< our time when it was sent
  std::vector<StreamEvent> events;
  bool ended = false, settled = false;
  std::optional<StreamTimes> times;    ///< once the stream has ended
  std::string text;                    ///< answer, once the stream has ended
};

struct RunProgress {
  int sessions = 0, sessions_done = 0, session = -1;
  std::int64_t requests = 0, requests_done = 0;
  std::optional<qint64> left_ns;       ///< absent until one request was measured
  bool paused = false;
  QString doing;
};

/// Live counts of the checks: requests that are reconciled, that are not, of those judged so far.
struct LiveChecks {
  int judged = 0, reconciled = 0;
};

struct StartOptions {
  double time_scale = 1.0;             ///< emulator only: 0.02 is fifty times faster
  std::int64_t resume = 0;             ///< journal row of an unfinished experiment
  QString plan_folder;                 ///< what relative paths of the plan start from; empty = the working directory
  QString attach_url;                  ///< measure this running server instead of launching
};

/// Runs an experiment on its own thread and turns its observer's calls into signals on the GUI thread, whole values in
/// batches at most 40 times a second.
class RunController : public QObject {
  Q_OBJECT
 public:
  explicit RunController(QObject* parent = nullptr);
  ~RunController() override;

  void set_resources(const QString& folder) { resources_ = folder; }
  /// For every emulated run that says nothing else; 0.02 makes the demonstration fifty times faster.
  void set_time_scale(double scale) { time_scale_ = scale; }
  /// A new journal file in the user's data folder: "<name>-2026-12-01-131502.kvcliff".
  static QString default_journal(const QString& plan_name);

  /// Starts; an empty `journal` means default_journal. False when one runs already or the plan has faults: `error` says so.
  bool start(const plan::Plan& plan, const QString& journal = {}, const StartOptions& options = {}, QString* error = nullptr);
  void pause();                        ///< after the present request
  void resume();
  void stop();                         ///< cuts the present request, stops the server, closes the journal whole
  bool running() const { return running_; }
  bool paused() const;
  bool stopping() const { return stopping_; }

  /// The run under way, or the last one of this window. Null before the first.
  const RunData* data() const { return data_.get(); }
  std::shared_ptr<RunData> shared_data() const { return data_; }
  const ServerReading& server() const { return server_; }
  const StreamNow& stream() const { return stream_; }
  const RunProgress& progress() const { return progress_; }
  const LiveChecks& checks() const { return checks_; }
  /// How long our observer's calls waited in the queue at most, ns: the age of what is shown.
  qint64 worst_age_ns() const { return worst_age_; }

 signals:
  void running_changed(bool running);
  void started();                      ///< data() is a new object
  void updated();                      ///< after each batch
  void log_lines(qint64 session, const std::vector<kvcliff::LogLine>& lines, qint64 dropped);
  void noticed(const QString& severity, const QString& text);
  void checks_changed();
  /// The run is over and its journal closed. `end`: finished, failed, stopped; experiment 0 = nothing was journalled.
  void finished(const QString& end, const QString& why, const QString& journal, qint64 experiment);

 private:
  struct Job;
  void drain();
  void check_live();
  void over();

  QString resources_;
  double time_scale_ = 1.0;
  std::shared_ptr<Job> job_;
  std::jthread worker_, checker_;
  std::shared_ptr<RunData> data_;
  ServerReading server_;
  StreamNow stream_;
  RunProgress progress_;
  LiveChecks checks_, checks_before_;
  QTimer tick_;
  qint64 worst_age_ = 0;
  bool running_ = false, stopping_ = false, checking_ = false;
};

}  // namespace kvcliff::ui
