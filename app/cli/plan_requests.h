// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>

#include "cli/plan_input.h"

namespace kvcliff::cli {

/// The measured requests that each session of a plan would send, arms that send the same in one entry:
/// [{"arms":[NAME],"requests":[{"ordinal","document","round","prompt_tokens","output_tokens","first_token_ids","prompt_hash"}]}];
/// warm-up requests come before them. Where they cannot be told, "requests" is null beside "why".
OrderedJson request_lists(const LoadedPlan& loaded);

/// The same in words; of each list the first and the last few, unless `all`.
void print_request_lists(const Context& context, const OrderedJson& lists, bool all);

}  // namespace kvcliff::cli
