// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
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
  std::optional<double> predicted_gpu, predicted_host;   ///< the same shares as predicted before each was sent; absent: not predicted
};

/// The measured cliff: one point per session of a documents workload, sessions in the order in which they ran. Requests
/// whose sources are not known are left out; a session without any gives no point.
std::vector<SweepPoint> sweep_points(const reconcile::ExperimentInput& input);

/// Whether the run is a sweep: at least three sizes of the working set.
bool is_sweep(const std::vector<SweepPoint>& points);

/// Where the share that is served falls below one half, as an interval between two sizes that were measured: how wide it is
/// is how finely the sweep was taken. Sizes in blocks. Repeats that disagree, or shares that rise again, widen it.
struct CliffEdge {
  bool tier = false;             ///< false: what the GPU cache alone serves; true: GPU cache and host tier together
  int sessions = 0, sizes = 0;
  std::optional<std::int64_t> last_served, first_lost;   ///< largest size below the cliff, smallest size past it
  std::int64_t last_documents = 0, first_documents = 0;  ///< the same in documents
  std::optional<double> estimate;  ///< size at which the straight line between the two shares is one half; only where they are neighbours
  std::optional<bool> as_predicted;  ///< the predictions of the same requests put the cliff between the same two sizes; absent: not predicted
  std::string why;               ///< when one side is open: "the cliff lies beyond 1,125 blocks, the largest size tried"
  bool located() const { return last_served && first_lost; }
};

/// The measured cliff of a sweep.
struct Cliff {
  std::vector<SweepPoint> points;
  std::vector<CliffEdge> edges;  ///< GPU cache first; with a tier in some session the tier's second
};
/// Nullopt when the run is not a sweep.
std::optional<Cliff> locate_cliff(const reconcile::ExperimentInput& input);
CliffEdge locate_edge(const std::vector<SweepPoint>& points, bool tier);
/// "Without the tier the cliff lies between 375 and 500 blocks (3 and 4 documents), as predicted."
std::string cliff_sentence(const CliffEdge& edge);
void to_json(Json& j, const Cliff& c);

}  // namespace kvcliff::analysis
