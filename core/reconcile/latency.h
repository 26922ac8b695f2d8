// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <vector>

#include "reconcile/check_table.h"

namespace kvcliff::reconcile {

/// Time between when a request could go out (planned, and its socket ready) and when it did, ms, per measured request.
std::vector<double> client_lags_ms(const SessionInput& s);
/// A tenth of the larger of the arms' difference of mean revisit TTFT and smallest effect x the off arm's mean TTFT.
/// Nullopt when the off arm has no revisit.
std::optional<double> lag_limit_ms(const ExperimentInput& e);
/// Nearest-rank percentile of a copy; `q` in 0..1. `v` not empty.
double percentile(std::vector<double> v, double q);
double median_of(std::vector<double> v);

/// Typical TTFTs for R21: settled, complete, measured requests, grouped by prompt length and by whether at least half
/// of the prompt was computed.
LatencyLines latency_lines(const ExperimentInput& e);

}  // namespace kvcliff::reconcile
