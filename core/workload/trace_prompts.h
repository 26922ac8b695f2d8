// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "base/result.h"
#include "workload/requests.h"
#include "workload/trace.h"

namespace kvcliff::workload {

/// A trace as prompts that can be sent: the first `spec.trace_requests` requests, lengths times `spec.trace_scale`. The
/// tokens of a block follow from its id and `spec.seed`: equal ids give equal tokens, different ids after the same block
/// differ in their first tokens. One id stands for round(block_tokens x scale) tokens, at least 1; what a prompt has
/// beyond its last full id is scaled by itself. Output lengths are scaled too, at least 1; `spec.output_tokens` where
/// the trace states none. `document`: a prompt whose known blocks cover all full ids of an earlier prompt continues its
/// document; `round` counts the requests of a document.
/// Errors: bad_usage (a scale that leaves too few tokens to tell blocks apart, too many tokens).
Result<std::vector<Prompt>> prompts_of(const Trace& trace, const Spec& spec, std::int64_t block_size);

/// Reads `spec.trace` and makes prompts of it. Errors: those of read_trace and prompts_of.
Result<std::vector<Prompt>> realise_trace(const Spec& spec, std::int64_t block_size);

}  // namespace kvcliff::workload
