// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "analysis/judge.h"
#include "base/result.h"
#include "journal/reader.h"

namespace kvcliff::cli {
struct Context;

using Judged = analysis::Judgement;

/// Reads and judges one experiment (analysis::judge) with the model sizes of this program's resources.
Result<Judged> judge(const Context& context, const std::string& journal, const std::string& experiment,
                     journal::Depth depth = journal::Depth::details);

void print_reconciliation(const Context& context, const Judged& j);
void print_decision(const Context& context, const Judged& j);

}  // namespace kvcliff::cli
