// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "analysis/decision.h"
#include "base/result.h"
#include "journal/reader.h"

namespace kvcliff::cli {
struct Context;

/// A run from its journal with everything concluded from it.
struct Judged {
  reconcile::ExperimentInput input;
  analysis::Evaluation evaluation;
  std::vector<std::string> notes;   ///< another method version's verdict, shown beside
};

/// Reads and judges one experiment. The verdict sealed with the run is compared: the same method version with another
/// verdict is refused (corrupt); another version is shown beside ours.
Result<Judged> judge(const Context& context, const std::string& journal, const std::string& experiment,
                     journal::Depth depth = journal::Depth::details);

void print_reconciliation(const Context& context, const Judged& j);
void print_decision(const Context& context, const Judged& j);

}  // namespace kvcliff::cli
