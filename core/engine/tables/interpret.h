// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string_view>
#include <vector>

#include "record/counters.h"
#include "wire/prometheus.h"

namespace kvcliff::engine::tables {

/// A metrics page by meaning.
///
/// `model`: the model_name whose samples count; empty = the one with the most series (the first in the page among equals).
/// Samples without model_name count for every model. Values are summed over `engine` only, shares are not summed.
/// What tells of requests of the other models is read beside (traffic_names), never added.
/// A value that is not finite is not available (`unavailable`, with the reason), never 0.
/// `error` is set when this is no metrics page, or when the model asked for is not on it.
CounterSnapshot interpret(const wire::MetricsPage& page, std::string_view model = {});

/// model_name values on the page, most series first.
std::vector<std::string> model_names(const wire::MetricsPage& page);

/// "vllm", "sglang", "llama_server", "trtllm", "kvbm", by the prefixes of the names; empty when none is known.
std::string recognise_engine(const wire::MetricsPage& page);

}  // namespace kvcliff::engine::tables
