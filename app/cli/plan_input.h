// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cache/config.h"
#include "cli/context.h"
#include "experiment/estimate.h"
#include "model/layout.h"
#include "plan/plan.h"

namespace kvcliff::cli {

/// A plan file that is whole; otherwise one error that names every fault. Relative paths in it count from the file's
/// folder. The hash is taken before that, so that it does not depend on the place.
struct LoadedPlan {
  plan::Plan plan;
  std::string hash;
  bool journalled = false;      ///< out of a journal: the paths in it are those of the machine that measured, and are not opened
  Json host;                    ///< then: what the journal knows of that machine and of its model
};
Result<LoadedPlan> load_plan(const std::string& path);
/// Fails (bad_usage) where the plan's requests lie in a file of the machine that measured.
Result<void> requests_at_hand(const LoadedPlan& loaded, const std::string& path);
/// A plan as it was written, and where its relative paths count from.
struct PlanSource {
  plan::Plan as_written;
  std::string folder;
  std::string hash;             ///< of the plan as written
};
/// The plan to run: a plan file (naming it is consent), or the newest (or selected) plan of a journal or bundle, which needs
/// `trust` to be its hash, because whoever made the file chose the commands in it. Errors: bad_usage with the hash to
/// give, those of load_plan and of the journal.
Result<PlanSource> plan_to_run(const std::string& path, const std::string& experiment, const std::string& trust);
/// The faults as the error of the command line.
Error faults_error(const std::string& path, const std::vector<plan::Fault>& faults);

/// KV layout of the plan's model: its config.json, or the catalogue. `from`: where the plan came from; out of a journal, the
/// config.json is the one that the journal holds.
Result<model::KvLayout> layout_of_plan(const Context& context, const plan::Plan& plan, const LoadedPlan* from = nullptr);

/// The cache of a plan's session as it is simulated: rules of its engine's version, capacities of both tiers. Where the
/// host tier cannot be sized (the model cannot be priced), `no_tier` says why and the tier is left out.
Result<cache::Config> cache_of_plan(const Context& context, const plan::Plan& plan, bool offload, std::optional<Error>& no_tier,
                                    const LoadedPlan* from = nullptr);

/// The commands that the sessions of a plan run, as far as they can be known before (the port is chosen at launch).
struct ShownCommand {
  std::string arm, line, why;   ///< `why` when there is no command
  std::vector<std::string> argv;
  std::map<std::string, std::string> env_set;
  std::vector<std::string> env_unset;
};
ShownCommand command_of_arm(const Context& context, const plan::Plan& plan, const plan::Arm& arm, int port);

/// The time of the plan on its emulator preset if everything were computed (experiment::run_time).
experiment::Estimate estimate_time(const plan::Plan& plan);

}  // namespace kvcliff::cli
