// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "cache/capacity_curve.h"
#include "workload/requests.h"
#include "workload/trace.h"

namespace kvcliff::cache {

/// A trace as the curve reads it, in blocks of `block_size` tokens (0: the size of its ids); full blocks only. Output
/// lengths that the file does not state count as one token. Errors: those of workload::in_blocks.
Result<ReferenceStream> stream_of(const workload::Trace& trace, std::int64_t block_size = 0);
/// Generated prompts as the curve reads them.
ReferenceStream stream_of(std::span<const workload::Prompt> prompts, std::int64_t block_size);
/// The stream as requests of the simulator: keys are the dense ids.
std::vector<Request> requests_of(const ReferenceStream& stream, bool with_output);

}  // namespace kvcliff::cache
