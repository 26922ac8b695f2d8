// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "reconcile/reconcile.h"

namespace kvcliff::reconcile {

/// Gates from checks, ledgers and counts: one per check R1 to R20, then "unexplained", "sessions", "control". R17 fails
/// here when it fails at all; whether it could change the verdict is for the analysis to say. A gate that the plan
/// switched off is `not_applicable` with that said.
std::vector<Gate> gates_of(const ExperimentInput& input, const Reconciliation& r);

}  // namespace kvcliff::reconcile
