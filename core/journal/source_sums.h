// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>

#include "base/result.h"

namespace kvcliff::journal {

/// Prompt tokens of a session's measured requests by source. A request that lacks one of the three counts as unknown with
/// its whole prompt, never as 0.
struct SourceSums {
  std::int64_t requests = 0;
  std::int64_t computed = 0, gpu_hit = 0, host_loaded = 0, unknown = 0;
  bool operator==(const SourceSums&) const = default;
};
/// Summed inside SQLite, without a row leaving it: for lists over runs of a million requests. Errors: those of opening.
Result<SourceSums> source_sums(const std::string& path, std::int64_t session);

}  // namespace kvcliff::journal
