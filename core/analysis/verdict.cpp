// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/verdict.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace kvcliff::analysis {
namespace {
constexpr std::array<std::string_view, 5> names{"helps", "no_effect", "hurts", "cannot_tell", "withdrawn"};
}

std::string_view to_string(Verdict v) { return names[static_cast<std::size_t>(v)]; }

std::optional<Verdict> verdict_from(std::string_view s) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == s) return static_cast<Verdict>(i);
  return std::nullopt;
}

Verdict verdict_of(const Interval& ratio, double d) {
  if (!std::isfinite(ratio.low) || !std::isfinite(ratio.high) || ratio.low > ratio.high) return Verdict::cannot_tell;
  if (ratio.high < 1 - d) return Verdict::helps;
  if (ratio.low > 1 + d) return Verdict::hurts;
  if (ratio.low > 1 - d && ratio.high < 1 + d) return Verdict::no_effect;
  return Verdict::cannot_tell;
}

std::string verdict_reason(Verdict v, const Interval& r, double d) {
  const std::string interval = fmt::format("{:.3f} to {:.3f}", r.low, r.high);
  switch (v) {
    case Verdict::helps: return fmt::format("The whole 95 % interval of the ratio, {}, lies below {:g}.", interval, 1 - d);
    case Verdict::hurts: return fmt::format("The whole 95 % interval of the ratio, {}, lies above {:g}.", interval, 1 + d);
    case Verdict::no_effect:
      return fmt::format("The whole 95 % interval of the ratio, {}, lies within {:g} to {:g}.", interval, 1 - d, 1 + d);
    case Verdict::cannot_tell:
      return fmt::format("The 95 % interval of the ratio, {}, reaches across {}{}{}.", interval,
                         r.low <= 1 - d ? fmt::format("{:g}", 1 - d) : "", r.low <= 1 - d && r.high >= 1 + d ? " and " : "",
                         r.high >= 1 + d ? fmt::format("{:g}", 1 + d) : "");
    case Verdict::withdrawn: break;
  }
  return {};
}

}  // namespace kvcliff::analysis
