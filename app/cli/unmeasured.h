// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "cli/context.h"
#include "cli/evaluate.h"

namespace kvcliff::cli {

/// No session finished: there is nothing to reconcile, and tables of dashes would bury the reason.
bool nothing_measured(const Judged& judged);

/// What became of the sessions, the last log lines of the one that failed, and where the rest of its log is.
void print_nothing_measured(const Context& context, const Judged& judged, const std::string& journal);

}  // namespace kvcliff::cli
