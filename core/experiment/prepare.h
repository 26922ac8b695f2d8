// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "cache/config.h"
#include "plan/plan.h"
#include "record/request.h"

namespace kvcliff::experiment {

/// KV bytes per token of a plan's model, all ranks (copies counted).
using KvBytes = std::function<Result<std::int64_t>(const plan::Plan&)>;

/// One session of the schedule with everything that can be known before its server starts.
struct SessionJob {
  plan::SessionPlan schedule;
  plan::Plan arm_plan;                   ///< overrides applied
  bool offload = false;
  std::int64_t kv_bytes_per_token = 0;   ///< all ranks
  std::vector<PlannedRequest> requests;  ///< measured ones in order; ordinals are given when warm-up is over
  std::optional<std::string> shared_start;  ///< different documents begin alike, unasked: in words
  std::uint64_t salt = 0;                ///< of its warm-up prompts: differs per run, session and attempt
};
/// `run` is the experiment's uid: a server that outlives a run holds the warm-up of the run before, which must not make this
/// one's warm. Empty where nothing will be sent. Errors: bad_usage and what the workload or the model refuses.
Result<SessionJob> prepare(const plan::Plan& plan, const plan::SessionPlan& session, int attempt, const KvBytes& kv_bytes,
                           std::string_view run = {});

/// What a journal needs to say about the model by itself, on any machine later: {"kv_bytes_per_token": {arm: bytes, all
/// ranks}, "config": the model folder's config.json as it was (absent for a catalogue id)}.
Json model_facts(const plan::Plan& plan, const std::vector<plan::SessionPlan>& schedule, const KvBytes& kv_bytes);

/// Warm-up request `index` of `tokens` tokens: no block in common with any other request.
Result<PlannedRequest> warmup_request(const SessionJob& job, std::int64_t tokens, int index);

/// The cache of this session's engine. `engine_version` decides the rules that changed between releases; empty or
/// unknown: those of the newest release that was verified.
cache::Config cache_config(const SessionJob& job, const std::string& engine_version);

/// Fills `predicted` of `measured`: caches as the requests `before` leave them (warm-up, in the order sent).
Result<void> predict(const SessionJob& job, const std::string& engine_version, std::span<const PlannedRequest> before,
                     std::vector<PlannedRequest>& measured);

/// Send times of an open loop, from the start of measuring: exponential gaps (Poisson) or equal ones. `rate` per second.
std::vector<MonoNs> send_times(std::size_t n, double rate, bool poisson, std::uint64_t seed);

}  // namespace kvcliff::experiment
