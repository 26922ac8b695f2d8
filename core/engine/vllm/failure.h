// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/adapter.h"
#include "record/session.h"

namespace kvcliff::engine::vllm {

/// Why this vLLM did not start, or died, from its log. The last lines are generic, so the search goes to the first
/// exception of an engine core or worker. nullopt: the log names no cause (an orderly stop names none, although it logs
/// an EngineDeadError).
std::optional<FailureCause> find_failure(const std::vector<LogLine>& log);

/// The cause that one exception or message names; nullopt when it is none of those known.
std::optional<FailureCause> known_cause(std::string_view message);

}  // namespace kvcliff::engine::vllm
