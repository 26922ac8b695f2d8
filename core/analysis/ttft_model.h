// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "analysis/effect.h"
#include "base/json.h"

namespace kvcliff::analysis {

/// One request as the TTFT model sees it.
struct TtftPoint {
  double computed = 0;   ///< c: tokens computed
  double before = 0;     ///< s: tokens before them that were not computed (hit or loaded)
  double bytes = 0;      ///< bytes loaded from the host
  double ttft_ms = 0;
};

/// Terms of TTFT = a0 + max(w, a1 c + a2 c (s + c/2)) + h s + d bytes + e [bytes > 0], in ms.
/// `w` is the floor of a prefill step (reading the weights, launching without a graph): it holds from one block of computed
/// tokens on, and is fitted only where short prompts show it. `h` is what a reused token costs all the same (its id is sent, hashed and looked up); it is fitted only where GPU hits
/// of several lengths show it, and 0 otherwise.
enum class Term { a0, a1, a2, h, d, e, w };
inline constexpr std::size_t term_count = 7;
/// Computed tokens from which on the floor holds: fewer are a decode-like step.
inline constexpr double floor_from = 16;
const char* name_of(Term t);
const char* unit_of(Term t);

struct Coefficient {
  double value = 0, low = 0, high = 0;  ///< 95 %
  bool fitted = false;                  ///< false: not identified by the data, taken as 0
  std::string why;                      ///< when not fitted
};

struct TtftModel {
  std::string tag;                      ///< "fitted", "guess"
  std::string origin;                   ///< what it was fitted on, or which figures the guess rests on
  std::array<Coefficient, term_count> terms;
  std::array<std::array<double, term_count>, term_count> covariance{};  ///< ms^2 in the units of the terms; 0 for guesses
  bool has_load = false;                ///< d and e are known
  std::string load_why;                 ///< when not
  int points = 0, distinct = 0, downweighted = 0;
  double residual_sd_ms = 0;            ///< robust
  double median_error = 0;              ///< median of |predicted - measured| / measured
  double largest_error_ms = 0;
  // Ranges of the data: outside them a prediction is an extrapolation and says so.
  double computed_low = 0, computed_high = 0, before_high = 0, bytes_low = 0, bytes_high = 0;

  /// Measured over modelled, per kind of source and prompt length (medians): what the straight
  /// form misses, such as the steps of prefill chunks. Kinds: computed, GPU hit, host load.
  struct Correction {
    double tokens = 0, ratio = 1;
  };
  std::array<std::vector<Correction>, 3> corrections;

  double operator[](Term t) const { return terms[static_cast<std::size_t>(t)].value; }
  /// By the terms alone.
  double at(double computed, double before, double bytes) const;
  /// By the terms, times the correction interpolated between calibrated lengths; outside them as the nearest one says.
  double calibrated(double computed, double before, double bytes) const;
  /// Empty, or why this point lies outside what the model was fitted on.
  std::string extrapolates(double computed, double before, double bytes) const;
};
void to_json(Json& j, const TtftModel& m);

struct TtftFit {
  std::optional<TtftModel> model;
  std::string why;
};

/// Robust fit (iteratively reweighted least squares, Huber at 1.345 robust SDs, errors relative to the measured time).
/// No model, with the reason, where the points cannot identify it: fewer than three computed lengths.
TtftFit fit_ttft(const std::vector<TtftPoint>& points, std::string origin = {});

/// Loaded tokens from which on loading beats computing them, at the start of a prompt.
struct BreakEven {
  double tokens = 0;
  double low = 0;
  std::optional<double> high;     ///< nullopt: the interval has no upper end
  std::string note;
};
struct BreakEvenResult {
  std::optional<BreakEven> value;
  std::string why;
};
/// `bytes_per_token` over the link. Interval from the coefficients' covariance (2,000 draws, fixed seed).
BreakEvenResult break_even(const TtftModel& model, double bytes_per_token);
void to_json(Json& j, const BreakEven& b);

}  // namespace kvcliff::analysis
