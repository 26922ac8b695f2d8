// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/effect.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

#include "analysis/distributions.h"
#include "analysis/linear.h"
#include "base/hash.h"

namespace kvcliff::analysis {
namespace {
constexpr double confidence = 0.95;
using Key = std::pair<int, int>;

bool wanted(const Visit& v, Part part) { return part == Part::revisits ? v.round >= 2 : v.round == 1; }

// Document and round pairs that every session has.
std::set<Key> matched_keys(const std::vector<ComparedSession>& sessions, Part part) {
  std::map<Key, std::size_t> seen;
  for (const auto& s : sessions) {
    std::set<Key> mine;
    for (const auto& v : s.visits)
      if (wanted(v, part) && v.ttft_ms > 0) mine.insert({v.document, v.round});
    for (const auto& k : mine) ++seen[k];
  }
  std::set<Key> out;
  for (const auto& [k, n] : seen)
    if (n == sessions.size()) out.insert(k);
  return out;
}

std::vector<double> logs_of(const ComparedSession& s, const std::set<Key>& keys, Part part) {
  std::vector<double> out;
  for (const auto& v : s.visits)
    if (wanted(v, part) && v.ttft_ms > 0 && keys.count({v.document, v.round})) out.push_back(std::log(v.ttft_ms));
  return out;
}

double mean(const std::vector<double>& v) {
  double s = 0;
  for (const double e : v) s += e;
  return s / static_cast<double>(v.size());
}

double sample_sd(const std::vector<double>& v) {
  if (v.size() < 2) return 0;
  const double m = mean(v);
  double s = 0;
  for (const double e : v) s += (e - m) * (e - m);
  return std::sqrt(s / static_cast<double>(v.size() - 1));
}

Interval exp_interval(double log_estimate, double half) {
  return {std::exp(log_estimate), std::exp(log_estimate - half), std::exp(log_estimate + half)};
}

std::vector<double> pair_differences(const std::vector<SessionMean>& sessions) {
  std::map<int, std::pair<std::vector<double>, std::vector<double>>> by_pair;
  for (const auto& s : sessions)
    if (s.pair >= 0) (s.treatment ? by_pair[s.pair].second : by_pair[s.pair].first).push_back(s.mean_log);
  std::vector<double> out;
  for (const auto& [pair, both] : by_pair)
    if (!both.first.empty() && !both.second.empty()) out.push_back(mean(both.second) - mean(both.first));
  return out;
}
}  // namespace

void to_json(Json& j, const Interval& v) { j = Json{{"estimate", v.estimate}, {"low", v.low}, {"high", v.high}}; }

EffectResult arm_effect(const std::vector<ComparedSession>& sessions, Part part) {
  const char* what = part == Part::revisits ? "revisit" : "first visit";
  int treated = 0, baseline = 0;
  for (const auto& s : sessions) ++(s.treatment ? treated : baseline);
  if (treated < 2 || baseline < 2)
    return {std::nullopt, fmt::format("{} session(s) without and {} with the tier: an interval needs at least two of either "
                                      "arm, because sessions are what is repeated",
                                      baseline, treated)};
  const auto keys = matched_keys(sessions, part);
  if (keys.empty())
    return {std::nullopt, fmt::format("no {} (document and round) was completed in every compared session", what)};

  ArmEffect e;
  e.matched_visits = static_cast<int>(keys.size());
  std::vector<double> all_baseline, all_treated;
  Design x;
  std::vector<double> y;
  const double centre = (static_cast<double>(sessions.size()) - 1) / 2;
  for (const auto& s : sessions) {
    const auto logs = logs_of(s, keys, part);
    SessionMean m;
    m.label = s.label;
    m.treatment = s.treatment;
    m.pair = s.pair;
    m.position = static_cast<int>(e.sessions.size());
    m.visits = static_cast<int>(logs.size());
    m.mean_log = mean(logs);
    m.sd_log = sample_sd(logs);
    m.geometric_mean_ms = std::exp(m.mean_log);
    m.median_ms = median_of_logs(logs);
    auto& all = s.treatment ? all_treated : all_baseline;
    all.insert(all.end(), logs.begin(), logs.end());
    for (const auto& v : s.visits)
      if (wanted(v, part) && !keys.count({v.document, v.round})) ++e.unmatched_visits;
    x.push_back({1.0, s.treatment ? 1.0 : 0.0, m.position - centre});
    y.push_back(m.mean_log);
    e.sessions.push_back(std::move(m));
  }

  const auto fit = least_squares(x, y);
  if (!fit) return {std::nullopt, "arm and position cannot be told apart in this order of sessions"};
  e.degrees_of_freedom = fit->degrees_of_freedom;
  if (e.degrees_of_freedom < 1)
    return {std::nullopt, "no degree of freedom is left for the spread between sessions"};
  const double variance = fit->weighted_rss / e.degrees_of_freedom;
  const double t = t_quantile(confidence, e.degrees_of_freedom);
  e.residual_sd = std::sqrt(variance);
  e.standard_error = fit->standard_error(1, variance);
  e.least_squares = exp_interval(fit->beta[1], t * e.standard_error);
  const double drift_half = t * fit->standard_error(2, variance);
  e.position = {std::expm1(fit->beta[2]), std::expm1(fit->beta[2] - drift_half), std::expm1(fit->beta[2] + drift_half)};
  e.ratio = e.least_squares;
  e.basis = "least squares";
  e.baseline_ms = std::exp(fit->beta[0]);
  e.treatment_ms = std::exp(fit->beta[0] + fit->beta[1]);
  e.baseline_median_ms = median_of_logs(all_baseline);
  e.treatment_median_ms = median_of_logs(all_treated);

  const auto differences = pair_differences(e.sessions);
  e.pair_count = static_cast<int>(differences.size());
  for (const double d : differences) e.pair_ratios.push_back(std::exp(d));
  if (differences.size() >= 2) {
    const double n = static_cast<double>(differences.size());
    e.pairs = exp_interval(mean(differences), t_quantile(confidence, n - 1) * sample_sd(differences) / std::sqrt(n));
    // With two pairs either interval rests on one degree of freedom and either can be too narrow by chance.
    const auto width = [](const Interval& i) { return std::log(i.high / i.low); };
    if (differences.size() == 2 && width(*e.pairs) > width(e.least_squares)) {
      e.ratio = *e.pairs;
      e.basis = "pairs";
    }
  }
  return {std::move(e), {}};
}

std::optional<Interval> bootstrap_within_sessions(const std::vector<ComparedSession>& sessions, Part part, int samples,
                                                  std::uint64_t seed) {
  const auto keys = matched_keys(sessions, part);
  if (keys.empty() || samples < 40) return std::nullopt;
  std::vector<std::vector<double>> logs;
  int treated = 0;
  for (const auto& s : sessions) {
    logs.push_back(logs_of(s, keys, part));
    treated += s.treatment ? 1 : 0;
  }
  const int baseline = static_cast<int>(sessions.size()) - treated;
  if (treated == 0 || baseline == 0) return std::nullopt;
  Rng rng(seed);
  const auto log_ratio = [&](bool resample) {
    double sum[2] = {0, 0};
    for (std::size_t i = 0; i < logs.size(); ++i) {
      double s = 0;
      for (std::size_t k = 0; k < logs[i].size(); ++k) s += logs[i][resample ? rng.below(logs[i].size()) : k];
      sum[sessions[i].treatment ? 1 : 0] += s / static_cast<double>(logs[i].size());
    }
    return sum[1] / treated - sum[0] / baseline;
  };
  const double centre = log_ratio(false);
  std::vector<double> draws;
  draws.reserve(static_cast<std::size_t>(samples));
  for (int i = 0; i < samples; ++i) draws.push_back(log_ratio(true));
  std::sort(draws.begin(), draws.end());
  const auto at = [&](double q) { return draws[static_cast<std::size_t>(q * (samples - 1) + 0.5)]; };
  return Interval{std::exp(centre), std::exp(at(0.025)), std::exp(at(0.975))};
}

}  // namespace kvcliff::analysis
