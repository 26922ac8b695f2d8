// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "journal/records.h"
#include "record/counters.h"
#include "record/request.h"
#include "record/session.h"

namespace kvcliff::experiment {

/// Where a run stands, for a bar with time left.
struct Progress {
  int sessions = 0, sessions_done = 0;      ///< of the schedule; done = finished attempts
  int session = -1;                         ///< ordinal of the running one; -1: none
  SessionState state = SessionState::planned;
  std::int64_t requests = 0, requests_done = 0;  ///< measured requests of all sessions
  std::chrono::nanoseconds elapsed{0};
  std::optional<std::chrono::nanoseconds> left;  ///< absent until one request was measured
  bool paused = false;
  std::string doing;                        ///< "waiting for the engine: /health", "request 4 of 18", ...
};

/// How a run ended.
struct RunResult {
  enum class End { finished, failed, stopped } end = End::failed;
  std::int64_t experiment = 0;              ///< journal row; 0: nothing was journalled
  std::optional<Error> error;               ///< of a failed run
  std::string why;
};

/// What a run tells. Called on the runner's thread with whole values; must not block for long, because the next request
/// waits for it. Every call has an empty default, so that a viewer takes what it needs.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void started(const journal::ExperimentRecord&, const std::vector<SessionRecord>&) {}
  virtual void session_changed(const SessionRecord&) {}
  virtual void log_lines(std::int64_t /*session*/, const std::vector<LogLine>&) {}
  virtual void request_started(std::int64_t /*session*/, const PlannedRequest&) {}
  /// New events of a running stream, at most every 20 ms.
  virtual void stream_events(std::int64_t /*session*/, int /*ordinal*/, const std::vector<StreamEvent>&) {}
  /// The answer is complete (or cut); its counters settle next. For what need not wait for them: TTFT, text.
  virtual void stream_ended(std::int64_t /*session*/, int /*ordinal*/, const StreamRecord&) {}
  virtual void request_finished(const RequestRecord&) {}
  virtual void scraped(std::int64_t /*session*/, const CounterSnapshot&) {}
  virtual void progress(const Progress&) {}
  virtual void noticed(const journal::Notice&) {}
  virtual void ended(const RunResult&) {}
};

}  // namespace kvcliff::experiment
