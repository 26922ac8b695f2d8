// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "journal/schema.h"
#include "reconcile/check_table.h"

namespace kvcliff::reconcile {

/// The rules by which results are computed; stored with each run. Changes whenever a number could change.
inline constexpr const char* method_version = journal::method_version;

/// Checks of one request; `session` and `request` index into the input.
struct RequestChecks {
  std::size_t session = 0, request = 0;
  bool warmup = false;
  std::vector<CheckResult> checks;
  bool reconciled = false;   ///< every check that applies and is possible passed, R17 and R21 apart
  const CheckResult* find(std::string_view id) const;
};

struct SessionChecks {
  std::size_t session = 0;
  std::vector<CheckResult> checks;
  std::vector<LedgerLine> ledger;
};

struct PairCheck {
  int pair = 0;
  CheckResult check;
};

/// How often one check ended in each state, over all its subjects (measured requests, sessions, pairs, the experiment).
struct CheckTotals {
  std::string id;
  int pass = 0, fail = 0, not_possible = 0, not_settled = 0, not_applicable = 0;
};

struct Reconciliation {
  std::vector<RequestChecks> requests;   ///< in order, warm-up included
  std::vector<SessionChecks> sessions;
  std::vector<PairCheck> pairs;
  std::vector<CheckResult> experiment;
  std::vector<CheckTotals> totals;       ///< R1 to R21; warm-up is not counted
  int measured = 0, reconciled = 0;
  double unexplained_tokens = 0, unexplained_bytes = 0;  ///< sums of absolute values over all ledgers, where known
  /// Why such a sum is not known: the first line that could not be accounted for. Empty: it is known.
  std::string tokens_unknown, bytes_unknown;
  std::vector<LedgerLine> ledger;        ///< of the experiment: sums over the sessions
  std::vector<Gate> gates;               ///< those that need no statistics; analysis adds the controls

  bool run_reconciled() const {
    return measured > 0 && reconciled == measured && unexplained_tokens == 0 && unexplained_bytes == 0 && tokens_unknown.empty() && bytes_unknown.empty();
  }
  /// "0 tokens, 0 bytes", or "0 tokens, unknown bytes (...)".
  std::string unexplained_words() const;
  /// Checks that were possible on no subject at all: "reconciled" says nothing about them. "R19, R21".
  std::vector<std::string> never_possible() const;
  /// Why a check was not possible, from its first subject where it was not. Empty: it was.
  std::string why_not_possible(std::string_view id) const;
  bool gates_pass() const;
};

Reconciliation reconcile(const ExperimentInput& input);

/// First failing subject of a check in words, for a gate: "R3: 2 of 78 fail, first session 1 request 7: ...".
std::string first_failure(const ExperimentInput& input, const Reconciliation& r, std::string_view id);

}  // namespace kvcliff::reconcile
