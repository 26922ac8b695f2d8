// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

#include "experiment/runner.h"
#include "ui/bridge/model_sizes.h"
#include "ui/bridge/run_controller.h"

namespace kvcliff::ui {

/// What crosses from the runner's thread to the GUI thread: calls in order, and the engine's lines apart from them, so
/// that an engine that writes without end costs a bounded buffer and never delays a result.
class RunTap : public experiment::Observer {
 public:
  using Call = std::function<void(RunController&)>;
  struct Lines {
    std::int64_t session = 0;
    std::vector<LogLine> lines;
    std::int64_t dropped = 0;
  };
  struct Batch {
    std::vector<Call> calls;
    std::deque<Lines> lines;
    MonoNs oldest = 0;               ///< when the first call was put in; 0 = none
  };
  static constexpr std::size_t lines_kept = 20'000;

  void post(Call call);
  Batch take();

  void log_lines(std::int64_t session, const std::vector<LogLine>& lines) override;

 private:
  std::mutex mutex_;
  Batch batch_;
  std::size_t held_ = 0;
};

/// One run: everything that its thread needs, by value.
struct RunController::Job : RunTap {
  plan::Plan plan, as_written;
  QString journal, resources;
  StartOptions options;
  ModelSizes sizes;
  experiment::Control control;

  // Kept by the GUI thread for the live checks: the running session and its requests.
  SessionRecord session;
  std::vector<std::shared_ptr<const RequestRecord>> records;
  std::optional<CounterSnapshot> identity;
  std::size_t judged = 0;            ///< records seen by the checks so far
  MonoNs checked_at = 0, check_took = 0;
  std::optional<experiment::RunResult> result;

  explicit Job(const QString& folder) : resources(folder), sizes(folder) {}
  /// Runs the experiment on the calling thread.
  void run();

  void started(const journal::ExperimentRecord& e, const std::vector<SessionRecord>& sessions) override;
  void session_changed(const SessionRecord& record) override;
  void request_started(std::int64_t session, const PlannedRequest& planned) override;
  void stream_events(std::int64_t session, int ordinal, const std::vector<StreamEvent>& events) override;
  void stream_ended(std::int64_t session, int ordinal, const StreamRecord& stream) override;
  void request_finished(const RequestRecord& record) override;
  void scraped(std::int64_t session, const CounterSnapshot& page) override;
  void progress(const experiment::Progress& p) override;
  void noticed(const journal::Notice& n) override;

 private:
  /// Predictions before anything ran, by arm: what a fresh server without warm-up gives.
  void prepare_outlines();
  void failed(const Error& e);
  Result<std::int64_t> kv_bytes(const plan::Plan& p) const;
  void tell_doing(const QString& words);
  void seal(std::int64_t experiment);

  std::map<std::string, std::vector<RunRequest>> outlines_;
  std::int64_t block_bytes_ = 0;
};

}  // namespace kvcliff::ui
