// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "reconcile/input.h"

namespace kvcliff::analysis {

/// One size of the working set as it was measured: shares of the revisits' prompt tokens by source.
struct SweepPoint {
  int session = 0;               ///< ordinal
  bool offload = false;
  std::int64_t documents = 0;
  std::int64_t blocks = 0;       ///< distinct full prompt blocks that are revisited
  int requests = 0;              ///< revisits with known sources
  double gpu = 0, host = 0, computed = 0;
  double low = 0, high = 0;      ///< least and most of gpu + host over these requests
};

/// The measured cliff: one point per session of a documents workload, sessions in the order in which they ran. Requests
/// whose sources are not known are left out; a session without any gives no point.
std::vector<SweepPoint> sweep_points(const reconcile::ExperimentInput& input);

/// Whether the run is a sweep: at least three sizes of the working set.
bool is_sweep(const std::vector<SweepPoint>& points);

}  // namespace kvcliff::analysis
