// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/power.h"

#include <fmt/format.h>

#include <cmath>

#include "analysis/distributions.h"
#include "analysis/linear.h"
#include "base/hash.h"

namespace kvcliff::analysis {
namespace {
// Arms in running order: ABBA, BAAB, ... with A first (which is first does not change the factor).
std::vector<bool> order_of(int pairs) {
  std::vector<bool> out;
  for (int p = 0; p < pairs; ++p) {
    const bool treated_first = p % 2 == 1;
    out.push_back(treated_first);
    out.push_back(!treated_first);
  }
  return out;
}

std::optional<LinearFit> design_fit(const std::vector<bool>& order, const std::vector<double>& y) {
  Design x;
  const double centre = (static_cast<double>(order.size()) - 1) / 2;
  for (std::size_t i = 0; i < order.size(); ++i) x.push_back({1.0, order[i] ? 1.0 : 0.0, static_cast<double>(i) - centre});
  return least_squares(x, y);
}

// Two pairs: whether the wider of both intervals lies below the bound, by simulation (20,000 draws, about 1 % error).
double power_two_pairs(double distance, double sd) {
  constexpr int draws = 20'000;
  const double t = t_quantile(0.95, 1);
  Rng rng(20'001);
  int found = 0;
  for (int i = 0; i < draws; ++i) {
    double y[4];
    for (double& v : y) v = sd * rng.normal();
    const double effect = -distance + ((y[1] + y[2]) - (y[0] + y[3])) / 2;
    // Residual of arm and position in ABBA is the contrast (-1, 3, -3, 1) / sqrt 20; the arm's standard error is that SD.
    const double ls = std::fabs(-y[0] + 3 * y[1] - 3 * y[2] + y[3]) / std::sqrt(20.0);
    const double pairs = std::fabs((y[1] - y[0]) - (y[2] - y[3])) / 2;
    if (effect + t * std::max(ls, pairs) < 0) ++found;
  }
  return static_cast<double>(found) / draws;
}

double one_sided_power(int pairs, double log_distance, double sd) {
  int df = 0;
  const double factor = design_factor(pairs, &df);
  if (df < 1) return 0;
  if (!(sd > 0)) return 1;
  return noncentral_t_above(t_quantile(0.95, df), df, log_distance / (sd * factor));
}

// Chance that the whole interval lies inside (low, high) around the log ratio: both one-sided statements at once.
double inside_power(int pairs, double to_low, double to_high, double sd) {
  return std::max(0.0, one_sided_power(pairs, to_low, sd) + one_sided_power(pairs, to_high, sd) - 1);
}
}  // namespace

void to_json(Json& j, const DetectableEffect& d) {
  j = Json{{"power", 0.8},
           {"ratio_below", d.ratio_below},
           {"ratio_above", d.ratio_above},
           {"session_sd", d.residual_sd},
           {"degrees_of_freedom", d.degrees_of_freedom},
           {"how", d.how}};
  if (d.ratio_below_upper) {
    j["ratio_below_range"] = {*d.ratio_below_upper, d.ratio_below};
    j["ratio_above_range"] = {d.ratio_above, *d.ratio_above_upper};
  }
}

void to_json(Json& j, const PairsNeeded& p) {
  j = Json{{"towards", p.towards}, {"at_estimated_spread", optional_json(p.at_estimate)},
           {"at_upper_spread", optional_json(p.at_upper)}, {"most_considered", p.most}};
  if (!p.why.empty()) j["why"] = p.why;
}

DetectableEffect detectable_effect(const ArmEffect& e) {
  DetectableEffect d;
  d.residual_sd = e.residual_sd;
  d.degrees_of_freedom = e.degrees_of_freedom;
  const double ncp = detectable_ncp(e.degrees_of_freedom);
  // The interval that counts decides what is found: with two pairs that may be the pairs' (also one degree of freedom).
  double error = e.standard_error;
  if (e.basis == "pairs" && e.pairs) error = std::log(e.pairs->high / e.pairs->low) / 2 / t_quantile(0.95, e.pair_count - 1);
  const double log_effect = ncp * error;
  d.ratio_below = std::exp(-log_effect);
  d.ratio_above = std::exp(log_effect);
  d.how = fmt::format("noncentral t, {} degree{} of freedom, 80 % power, interval excludes 1", e.degrees_of_freedom, e.degrees_of_freedom == 1 ? "" : "s");
  if (e.degrees_of_freedom <= 2) {
    const double f = sd_upper_factor(e.degrees_of_freedom);
    d.ratio_below_upper = std::exp(-log_effect * f);
    d.ratio_above_upper = std::exp(log_effect * f);
    d.how += "; a range up to the upper 80 % limit of the spread";
  }
  return d;
}

double design_factor(int pairs, int* df) {
  const auto order = order_of(pairs);
  if (df) *df = static_cast<int>(order.size()) - 3;
  const auto fit = design_fit(order, std::vector<double>(order.size(), 0.0));
  return fit ? std::sqrt(fit->inverse[1][1]) : HUGE_VAL;
}

double power_of_helps(int pairs, double ratio, double session_sd, double smallest_effect) {
  const double distance = std::log(1 - smallest_effect) - std::log(ratio);
  if (pairs < 2 || !(session_sd > 0)) return pairs >= 2 && distance > 0 ? 1 : 0;
  return one_sided_power(pairs, distance, session_sd);
}

double power_of_helps_two_pairs(double ratio, double session_sd, double smallest_effect) {
  const double distance = std::log(1 - smallest_effect) - std::log(ratio);
  return session_sd > 0 ? power_two_pairs(distance, session_sd) : (distance > 0 ? 1 : 0);
}

std::vector<PowerRow> power_table(double session_sd, double smallest_effect, int most_pairs) {
  std::vector<PowerRow> out;
  for (int pairs = 2; pairs <= most_pairs; ++pairs) {
    PowerRow row;
    row.pairs = pairs;
    row.power_80 = power_of_helps(pairs, 0.8, session_sd, smallest_effect);
    if (pairs == 2) row.power_80_wider = power_of_helps_two_pairs(0.8, session_sd, smallest_effect);
    row.power_90 = power_of_helps(pairs, 0.9, session_sd, smallest_effect);
    int df = 0;
    const double factor = design_factor(pairs, &df);
    row.detectable_ratio = std::exp(-detectable_ncp(df) * factor * session_sd);
    out.push_back(row);
  }
  return out;
}

PairsNeeded pairs_needed(const ArmEffect& e, double d) {
  PairsNeeded out;
  const double log_ratio = std::log(e.ratio.estimate), low = std::log(1 - d), high = std::log(1 + d);
  out.towards = log_ratio < low ? "helps" : log_ratio > high ? "hurts" : "no_effect";
  const auto settled = [&](int pairs, double sd) {
    if (out.towards == "helps") return one_sided_power(pairs, low - log_ratio, sd) >= 0.8;
    if (out.towards == "hurts") return one_sided_power(pairs, log_ratio - high, sd) >= 0.8;
    return inside_power(pairs, log_ratio - low, high - log_ratio, sd) >= 0.8;
  };
  // The spread within pairs counts where that interval was the wider one.
  double sd = e.residual_sd;
  if (e.basis == "pairs" && e.pairs)
    sd = std::log(e.pairs->high / e.pairs->low) / 2 / t_quantile(0.95, e.pair_count - 1);
  const auto search = [&](double spread) -> std::optional<int> {
    for (int pairs = 2; pairs <= out.most; ++pairs)
      if (settled(pairs, spread)) return pairs;
    return std::nullopt;
  };
  out.at_estimate = search(sd);
  out.at_upper = search(sd * sd_upper_factor(e.degrees_of_freedom));
  if (!out.at_estimate)
    out.why = fmt::format("the estimate lies too near to the bound of {} for {} pairs to tell at this spread",
                          out.towards == "no_effect" ? fmt::format("±{:g} %", d * 100) : out.towards, out.most);
  return out;
}

}  // namespace kvcliff::analysis
