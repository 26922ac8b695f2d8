// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace kvcliff {

enum class CheckState { pass, fail, not_possible, not_settled, not_applicable };
std::string_view to_string(CheckState s);
std::optional<CheckState> check_state_from(std::string_view s);

enum class CheckScope { request, session, pair, experiment };

/// Result of one check on one subject. `residual` is measured - expected in `unit`.
struct CheckResult {
  std::string id;                ///< "R1" ...
  CheckState state = CheckState::not_applicable;
  double residual = 0;
  std::string unit;              ///< tokens, bytes, blocks, ms, events, requests, share
  std::string why;               ///< reason; empty only on pass
  bool operator==(const CheckResult&) const = default;
};
void to_json(Json& j, const CheckResult& c);

/// One named part of a difference.
struct LedgerPart {
  std::string name;   ///< "null block", "last-token rule", "warm-up", ...
  double amount = 0;
};

/// One quantity of a session's or experiment's ledger: measured = expected + sum(explained) + unexplained.
struct LedgerLine {
  std::string quantity;          ///< meaning name, with the label in braces where split
  std::string unit;
  std::optional<double> expected, measured;
  std::vector<LedgerPart> explained;
  std::optional<double> unexplained;
  std::string why;               ///< when something is not available
  bool covered = false;          ///< another line of the same ledger accounts for what this one holds
};
void to_json(Json& j, const LedgerLine& l);

struct Gate {
  std::string id;                ///< a check id, or "unexplained", "control", "sessions"
  CheckState state = CheckState::pass;
  std::string why;
};
void to_json(Json& j, const Gate& g);

}  // namespace kvcliff
