// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "cache/config.h"
#include "cache/predict.h"
#include "record/request.h"
#include "workload/requests.h"

namespace kvcliff::cache {

/// A generated prompt as the cache sees it: output tokens are not known beforehand, so their blocks are found by nobody.
Request request_of(const workload::Prompt& prompt);

/// The requests of one session in the order sent, each with its prediction: `warmups` salted warm-up prompts (their
/// lengths are those of the measured prompts, in turn), then the workload. Caches are empty at the start, and measured
/// requests find them as warm-up leaves them. Ordinals count from 0 over all.
/// Errors: bad_usage (workload or configuration), those of reading a trace.
Result<std::vector<PlannedRequest>> plan_session(const workload::Spec& spec, const Config& config, int warmups,
                                                 std::uint64_t salt = 0, const PredictOptions& options = {});

/// Sources of requests that run one after the other from empty caches. Where generated blocks are stored too
/// (offload_prompt_only = false), a prompt that comes again finds those of its first answer only if the model gives the same
/// tokens again; that is the model's, so counts that depend on it are ranges over both.
Result<std::vector<PredictedSources>> predict_in_order(const Config& config, std::span<const PlannedRequest* const> requests,
                                                       const PredictOptions& options = {});

/// Fills `predicted` of requests that run one after the other from empty caches.
Result<void> predict_planned(const Config& config, std::span<PlannedRequest> requests, const PredictOptions& options = {});

}  // namespace kvcliff::cache
