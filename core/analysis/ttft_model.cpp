// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/ttft_model.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "analysis/distributions.h"
#include "analysis/linear.h"

namespace kvcliff::analysis {
namespace {
constexpr std::array<const char*, term_count> names{"a0", "a1", "a2", "h", "d", "e", "w"};
constexpr std::array<const char*, term_count> units{"ms", "ms/token", "ms/token^2", "ms/token", "ms/byte", "ms", "ms"};

// `floor_to`: points of floor_from to this many computed tokens lie on the floor; there `w` stands for a1 and a2.
double factor(Term t, const TtftPoint& p, double floor_to) {
  const bool on_floor = p.computed >= floor_from && p.computed <= floor_to;
  switch (t) {
    case Term::a0: return 1;
    case Term::a1: return on_floor ? 0 : p.computed;
    case Term::a2: return on_floor ? 0 : p.computed * (p.before + p.computed / 2);
    case Term::w: return on_floor ? 1 : 0;
    case Term::h: return p.before;
    case Term::d: return p.bytes;
    case Term::e: return p.bytes > 0 ? 1 : 0;
  }
  return 0;
}

std::size_t kind_of(double computed, double before, double bytes) { return bytes > 0 ? 2 : before > computed ? 1 : 0; }

struct Robust {
  LinearFit fit;
  double scale = 0;        ///< of relative errors
  int downweighted = 0;
};

std::optional<Robust> robust_fit(const std::vector<TtftPoint>& points, const std::vector<Term>& terms, double floor_to) {
  constexpr double huber = 1.345;
  Design x;
  std::vector<double> y, base, weights;
  for (const auto& p : points) {
    std::vector<double> row;
    for (const Term t : terms) row.push_back(factor(t, p, floor_to));
    x.push_back(std::move(row));
    y.push_back(p.ttft_ms);
    base.push_back(1 / (p.ttft_ms * p.ttft_ms));
  }
  weights = base;
  Robust out;
  for (int i = 0; i < 60; ++i) {
    const auto solved = least_squares(x, y, weights);
    if (!solved) return std::nullopt;
    std::vector<double> relative;
    for (std::size_t k = 0; k < y.size(); ++k) {
      double v = 0;
      for (std::size_t j = 0; j < terms.size(); ++j) v += x[k][j] * solved->beta[j];
      relative.push_back((y[k] - v) / y[k]);
    }
    std::vector<double> absolute;
    for (const double r : relative) absolute.push_back(std::fabs(r));
    const double scale = std::max(1e-9, 1.4826 * median(absolute));
    double change = 0;
    out.downweighted = 0;
    for (std::size_t k = 0; k < y.size(); ++k) {
      const double z = absolute[k] / (huber * scale);
      const double w = base[k] * (z > 1 ? 1 / z : 1);
      if (z > 1) ++out.downweighted;
      change = std::max(change, std::fabs(w - weights[k]) / base[k]);
      weights[k] = w;
    }
    out.fit = *solved;
    out.scale = scale;
    if (change < 1e-6) break;
  }
  return out;
}

// A fit with terms that came out negative left out one by one: a negative cost is noise.
struct Attempt {
  Robust fit;
  std::vector<Term> terms;
  std::vector<std::pair<Term, std::string>> dropped;
  double mean_error = 0;   ///< of |predicted - measured| / measured
  bool has(Term t) const { return std::find(terms.begin(), terms.end(), t) != terms.end(); }
};

TtftModel bare_model(const Attempt& a) {
  TtftModel m;
  for (std::size_t i = 0; i < a.terms.size(); ++i) m.terms[static_cast<std::size_t>(a.terms[i])].value = a.fit.fit.beta[i];
  return m;
}

std::optional<Attempt> attempt(const std::vector<TtftPoint>& points, std::vector<Term> terms, double floor_to) {
  Attempt a;
  while (true) {
    const auto fit = robust_fit(points, terms, floor_to);
    if (!fit) return std::nullopt;
    std::size_t worst = terms.size();
    double depth = 0;
    for (std::size_t i = 1; i < terms.size(); ++i) {
      const double z = fit->fit.beta[i] / std::max(1e-300, fit->fit.standard_error(i, 1));
      if (z < depth) depth = z, worst = i;
    }
    if (worst == terms.size() || terms[worst] == Term::a1) {
      a.fit = *fit;
      break;
    }
    a.dropped.emplace_back(terms[worst], "the data show none: the fitted value was below 0");
    terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(worst));
  }
  a.terms = std::move(terms);
  const TtftModel m = bare_model(a);
  for (const auto& p : points) a.mean_error += std::fabs(m.at(p.computed, p.before, p.bytes) - p.ttft_ms) / p.ttft_ms;
  a.mean_error /= static_cast<double>(points.size());
  return a;
}

// Lengths of prompts that were mostly computed, ascending.
std::vector<double> computed_length_list(const std::vector<TtftPoint>& points) {
  std::set<double> seen;
  for (const auto& p : points)
    if (p.computed >= floor_from && p.computed >= p.before) seen.insert(p.computed);
  return {seen.begin(), seen.end()};
}

template <class F>
std::size_t distinct_values(const std::vector<TtftPoint>& points, F&& f) {
  std::set<double> seen;
  for (const auto& p : points)
    if (const std::optional<double> v = f(p)) seen.insert(*v);
  return seen.size();
}
}  // namespace

const char* name_of(Term t) { return names[static_cast<std::size_t>(t)]; }
const char* unit_of(Term t) { return units[static_cast<std::size_t>(t)]; }

double TtftModel::at(double computed, double before, double bytes) const {
  const TtftModel& m = *this;
  double prefill = m[Term::a1] * computed + m[Term::a2] * computed * (before + computed / 2);
  if (computed >= floor_from) prefill = std::max(prefill, m[Term::w]);
  return m[Term::a0] + prefill + m[Term::h] * before + m[Term::d] * bytes + (bytes > 0 ? m[Term::e] : 0.0);
}

double TtftModel::calibrated(double computed, double before, double bytes) const {
  const double plain = at(computed, before, bytes), n = computed + before;
  const auto& c = corrections[kind_of(computed, before, bytes)];
  if (c.empty() || n <= 0) return plain;
  const auto above = std::find_if(c.begin(), c.end(), [&](const Correction& k) { return k.tokens >= n; });
  if (above == c.begin()) return plain * c.front().ratio;
  if (above == c.end()) return plain * c.back().ratio;
  const auto below = above - 1;
  const double share = std::log(n / below->tokens) / std::log(above->tokens / below->tokens);
  return plain * (below->ratio + share * (above->ratio - below->ratio));
}

std::string TtftModel::extrapolates(double computed, double before, double bytes) const {
  if (computed > computed_high * 1.001)
    return fmt::format("{:.0f} computed tokens lie above the largest measured, {:.0f}", computed, computed_high);
  if (before > before_high * 1.001)
    return fmt::format("{:.0f} reused tokens lie above the largest measured, {:.0f}", before, before_high);
  if (bytes > 0 && !has_load) return "loads were not part of the data: " + load_why;
  if (bytes > bytes_high * 1.001) return fmt::format("{:.0f} loaded bytes lie above the largest measured, {:.0f}", bytes, bytes_high);
  if (bytes > 0 && bytes < bytes_low * 0.999)
    return fmt::format("{:.0f} loaded bytes lie below the smallest measured, {:.0f}", bytes, bytes_low);
  return {};
}

TtftFit fit_ttft(const std::vector<TtftPoint>& all, std::string origin) {
  std::vector<TtftPoint> points;
  for (const auto& p : all)
    if (std::isfinite(p.ttft_ms) && p.ttft_ms > 0 && p.computed >= 0 && p.before >= 0 && p.bytes >= 0) points.push_back(p);
  std::set<std::tuple<double, double, double>> distinct;
  for (const auto& p : points) distinct.insert({p.computed, p.before, p.bytes});
  // Lengths that differ by less than a block cannot carry a slope: a computed length is its nearest multiple of 16.
  const auto computed_lengths = distinct_values(points, [](const TtftPoint& p) -> std::optional<double> {
    return p.computed >= p.before ? std::optional(std::round(p.computed / 16)) : std::nullopt;
  });
  if (computed_lengths < 3)
    return {std::nullopt, fmt::format("{} distinct point(s) with {} computed length(s): at least three lengths are needed to tell a "
                                      "fixed cost, a linear and a quadratic one apart; add a calibration arm",
                                      distinct.size(), computed_lengths)};
  std::vector<Term> terms{Term::a0, Term::a1, Term::a2};
  TtftModel m;
  const auto gpu_lengths = distinct_values(points, [](const TtftPoint& p) -> std::optional<double> {
    return p.bytes == 0 && p.before > p.computed ? std::optional(p.before) : std::nullopt;
  });
  const auto load_sizes = distinct_values(points, [](const TtftPoint& p) -> std::optional<double> {
    return p.bytes > 0 ? std::optional(p.bytes) : std::nullopt;
  });
  auto& terms_of = m.terms;
  const auto why = [&](Term t) -> std::string& { return terms_of[static_cast<std::size_t>(t)].why; };
  if (gpu_lengths >= 3) terms.push_back(Term::h);
  else why(Term::h) = fmt::format("{} length(s) of GPU hits: at least three are needed", gpu_lengths);
  if (load_sizes >= 3) {
    terms.push_back(Term::d);
    terms.push_back(Term::e);
    m.has_load = true;
  } else {
    m.load_why = why(Term::d) = why(Term::e) = fmt::format("{} size(s) of host loads: at least three are needed", load_sizes);
    if (load_sizes > 0) std::erase_if(points, [](const TtftPoint& p) { return p.bytes > 0; });
  }
  if (distinct.size() < terms.size() + 1)
    return {std::nullopt, fmt::format("{} distinct points cannot identify {} terms", distinct.size(), terms.size())};

  auto best = attempt(points, terms, 0);
  if (!best) return {std::nullopt, "the points cannot tell the terms apart (their columns depend on each other)"};
  // The floor: the shortest one or two lengths, where at least three longer ones remain for a1 and a2.
  const auto lengths = computed_length_list(points);
  std::string floor_why = "no shorter prompt takes as long as a longer one";
  for (std::size_t n = 1; n <= 2 && lengths.size() >= n + 3; ++n) {
    auto with_floor = terms;
    with_floor.push_back(Term::w);
    auto other = attempt(points, with_floor, lengths[n - 1]);
    // Kept when it describes the data clearly better, as the model itself predicts them (with its maximum).
    if (other && other->has(Term::w) && other->mean_error < 0.9 * best->mean_error) best = std::move(other);
  }
  const auto& fit = best->fit;
  for (const auto& [t, reason] : best->dropped) why(t) = reason;
  if (!best->has(Term::w)) why(Term::w) = floor_why;
  terms = best->terms;
  if (fit.fit.beta[1] < 0) return {std::nullopt, "the time does not grow with the computed tokens: no model of this form fits"};

  const double variance = fit.scale * fit.scale;  // of relative errors, as the weights are 1 / y^2
  const double t = t_quantile(0.95, std::max(1, fit.fit.degrees_of_freedom));
  for (std::size_t i = 0; i < terms.size(); ++i) {
    auto& c = m.terms[static_cast<std::size_t>(terms[i])];
    const double half = t * fit.fit.standard_error(i, variance);
    c = {fit.fit.beta[i], fit.fit.beta[i] - half, fit.fit.beta[i] + half, true, {}};
    for (std::size_t k = 0; k < terms.size(); ++k)
      m.covariance[static_cast<std::size_t>(terms[i])][static_cast<std::size_t>(terms[k])] = fit.fit.inverse[i][k] * variance;
  }
  m.tag = "fitted";
  m.origin = std::move(origin);
  m.points = static_cast<int>(points.size());
  m.distinct = static_cast<int>(distinct.size());
  m.downweighted = fit.downweighted;
  std::vector<double> errors, residuals;
  m.computed_low = m.bytes_low = HUGE_VAL;
  for (const auto& p : points) {
    const double r = p.ttft_ms - m.at(p.computed, p.before, p.bytes);
    residuals.push_back(r);
    errors.push_back(std::fabs(r) / p.ttft_ms);
    m.largest_error_ms = std::max(m.largest_error_ms, std::fabs(r));
    m.computed_low = std::min(m.computed_low, p.computed);
    m.computed_high = std::max(m.computed_high, p.computed);
    m.before_high = std::max(m.before_high, p.before);
    if (p.bytes > 0) m.bytes_low = std::min(m.bytes_low, p.bytes);
    m.bytes_high = std::max(m.bytes_high, p.bytes);
  }
  if (!m.has_load) m.bytes_low = 0;
  std::array<std::map<double, std::vector<double>>, 3> cells;
  for (const auto& p : points)
    cells[kind_of(p.computed, p.before, p.bytes)][p.computed + p.before].push_back(p.ttft_ms / m.at(p.computed, p.before, p.bytes));
  for (std::size_t k = 0; k < cells.size(); ++k)
    for (const auto& [tokens, ratios] : cells[k])
      m.corrections[k].push_back({tokens, median(ratios)});
  m.median_error = median(errors);
  m.residual_sd_ms = mad_sd(residuals);
  return {std::move(m), {}};
}

void to_json(Json& j, const TtftModel& m) {
  Json terms = Json::object();
  for (std::size_t i = 0; i < term_count; ++i) {
    const auto& c = m.terms[i];
    Json t{{"unit", units[i]}};
    if (c.fitted) {
      t["value"] = c.value;
      t["low"] = c.low;
      t["high"] = c.high;
    } else {
      t["value"] = nullptr;
      t["why"] = c.why;
    }
    terms[names[i]] = std::move(t);
  }
  j = Json{{"form", "a0 + max(w, a1 c + a2 c (s + c/2)) + h s + d bytes + e [bytes > 0]"},
           {"tag", m.tag},
           {"origin", m.origin},
           {"terms", std::move(terms)},
           {"points", m.points},
           {"distinct_points", m.distinct},
           {"downweighted_points", m.downweighted},
           {"residual_sd_ms", m.residual_sd_ms},
           {"median_error_share", m.median_error},
           {"largest_error_ms", m.largest_error_ms},
           {"range", {{"computed_tokens", {m.computed_low, m.computed_high}},
                      {"reused_tokens", {0, m.before_high}},
                      {"loaded_bytes", {m.bytes_low, m.bytes_high}}}}};
  if (!m.has_load) j["load_why"] = m.load_why;
}

}  // namespace kvcliff::analysis
