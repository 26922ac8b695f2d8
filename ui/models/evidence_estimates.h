// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/bridge/evidence.h"
#include "ui/models/evidence_table.h"

namespace kvcliff::ui {

// Rows of the tables of Decide. `plain` of each number is what core computed, with every digit.

/// quantity, estimate, 95 % interval, basis. Estimates read "withheld" while the claim is withdrawn.
std::vector<std::vector<Cell>> estimate_rows(const Judged& judged);
/// share, blocks, GiB: the host tier for a target share of the revisits, and what this run had.
std::vector<std::vector<Cell>> sizing_rows(const Judged& judged);

/// "The host tier helps." / "Cannot tell: 4 more pairs would settle it." / "Withdrawn: no claim from this run."
QString verdict_title(const analysis::Decision& decision);
/// "On revisits of this workload the first token comes in 14.1 ms instead of 62.2 ms: ..."; when withdrawn: why.
QString verdict_sentence(const analysis::Decision& decision);
/// "28 gates apply and all pass." or each gate that does not, with its reason.
QString gates_sentence(const analysis::Decision& decision);
/// What Copy claim puts on the clipboard; empty when there is no claim.
QString claim_text(const Judged& judged);

}  // namespace kvcliff::ui
