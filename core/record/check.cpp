// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/check.h"

#include <array>

namespace kvcliff {
namespace {
constexpr std::array<std::string_view, 5> names{"pass", "fail", "not_possible", "not_settled", "not_applicable"};
}

std::string_view to_string(CheckState s) { return names[static_cast<std::size_t>(s)]; }

std::optional<CheckState> check_state_from(std::string_view s) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == s) return static_cast<CheckState>(i);
  return std::nullopt;
}

void to_json(Json& j, const CheckResult& c) {
  j = Json{{"id", c.id}, {"state", to_string(c.state)}, {"residual", c.residual}, {"unit", c.unit}, {"why", c.why}};
}

void to_json(Json& j, const LedgerLine& l) {
  Json parts = Json::array();
  for (const auto& p : l.explained) parts.push_back({{"name", p.name}, {"amount", p.amount}});
  j = Json{{"quantity", l.quantity},
           {"unit", l.unit},
           {"expected", optional_json(l.expected)},
           {"measured", optional_json(l.measured)},
           {"explained", std::move(parts)},
           {"unexplained", optional_json(l.unexplained)}};
  if (!l.why.empty()) j["why"] = l.why;
}

void to_json(Json& j, const Gate& g) { j = Json{{"id", g.id}, {"state", to_string(g.state)}, {"why", g.why}}; }

}  // namespace kvcliff
