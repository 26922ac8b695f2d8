// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "cache/config.h"
#include "record/sources.h"

namespace kvcliff::cache {

/// One request to predict, with what happens just before it.
struct Input {
  Request request;
  bool reset_gpu = false;    ///< the GPU cache is emptied first
  bool reset_host = false;   ///< the host tier is emptied first
};

struct PredictOptions {
  int seeds = 200;           ///< orders drawn for the mean where the engine's own order is random
  std::uint64_t seed = 1;
};

/// Sources of each request, one at a time in the given order, from empty caches. Warm-up requests are simply earlier
/// requests. Counts are exact integers; under HostTouch::unordered those that depend on the random order are ranges:
/// min and max hold for every order, the mean is over `seeds` drawn orders.
/// Errors: bad_usage naming the request (from 0) that can never run, or the field of the configuration.
Result<std::vector<PredictedSources>> predict(const Config& config, std::span<const Input> inputs,
                                              const PredictOptions& options = {});

/// Faults of a configuration as a finished error; nullopt when it can be simulated.
std::optional<Error> check(const Config& config);
/// Also of the requests: the first that can never run.
std::optional<Error> check(const Config& config, std::span<const Input> inputs);

/// How far the rules of this configuration were seen on a live engine, in words.
std::string verified(const Config& config);

}  // namespace kvcliff::cache
