// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "cache/config.h"
#include "workload/spec.h"

namespace kvcliff::cache {

/// The host tier that a share of the revisits' prompt tokens needs.
struct HostSize {
  double asked = 0;                     ///< share hit or loaded that was asked for; at least `reachable`: all there is
  double share = 0;                     ///< share that this size gives
  std::optional<std::int64_t> chunks;   ///< smallest number of host chunks; 0: the GPU alone does it; absent: no size does
};

struct HostSizing {
  std::vector<HostSize> sizes;          ///< one per share asked for, in that order
  double reachable = 0;                 ///< share that unlimited capacity would hit
  std::optional<double> present;        ///< share that config.host_chunks gives
  std::int64_t working_set = 0;         ///< distinct prompt blocks
};

/// Most documents that are sized: beyond, one look would take seconds.
inline constexpr int most_sized_documents = 64;

/// Smallest host tiers for `shares` of the revisits of a documents workload, by the version's own rule (simulated, found by
/// bisection; shares grow with the tier). Errors: bad_usage for a workload without documents or with too many, and those
/// of workload::realise.
Result<HostSizing> size_host_tier(const workload::Spec& spec, const Config& config, std::span<const double> shares);

}  // namespace kvcliff::cache
