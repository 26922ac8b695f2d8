// SPDX-License-Identifier: GPL-3.0-or-later
// Private to reconcile: how a line of a ledger is put together.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "reconcile/input.h"
#include "reconcile/reconcile.h"

namespace kvcliff::reconcile {

// Collects one line: the expectation comes from what was sent and predicted for measured requests; warm-up, conversion
// and the engine's known habits are named parts.
class Line {
 public:
  Line(std::string quantity, std::string unit) {
    line_.quantity = std::move(quantity);
    line_.unit = std::move(unit);
  }
  Line& expected(std::optional<double> v) {
    line_.expected = v;
    return *this;
  }
  Line& measured(std::optional<double> v, std::string why) {
    line_.measured = v;
    if (!v) line_.why = std::move(why);
    return *this;
  }
  Line& part(const std::string& name, double amount) {
    if (amount != 0) line_.explained.push_back({name, amount});
    return *this;
  }
  LedgerLine done() {
    if (line_.expected && line_.measured) {
      double left = *line_.measured - *line_.expected;
      for (const auto& p : line_.explained) left -= p.amount;
      line_.unexplained = left;
    } else if (line_.why.empty()) {
      line_.why = "no expectation: the requests were not predicted";
    }
    return line_;
  }

 private:
  LedgerLine line_;
};

/// What a counter moved by between the identity scrape and the last one; absent where it is not reported.
std::optional<double> moved(const SessionInput& s, const char* name, const char* label = nullptr);
inline constexpr const char* missing = "not reported by this engine, or a scrape is missing";

/// The lines that can be said of a session in which several requests were in flight: predictions are of requests one at a
/// time, and the order in which an engine takes several is its own. What must hold all the same: the sources add up to the
/// prompts, the answers' cached tokens are the hits and loads, and the bytes loaded are the tokens loaded.
void add_window_lines(const SessionInput& s, double warm_prompt, std::vector<LedgerLine>& out);

}  // namespace kvcliff::reconcile
