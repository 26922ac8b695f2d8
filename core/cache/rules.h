// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "base/result.h"
#include "cache/config.h"

namespace kvcliff::cache {

/// Sets the switches of `config` that a vLLM release decides: free order, host recency, in-flight rule, protection,
/// admission, statistics, threshold. `version` as engines print it: "0.26.0", "0.32.0+cpu", "v0.19.1rc2".
/// Releases between two that were looked at behave as the older of them. Empty: the newest rules.
/// Source: which release has which code, 0.16.0 to 0.32.0; live are 0.26.0 and 0.32.0.
/// Errors: bad_usage when the text is not a version.
Result<Config> with_rules_of(Config config, const std::string& version);

}  // namespace kvcliff::cache
