// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace kvcliff::model {

/// What an engine's option for the size of the host tier means. One row per option: the multiplication rule is data.
struct HostSizeRule {
  std::string_view engine;      ///< vllm | vllm-old | sglang | lmcache
  std::string_view option;
  std::int64_t unit_bytes;      ///< of one unit of the option; 0 = a count of blocks, whose bytes are given
  bool per_tp_rank;             ///< the value counts for each tensor-parallel rank
  bool per_dp_engine;           ///< each data-parallel engine takes its own
  std::string_view words;
};
const std::vector<HostSizeRule>& host_size_rules();

/// Bytes that the option takes in the whole session. `block_bytes` (per rank) only for options that count blocks.
/// Errors: not_found for an unknown pair (the known ones are named), bad_usage for numbers that are not possible.
Result<Bytes> host_total_bytes(std::string_view engine, std::string_view option, double value, int tp, int dp, Bytes block_bytes = Bytes(0));

}  // namespace kvcliff::model
