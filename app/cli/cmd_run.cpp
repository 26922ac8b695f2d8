// SPDX-License-Identifier: GPL-3.0-or-later
// `run PLAN.json --journal J`: the experiment.
#include "cli/run_support.h"

namespace kvcliff::cli {

void add_run(CLI::App& app, Context& context) {
  auto a = std::make_shared<RunArgs>();
  CLI::App* sub = add_command(app, context, "run", "Run the experiment of a plan",
                              [&context, a] { return run_and_report(context, *a); });
  sub->add_option("plan", a->plan, "The plan file; or a journal or bundle, whose plan is run when it is trusted")->required();
  sub->add_option("--journal", a->journal, "The journal to write (by custom NAME.kvcliff)")->required();
  sub->add_option("--trust", a->trust, "The hash of the plan that a journal or bundle holds: consent to run its commands");
  sub->add_option("--experiment", a->experiment, "Which run of that journal or bundle (default: the newest)");
  sub->add_flag("--resume", a->resume, "Go on with the newest unfinished run of this plan");
  sub->add_option("--time-scale", a->time_scale, "Emulator only: 0.01 is a hundred times faster");
}

}  // namespace kvcliff::cli
