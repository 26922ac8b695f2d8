// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "record/counters.h"
#include "record/request.h"

namespace kvcliff::attribution {

/// after - before of every counter that both pages report. Rules:
/// - declared without a sample = 0 (lazy children);
/// - absent before and present after in the same process = 0 before, listed in `first_seen`;
/// - absent from both = not reported, no entry;
/// - a value, or one of its parts, that fell is listed in `decreased` and has no entry: a negative difference is never
///   clipped and never replaced by the value after;
/// - another process start time, or another birth time of a counter with the same labels, later or earlier = another
///   process (`same_process` false);
/// - what tells of other models' requests (other_models_prefix) stands apart: by model, also where it fell; the numbers
///   of running and waiting requests are the larger one of the two pages.
/// Both pages must be good(); otherwise the result is empty.
CounterDelta delta(const CounterSnapshot& before, const CounterSnapshot& after);

/// Engines (data parallel ranks) whose prompt counter moved, by their label; empty where the page names no engine.
std::vector<std::string> engines_moved(const CounterSnapshot& before, const CounterSnapshot& after);

/// The requests of other models that the window saw, in words; empty when there were none.
std::string other_models_moved(const CounterDelta& d);
/// The name is one of those: no counter of the model that was read.
bool is_of_other_models(std::string_view name);

/// Why these two pages cannot be subtracted, in words; empty when they can.
std::string why_not_subtractable(const CounterSnapshot& before, const CounterSnapshot& after, const CounterDelta& d);

}  // namespace kvcliff::attribution
