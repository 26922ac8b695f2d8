// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "cache/config.h"
#include "cache/predict.h"
#include "record/sources.h"

namespace kvcliff::cache {

/// Why some tokens of a prompt come from where they come from. The tokens of a request's reasons add up to its prompt,
/// and one more where the last token is recomputed after a full hit.
struct Because {
  std::int64_t tokens = 0;
  Source source = Source::computed;
  std::string reason;
};
void to_json(Json& j, const Because& b);

/// The reasons of each request, first tokens first. Those of tiers other than the native one follow what is where before
/// and after each request. Under HostTouch::unordered they are those of one drawn order.
/// `names` (may be empty) name the requests in the text beside their numbers. Numbers count from 0 behind the first
/// `warmups` requests, which are called warm-up.
/// Errors: as `predict`.
Result<std::vector<std::vector<Because>>> explain(const Config& config, std::span<const Input> inputs,
                                                  std::span<const std::string> names = {}, int warmups = 0);

/// How a prompt compares with the earlier prompt nearest to it.
struct Nearest {
  int request = -1;                  ///< earlier request with the longest common start (the newest of equals); -1: none
  std::int64_t common_tokens = 0;    ///< tokens before the first that differs
  std::string why;                   ///< finished sentence: what that allows, or why nothing can be reused
};

/// For each prompt its nearest earlier one. Tokens are any numbers that are equal for equal tokens.
/// The first `warmups` are warm-up prompts; numbers in the text count from 0 behind them.
std::vector<Nearest> nearest_prompts(std::span<const std::vector<std::uint64_t>> prompts, std::int64_t block_size,
                                     int warmups = 0);

/// "Why no reuse", from the nearest prompt, the LRU distance and what was predicted; empty when everything that can be
/// reused is.
std::string why_no_reuse(const Config& config, const Nearest& nearest, std::int64_t prompt_tokens, std::int64_t distance,
                         const PredictedSources& predicted);

}  // namespace kvcliff::cache
