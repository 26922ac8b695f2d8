// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "record/request.h"

namespace kvcliff::reconcile {

/// Sums of predictions; equal ends when every one was exact.
struct Range {
  double low = 0, high = 0;
  Range operator*(double k) const { return {low * k, high * k}; }
  void add(const PredictedCount& c) {
    low += static_cast<double>(c.min);
    high += static_cast<double>(c.max);
  }
};

struct PredictedTotals {
  Range computed, gpu_hit, host_loaded;  ///< as the engine's source counters will book them
  Range transferred;                     ///< tokens that come over the link
  Range stored;                          ///< host entries
};

/// A prediction is made in real terms (at least one token runs). This is what the engine's counters will say of it:
/// after a full hit of an exact multiple the later releases book 0 computed; 0.16 to 0.20 book the token in computed
/// and in its cached source, and export how many were booked twice.
struct Converted {
  PredictedCount computed, gpu_hit, host_loaded;
  bool full_hit = false;      ///< the rule applied
};
/// `recomputed_is_exported`: the engine is of the releases that count the token twice; the returned values are then
/// after that token was taken off the larger cached source, as attribution does.
Converted converted_prediction(const PredictedSources& p, std::int64_t prompt_tokens, bool recomputed_is_exported);

void add_prediction(const RequestRecord& r, PredictedTotals& totals);

}  // namespace kvcliff::reconcile
