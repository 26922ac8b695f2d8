// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "cli/context.h"
#include "experiment/runner.h"
#include "plan/plan.h"

namespace kvcliff::cli {

/// What `run` and `attach` share.
struct RunArgs {
  std::string plan, journal, url, arm;
  std::string trust, experiment;   ///< of a plan taken out of a journal or bundle
  bool resume = false;
  double time_scale = 1.0;
};
/// Runs or resumes the plan, prints the summary (words or the one JSON document), returns the exit code.
int run_and_report(Context& context, const RunArgs& args);

}  // namespace kvcliff::cli
