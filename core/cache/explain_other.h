// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <span>
#include <string>
#include <vector>

#include "cache/explain.h"

namespace kvcliff::cache {

/// The reasons of each request for the tiers of make_other_tier, as explain gives them. The configuration and the requests
/// were checked. What was lost when is seen by looking which blocks are where after each request.
std::vector<std::vector<Because>> explain_other(const Config& config, std::span<const Input> inputs, std::span<const std::string> names, int warmups);

/// "request 3 (doc-1 round 2)", "the warm-up", "a reset of the cache" (below 0).
std::string who(int request, std::span<const std::string> names, int warmups);

}  // namespace kvcliff::cache
