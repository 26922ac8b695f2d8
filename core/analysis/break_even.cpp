// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <cmath>

#include "analysis/ttft_model.h"
#include "base/hash.h"

namespace kvcliff::analysis {
namespace {
using Terms = std::array<double, term_count>;

// x with (d k + h) x + e = a1 x + a2 x^2 / 2: the positive root; nullopt when loading never catches up.
std::optional<double> root(const Terms& t, double k) {
  const double a2 = t[2], slope = t[1] - (t[4] * k + t[3]), e = t[5];
  if (e <= 0 && slope >= 0) return 0.0;
  if (a2 > 0) {
    const double disc = slope * slope + 2 * a2 * e;
    return (-slope + std::sqrt(std::max(0.0, disc))) / a2;
  }
  if (slope <= 0) return std::nullopt;
  return e / slope;
}

// Lower Cholesky factor of a positive semidefinite matrix; columns without variance stay 0.
std::array<std::array<double, term_count>, term_count> cholesky(const std::array<std::array<double, term_count>, term_count>& c) {
  std::array<std::array<double, term_count>, term_count> l{};
  for (std::size_t i = 0; i < term_count; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double s = c[i][j];
      for (std::size_t k = 0; k < j; ++k) s -= l[i][k] * l[j][k];
      if (i == j) l[i][i] = s > 0 ? std::sqrt(s) : 0;
      else l[i][j] = l[j][j] > 0 ? s / l[j][j] : 0;
    }
  return l;
}
}  // namespace

BreakEvenResult break_even(const TtftModel& m, double bytes_per_token) {
  if (!m.has_load) return {std::nullopt, "the cost of a load is not identified: " + m.load_why};
  if (!(bytes_per_token > 0)) return {std::nullopt, "KV bytes per token are not known"};
  Terms centre{};
  for (std::size_t i = 0; i < term_count; ++i) centre[i] = m.terms[i].value;
  const auto x = root(centre, bytes_per_token);
  if (!x) return {std::nullopt, "loading costs at least as much per token as computing: the lines never meet"};
  BreakEven b;
  b.tokens = *x;
  const auto l = cholesky(m.covariance);
  Rng rng(7);
  constexpr int draws = 2000;
  std::vector<double> roots;
  int never = 0;
  for (int i = 0; i < draws; ++i) {
    Terms z{}, t = centre;
    for (auto& v : z) v = rng.normal();
    for (std::size_t r = 0; r < term_count; ++r)
      for (std::size_t k = 0; k <= r; ++k) t[r] += l[r][k] * z[k];
    if (const auto v = root(t, bytes_per_token)) roots.push_back(*v);
    else ++never;
  }
  std::sort(roots.begin(), roots.end());
  if (roots.empty()) return {std::nullopt, "the interval of the break-even length is empty"};
  b.low = roots[static_cast<std::size_t>(0.025 * static_cast<double>(roots.size()))];
  if (never < draws / 40) b.high = roots[std::min(roots.size() - 1, static_cast<std::size_t>(0.975 * draws))];
  if (const auto smallest = m.bytes_low / bytes_per_token; b.tokens < smallest)
    b.note = fmt::format("below the shortest load measured ({:.0f} tokens)", smallest);
  else if (const auto largest = m.bytes_high / bytes_per_token; b.tokens > largest)
    b.note = fmt::format("above the longest load measured ({:.0f} tokens): extrapolated", largest);
  if (m.tag == "guess") b.note = b.note.empty() ? "from a guess, not from this run" : b.note + "; from a guess, not from this run";
  return {b, {}};
}

void to_json(Json& j, const BreakEven& b) {
  j = Json{{"tokens", b.tokens}, {"low", b.low}, {"high", optional_json(b.high)}};
  if (!b.high) j["why"] = "the interval has no upper end: part of it says that loading never pays";
  if (!b.note.empty()) j["note"] = b.note;
}

}  // namespace kvcliff::analysis
