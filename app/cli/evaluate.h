// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <string>

#include "analysis/judge.h"
#include "base/result.h"
#include "journal/reader.h"

namespace kvcliff::cli {
struct Context;

using Judged = analysis::Judgement;

/// Reads and judges one experiment (analysis::judge) with the model sizes of this program's resources. `go_on`: as in
/// reconcile::LoadOptions; empty after a stopped run, whose summary is still wanted.
Result<Judged> judge(const Context& context, const std::string& journal, const std::string& experiment, const std::function<bool()>& go_on,
                     journal::Depth depth = journal::Depth::details);

void print_reconciliation(const Context& context, const Judged& j);
void print_decision(const Context& context, const Judged& j);

}  // namespace kvcliff::cli
