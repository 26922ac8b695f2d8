// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "plan/plan.h"

namespace kvcliff::experiment {

/// Decides when warm-up is over: at least `min_requests` per prompt length, and the last two TTFTs of the longest
/// length within `steady_ratio` of each other, or `max_requests`.
class Warmup {
 public:
  /// `lengths`: the different prompt lengths to be measured, any order.
  Warmup(const plan::WarmupSpec& spec, std::vector<std::int64_t> lengths);
  /// Prompt length of the next warm-up request; nullopt: enough.
  std::optional<std::int64_t> next() const;
  /// TTFT of the request asked for by `next`; absent when it had no token.
  void done(std::int64_t length, std::optional<MonoNs> ttft);
  bool steady() const;
  int sent() const { return sent_; }

 private:
  plan::WarmupSpec spec_;
  std::vector<std::int64_t> lengths_;  ///< ascending, thinned to `max_requests`
  std::size_t round_ = 0, at_ = 0;
  int sent_ = 0;
  std::vector<MonoNs> longest_;
};

/// TTFTs of measured requests, in order: a sentence when the first is more than 3 times the median of the rest.
std::optional<std::string> slow_first_request(std::span<const double> ttft_ms);
/// Median (mean of the two middle values for an even count); nullopt for none.
std::optional<double> median_of(std::vector<double> values);

}  // namespace kvcliff::experiment
