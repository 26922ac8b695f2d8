// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace kvcliff::analysis {

/// An estimate with its 95 % interval.
struct Interval {
  double estimate = 0, low = 0, high = 0;
  bool operator==(const Interval&) const = default;
};
void to_json(Json& j, const Interval& v);

/// TTFT of one measured request, with what it is matched by.
struct Visit {
  int document = 0;
  int round = 0;       ///< from 1
  double ttft_ms = 0;  ///< > 0
};

/// One session of a compared arm, in the order in which the sessions ran.
struct ComparedSession {
  std::string label;       ///< for people: "2 (on)"
  bool treatment = false;  ///< the arm with the tier
  int pair = -1;
  std::vector<Visit> visits;
};

enum class Part { revisits, first_visits };

/// Mean of log TTFT of one session over the matched visits.
struct SessionMean {
  std::string label;
  bool treatment = false;
  int pair = -1;
  int position = 0;     ///< 0, 1, 2 ... over compared sessions only
  int visits = 0;
  double mean_log = 0;
  double sd_log = 0;    ///< between the requests of the session
  double geometric_mean_ms = 0;
  double median_ms = 0;
};

/// What an arm does to TTFT, with sessions as the unit of replication.
struct ArmEffect {
  std::vector<SessionMean> sessions;
  int matched_visits = 0;             ///< per session
  int unmatched_visits = 0;           ///< left out because some session lacks the same document and round
  int degrees_of_freedom = 0;         ///< of the least squares: sessions - 3
  double residual_sd = 0;             ///< of log session means, least squares
  double standard_error = 0;          ///< of the log ratio, least squares
  Interval ratio;                     ///< treatment over baseline, the interval that counts
  std::string basis;                  ///< "least squares" or "pairs": which interval counts, and why
  Interval least_squares;
  std::optional<Interval> pairs;      ///< Student's t over the pairs' log differences
  int pair_count = 0;
  std::vector<double> pair_ratios;
  Interval position;                  ///< change per session, as a share: 0.008 = +0.8 % a session
  double baseline_ms = 0, treatment_ms = 0;              ///< geometric means at the same position; their ratio is `ratio`
  double baseline_median_ms = 0, treatment_median_ms = 0;///< over all matched requests
  double difference_ms() const { return treatment_ms - baseline_ms; }
};

/// The effect, or the reason why there is none to state.
struct EffectResult {
  std::optional<ArmEffect> effect;
  std::string why;
};

/// Least squares of session means on arm and centred position, Student's t with sessions - 3 degrees of freedom; with
/// two pairs the wider of this and the pairs' interval. Needs at least two sessions in either arm.
EffectResult arm_effect(const std::vector<ComparedSession>& sessions, Part part);

/// Interval of the ratio from resampling requests inside each session: right only if sessions did not differ, and
/// labelled so wherever it is shown. Deterministic for a seed.
std::optional<Interval> bootstrap_within_sessions(const std::vector<ComparedSession>& sessions, Part part,
                                                  int samples = 2000, std::uint64_t seed = 1);

}  // namespace kvcliff::analysis
