// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>

#include "engine/tables/generation.h"
#include "record/sources.h"

namespace kvcliff::attribution {

/// A prediction counts tokens really run: after a full hit of an exact multiple of the block size the last token runs
/// again, so computed + hits = prompt + 1. The engine books that token once:
/// - from 0.20 on as a hit: computed becomes 0;
/// - 0.16 to 0.20 (`recomputed_term`) twice with a correction term; attribute() takes it off the largest cached source;
/// - before, computed is derived as prompt - hits, so it becomes 0 as well.
/// Returns the prediction as attribute() will report it. Sums that do not exceed the prompt are returned unchanged.
PredictedSources in_engine_counting(PredictedSources predicted, std::int64_t prompt_tokens,
                                    const engine::tables::Counting& counting);

}  // namespace kvcliff::attribution
