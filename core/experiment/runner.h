// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "engine/adapter.h"
#include "experiment/observer.h"
#include "experiment/prepare.h"
#include "experiment/server.h"
#include "journal/writer.h"
#include "plan/plan.h"
#include "process/launcher.h"

namespace kvcliff::experiment {

/// How the user steers a run, from any thread.
class Control {
 public:
  void pause() { paused_ = true; }
  void resume() { paused_ = false; }
  /// The running request is cut off, the server stopped, the journal closed whole.
  void stop() { stopped_ = true; }
  bool paused() const { return paused_; }
  bool stopped() const { return stopped_ || (outside_ && *outside_); }
  /// A flag of somebody else that stops as well (a signal handler's).
  void follow(const std::atomic<bool>& flag) { outside_ = &flag; }

 private:
  std::atomic<bool> paused_{false}, stopped_{false};
  const std::atomic<bool>* outside_ = nullptr;
};

/// What a run needs from the rest of the program. All references outlive the run.
struct Services {
  const engine::Adapter& adapter;
  process::Launcher& launcher;
  journal::Writer& journal;
  KvBytes kv_bytes;
  /// The connection to a launched engine: connect_http(adapter, ...) for a real one.
  std::function<std::unique_ptr<Server>(const engine::Endpoint&, const plan::Plan&)> connect;
  /// Checks of the machine before the launch of the session at `ordinal` (from 0): array of {"id","state","what","why","next"};
  /// a "fail" ends the session.
  std::function<Json(const plan::Plan& arm, int ordinal, const engine::Endpoint&)> preflight;
};

struct RunOptions {
  std::string program_version;
  std::string plan_text;            ///< canonical JSON of the plan as written; empty: of the plan given (its paths may be resolved)
  Json host;                        ///< facts of this machine for the journal
  std::string engine_program;       ///< replaces argv[0] of the launched command; empty = as the adapter says
  std::vector<std::string> engine_args;  ///< more arguments for every session (time scale of the emulator)
  double time_scale = 1.0;          ///< below 1 for a sped-up emulator: our own waits shrink with it
  std::int64_t resume = 0;          ///< journal row of the experiment to go on with; 0 = a new one
  std::string attach_url;           ///< measure this running server instead of launching: one session, the first arm
  std::string attach_arm;           ///< which arm it stands for; empty = the first
};

/// Runs one experiment on the calling thread. Everything is journalled as it happens; the result says how it ended.
RunResult run_experiment(const plan::Plan& plan, const RunOptions& options, const Services& services, Control& control,
                         const std::vector<Observer*>& observers, const std::string& resume_path = {});

/// The same on a thread of its own, for a window.
class Runner {
 public:
  Runner(plan::Plan plan, RunOptions options, Services services, std::vector<Observer*> observers,
         std::string resume_path = {});
  /// Stops and joins.
  ~Runner();
  Control& control() { return control_; }
  bool running() const { return !done_; }
  /// Waits for the end.
  RunResult wait();

 private:
  Control control_;
  std::atomic<bool> done_{false};
  RunResult result_;
  std::thread thread_;
};

}  // namespace kvcliff::experiment
