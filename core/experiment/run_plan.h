// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiment/observer.h"
#include "experiment/runner.h"
#include "plan/plan.h"

namespace kvcliff::experiment {

/// A run as its user orders it. The command line and the window give the same order and get the same run.
struct RunOrder {
  plan::Plan plan;                 ///< its relative paths resolved
  plan::Plan as_written;           ///< the same plan before that: it is journalled, and its hash does not depend on a folder
  std::string journal;             ///< made when it does not exist
  std::string resources;           ///< folder with models/; empty = without (catalogue ids are no hub names then)
  std::string emulator;            ///< program of the built-in engine, for plans that ask for it
  RunOptions options;              ///< plan_text, engine_program, engine_args and, where empty, host are filled in here
  KvBytes kv_bytes;
  /// Layers of a plan's model, which make the size that a tier pins exact; empty or nullopt: twice the tier is reckoned with.
  std::function<std::optional<std::int64_t>(const plan::Plan&)> layers;
  /// Words of the journal ("journal busy, 1 record waiting"; empty: free again). On the writer's thread, must not block.
  std::function<void(const std::string&)> journal_notice;
  /// Slow steps before the first session, one line each ("asking the engine which flags it takes").
  std::function<void(const std::string&)> doing;
};

/// Adapter, launcher, journal and preflight of the plan, then the whole run, on the calling thread. A real vLLM is asked
/// first which flags its version takes. When this returns the journal is closed and may be read and sealed; `experiment`
/// 0 and the error tell why nothing was journalled.
RunResult run_plan(const RunOrder& order, Control& control, const std::vector<Observer*>& observers);

/// The look at this machine before the session at `ordinal`, of `arm`, starts, as Services::preflight wants it. `layers` as
/// in RunOrder. `go_on`: false = the user wants to stop; the answer then means nothing.
Json machine_checks(const plan::Plan& arm, int ordinal, std::optional<std::int64_t> layers, const engine::Endpoint& at, const std::string& journal,
                    const std::function<bool()>& go_on = {});

}  // namespace kvcliff::experiment
