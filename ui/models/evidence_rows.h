// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/bridge/evidence.h"
#include "ui/models/evidence_table.h"

namespace kvcliff::ui {

// Rows of the evidence tabs: pure, from values that core read.

/// Counters by meaning: series, before, after, difference. `moved` leaves out those that stand still.
std::vector<std::vector<Cell>> scrape_rows(const RequestDetail& detail, bool moved);
/// Every sample line of the two pages as exported, diffed by name and labels; and lines that are on one page only.
std::vector<std::vector<Cell>> raw_scrape_rows(const RequestDetail& detail, bool moved);
/// Events in order: number, ms since t0, kind, bytes, tokens, the raw frame where it was kept.
std::vector<std::vector<Cell>> event_rows(const RequestDetail& detail);
/// Log lines: ms since t0, output, text.
std::vector<std::vector<Cell>> log_rows(const RequestDetail& detail);
/// What was sent, predicted, measured and answered, each with where it comes from.
std::vector<std::vector<Cell>> prompt_rows(const Judged& judged, const RequestDetail& detail);
/// Every check of the request: id, what, state, residual, reason.
std::vector<std::vector<Cell>> check_rows(const Judged& judged, int request);

}  // namespace kvcliff::ui
