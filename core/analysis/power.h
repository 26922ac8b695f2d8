// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/effect.h"

namespace kvcliff::analysis {

/// Smallest effect that this run would find with 80 % power, as ratios on either side of 1.
struct DetectableEffect {
  double ratio_below = 1;   ///< an improvement down to here or further is found
  double ratio_above = 1;   ///< a worsening up to here or further is found
  /// With 1 or 2 degrees of freedom the spread itself is hardly known: the same at its upper 80 % limit.
  std::optional<double> ratio_below_upper, ratio_above_upper;
  double residual_sd = 0;
  int degrees_of_freedom = 0;
  std::string how;
};
void to_json(Json& j, const DetectableEffect& d);

DetectableEffect detectable_effect(const ArmEffect& effect);

/// Standard error of the arm coefficient in units of the session SD, for `pairs` pairs in the order ABBA, BAAB, ...
/// `df` receives sessions - 3.
double design_factor(int pairs, int* df = nullptr);

/// Chance that the least squares interval of `pairs` pairs lies wholly below 1 - d when the true ratio is `ratio` < 1 and
/// session means of log TTFT scatter by `session_sd`.
double power_of_helps(int pairs, double ratio, double session_sd, double smallest_effect = 0.05);
/// The same for the interval that is really used with two pairs (the wider of least squares and pairs), by simulation
/// with a fixed seed: about two thirds of the former.
double power_of_helps_two_pairs(double ratio, double session_sd, double smallest_effect = 0.05);

/// What the Plan page shows: one row per number of pairs.
struct PowerRow {
  int pairs = 0;
  double power_80 = 0;            ///< chance to say "helps" at a true ratio of 0.8 (least squares)
  std::optional<double> power_80_wider;  ///< two pairs only: by the wider interval, which is the one used
  double power_90 = 0;            ///< at 0.9
  double detectable_ratio = 1;    ///< ratio seen (interval excludes 1) with 80 % power
};
std::vector<PowerRow> power_table(double session_sd, double smallest_effect = 0.05, int most_pairs = 8);

/// Pairs that would settle an undecided run: enough for 80 % power to put the whole interval on one side, or inside,
/// if the ratio and the spread are as estimated. Range over the spread's estimate and its upper 80 % limit.
struct PairsNeeded {
  std::optional<int> at_estimate;   ///< nullopt: more than `most`
  std::optional<int> at_upper;
  int most = 64;
  std::string towards;              ///< "helps", "hurts" or "no_effect"
  std::string why;                  ///< when no number of pairs would settle it
};
void to_json(Json& j, const PairsNeeded& p);
PairsNeeded pairs_needed(const ArmEffect& effect, double smallest_effect = 0.05);

}  // namespace kvcliff::analysis
