// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "record/check.h"
#include "reconcile/input.h"

namespace kvcliff::reconcile {

/// Counters that every token and byte of a session must be found in.
const std::vector<std::string>& accounted_counters();

/// One counter over a session: what it moved by, and what our requests account for.
struct CounterTotal {
  std::string name;      ///< "prompt_tokens", or "prompt_tokens_by_source{local_compute}"
  std::string unit;
  double session = 0;    ///< last scrape - identity scrape
  std::optional<double> sum_of_requests;  ///< warm-up included
  double warmup = 0;     ///< the warm-up's part of it
  std::string why;       ///< when the sum is not available
};
/// Counters that both the last scrape and the requests (or their answers) speak of.
std::vector<CounterTotal> session_counter_totals(const SessionInput& s);

/// The ledger of a session: for each quantity expected (sent, or predicted), measured, the named parts of the
/// difference, and what stays unexplained.
std::vector<LedgerLine> session_ledger(const SessionInput& s);

}  // namespace kvcliff::reconcile
