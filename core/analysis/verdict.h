// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "analysis/effect.h"

namespace kvcliff::analysis {

enum class Verdict { helps, no_effect, hurts, cannot_tell, withdrawn };
/// "helps", "no_effect", "hurts", "cannot_tell", "withdrawn".
std::string_view to_string(Verdict v);
std::optional<Verdict> verdict_from(std::string_view s);

/// The rule: `ratio` is treatment over baseline, `d` the smallest effect of interest. helps: whole interval below
/// 1 - d; hurts: above 1 + d; no_effect: inside; else cannot_tell.
Verdict verdict_of(const Interval& ratio, double d);

/// Why the rule says so, as a sentence with the numbers.
std::string verdict_reason(Verdict v, const Interval& ratio, double d);

}  // namespace kvcliff::analysis
