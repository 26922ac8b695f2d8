// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <span>
#include <string_view>

#include "record/counters.h"
#include "record/session.h"
#include "record/stream.h"

namespace kvcliff::engine::tables {

/// One thing an engine may let us know, and what becomes possible by it.
struct CapabilityInfo {
  std::string_view name;     ///< key of Capabilities
  std::string_view checks;   ///< "R1, R4": the checks that need it; "settling", "coldness" where it is no check
  std::string_view what;     ///< for people
  std::string_view absent;   ///< why it is absent, when the page says nothing else
};
/// All of them, in the order in which they are shown.
std::span<const CapabilityInfo> capability_table();

/// Those that a metrics page decides, each with the series or the reason. A page that could not be read makes them all
/// absent with that reason.
Capabilities from_metrics(const CounterSnapshot& page);

/// Those that an answered request decides: usage, cached_tokens, token_ids, engine_timings. Called for each answer of a
/// session: what was seen once stays present. Up to 0.23 prompt_tokens_details is left out at 0, so an absent one says
/// nothing unless `engine_version` is newer or the answer had a cached prompt.
void learn_from_answer(Capabilities& known, const StreamRecord& answer, std::string_view engine_version);

}  // namespace kvcliff::engine::tables
