// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "workload/trace.h"

namespace kvcliff::workload {

/// What a walk over a trace saw.
struct TraceWalk {
  TraceFormat format = TraceFormat::mooncake;
  std::int64_t block_tokens = 0;           ///< of the blocks that were given
  std::int64_t requests = 0, prompt_tokens = 0;
  std::size_t backwards = 0;               ///< requests that arrive before the one above them
  std::vector<TraceFault> faults;          ///< the first ones
  std::size_t fault_count = 0;
  std::string prefix_model;                ///< sentence; empty when the file itself says which blocks are shared
};

/// Called for every request with the keys of its full blocks and the tokens of a block. False: enough.
using EachRequest = std::function<bool(const TraceRequest&, std::span<const std::uint64_t> keys, std::int64_t block_tokens)>;

/// A trace of any length, in memory that does not grow with it: `each` is called for every request in file order with
/// the keys of its full blocks of `block_tokens` tokens (0: the size of the trace's ids). A key is a 64-bit hash of the
/// block and all before it; two of n different blocks share one with a chance of about n^2 / 4e19. The request carries no
/// ids and no conversation. (With PrefixModel::Kind::continued memory grows with the prompts that nobody has continued.)
/// Errors: as read_trace and in_blocks; `each` may have been called for the usable lines by then.
Result<TraceWalk> walk_trace(const std::string& path, const TraceOptions& options, std::int64_t block_tokens, const EachRequest& each);

}  // namespace kvcliff::workload
