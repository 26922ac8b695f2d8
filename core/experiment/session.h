// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "experiment/kv_listener.h"
#include "experiment/live_server.h"
#include "experiment/readiness.h"
#include "experiment/runner.h"
#include "experiment/settle.h"

namespace kvcliff::experiment {

/// One session on a server of its own, from launch to exit; with plan.schedule.server = kept, a server may live on for
/// the next session (its caches emptied first). Runs on the experiment's thread.
class Session {
 public:
  struct Environment {
    const Services& services;
    const RunOptions& options;
    Control& control;
    std::int64_t experiment = 0;
    const std::vector<Observer*>& observers;
    std::function<bool()> ceiling_reached;                  ///< stop: the plan's cost ceiling
    std::function<void(SessionState, std::int64_t measured, const std::string& doing)> progress;
    std::function<void(const std::string& engine_version, bool simulated)> identified;
    /// Whether the next session can use this server; nullptr = never.
    std::function<bool(const SessionRecord& now, const engine::Endpoint& at)> keep;
  };
  /// `live`: the server that the session before left, if it left one.
  Session(Environment environment, SessionJob job, SessionRecord record, std::optional<LiveServer> live = std::nullopt);
  ~Session();

  enum class End { finished, failed, stopped };
  struct Ended {
    End end = End::failed;
    std::optional<Error> error;
    SessionRecord record;
    std::optional<LiveServer> live;   ///< of a finished session: the server, kept for the next
  };
  Ended run();

 private:
  struct Flight;  ///< one stream under way
  using Step = Result<void>;

  Step preflight();
  Step launch();
  Step take_over();
  Step wait_ready();
  /// A job may stand in a queue for hours: until its node is told, only its end, a stop or the ceiling end the wait.
  Step wait_node();
  /// Ends the wait for readiness when the engine said nothing for too long; otherwise reports it and waits a little.
  Step wait_on(MonoNs began);
  /// The first token: a completion, asked again while the server refuses because it still loads.
  Result<RequestRecord> first_token(MonoNs began);
  Step identify();
  Step warm_up();
  Step measure();
  Step measure_serial();
  Step measure_concurrent();
  Step settle_last();
  void stop_engine();

  /// Sends one request alone and waits until the counters are settled. Returns its record, journalled.
  /// `may_be_refused`: an answer of HTTP 503 is returned and leaves no trace in the journal (the server is not ready).
  Result<RequestRecord> one_request(PlannedRequest planned, bool may_be_refused = false);
  /// A stream of ours failed: if that is because the engine died behind a server that still answers, the record says so,
  /// and the error that ends the session comes back.
  std::optional<Error> death_behind(StreamRecord& stream);
  /// Why a session ends whose requests fail one after the other.
  Error failing(const StreamRecord& last);
  /// Starts a stream; its events are collected for observers and checkpoints.
  std::shared_ptr<Flight> send(const PlannedRequest& planned);
  /// Passes new events on, checkpoints once a second.
  void tend(Flight& flight);
  void attribute(RequestRecord& r, const CounterSnapshot& before, const CounterSnapshot& after) const;
  /// A scrape that is settled after `finished` requests of ours, or the reason why not.
  struct Settled {
    CounterSnapshot page;
    bool settled = false;
    std::string why;
    int polls = 0;
  };
  Settled settle(const CounterSnapshot& before, int finished);

  void change(SessionState state, const std::string& why = {});
  void note(const std::string& severity, const std::string& text);
  void drain_log();
  std::int64_t keep(const CounterSnapshot& page);
  /// Why the session must end now: stop, dead engine, journal failure, cost ceiling.
  std::optional<Error> trouble();
  Error dead_engine(const std::string& when);
  void nap(std::chrono::nanoseconds d) const;
  std::chrono::nanoseconds scaled(std::chrono::nanoseconds d) const;
  std::vector<LogLine> log() const;

  Environment env_;
  SessionJob job_;
  SessionRecord record_;
  engine::Endpoint at_;
  std::unique_ptr<process::Process> process_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<KvListener> kv_events_;  ///< where the plan asks for them
  std::vector<PlannedRequest> warmups_;
  CounterSnapshot last_;              ///< the newest settled scrape
  std::int64_t last_row_ = 0;
  std::optional<Readiness> readiness_;
  std::size_t log_at_ready_ = 0;      ///< lines before it: what was said while loading is no cause of a later death
  bool metrics_lost_ = false;         ///< the page could not be read after the newest request
  std::int64_t measured_ = 0;
  int ordinal_ = 0, failures_in_a_row_ = 0;
  std::size_t ready_at_ = 0;          ///< lines of the log when the engine was ready
  std::vector<double> ttft_ms_;       ///< of measured requests

  std::optional<int> taken_from_;     ///< ordinal of the session that left us its server
  std::shared_ptr<LogTap> tap_;
  std::size_t log_told_ = 0;
};

}  // namespace kvcliff::experiment
