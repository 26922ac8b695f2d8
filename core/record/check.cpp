// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/check.h"

#include <array>
#include <cmath>

namespace kvcliff {
namespace {
constexpr std::array<std::string_view, 5> names{"pass", "fail", "not_possible", "not_settled", "not_applicable"};

// A quantity computed in doubles: whole numbers are written as integers, as counts are everywhere else.
Json number_json(double v) {
  constexpr double exact = 9007199254740992.0;  // 2^53: beyond it not every integer has a double
  if (std::isfinite(v) && v == std::floor(v) && std::fabs(v) <= exact) return static_cast<std::int64_t>(v);
  return v;
}
Json number_json(const std::optional<double>& v) { return v ? number_json(*v) : Json(nullptr); }

// A check that could not be made has no residual, not one of 0.
bool judged(CheckState s) { return s == CheckState::pass || s == CheckState::fail; }
}

std::string_view to_string(CheckState s) { return names[static_cast<std::size_t>(s)]; }

std::optional<CheckState> check_state_from(std::string_view s) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == s) return static_cast<CheckState>(i);
  return std::nullopt;
}

void to_json(Json& j, const CheckResult& c) {
  j = Json{{"id", c.id}, {"state", to_string(c.state)}, {"residual", judged(c.state) ? number_json(c.residual) : Json(nullptr)}, {"unit", c.unit}, {"why", c.why}};
}

void to_json(Json& j, const LedgerLine& l) {
  Json parts = Json::array();
  for (const auto& p : l.explained) parts.push_back({{"name", p.name}, {"amount", number_json(p.amount)}});
  j = Json{{"quantity", l.quantity},
           {"unit", l.unit},
           {"expected", number_json(l.expected)},
           {"measured", number_json(l.measured)},
           {"explained", std::move(parts)},
           {"unexplained", number_json(l.unexplained)}};
  if (!l.why.empty()) j["why"] = l.why;
  if (l.covered) j["covered"] = true;
}

void to_json(Json& j, const Gate& g) { j = Json{{"id", g.id}, {"state", to_string(g.state)}, {"why", g.why}}; }

}  // namespace kvcliff
