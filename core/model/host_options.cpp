// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/host_options.h"

#include <fmt/format.h>

#include <cmath>

namespace kvcliff::model {

const std::vector<HostSizeRule>& host_size_rules() {
  constexpr std::int64_t gib = std::int64_t{1} << 30;
  static const std::vector<HostSizeRule> rules{
      {"vllm", "kv_offloading_size", gib, false, true, "GiB, summed over the tensor-parallel ranks of one engine"},
      {"vllm", "cpu_bytes_to_use", 1, false, true, "bytes, summed over the tensor-parallel ranks of one engine"},
      {"vllm-old", "num_cpu_blocks", 0, true, true, "blocks of each worker"},
      {"sglang", "hicache_size", 1'000'000'000, true, true, "GB (10^9 bytes) of each tensor-parallel rank"},
      {"lmcache", "max_local_cpu_size", gib, true, true, "GiB of each worker"},
  };
  return rules;
}

Result<Bytes> host_total_bytes(std::string_view engine, std::string_view option, double value, int tp, int dp, Bytes block_bytes) {
  for (const auto& r : host_size_rules()) {
    if (r.engine != engine || r.option != option) continue;
    if (tp < 1 || dp < 1 || !(value >= 0)) return fail(ErrorCode::bad_usage, "The size of the host tier is not possible", std::string(option), "value, TP and DP must not be negative");
    if (!r.unit_bytes && block_bytes.v < 1) return fail(ErrorCode::bad_usage, "The bytes of one block are needed", std::string(option), "the option counts blocks");
    const double unit = static_cast<double>(r.unit_bytes ? r.unit_bytes : block_bytes.v);
    const double total = std::floor(value * unit) * (r.per_tp_rank ? tp : 1) * (r.per_dp_engine ? dp : 1);
    if (!(total < 9e18)) return fail(ErrorCode::bad_usage, "The size of the host tier is impossibly large", std::string(option));
    return Bytes(static_cast<std::int64_t>(total));
  }
  std::string known;
  for (const auto& r : host_size_rules()) known += fmt::format("{}{} {}", known.empty() ? "" : ", ", r.engine, r.option);
  return fail(ErrorCode::not_found, fmt::format("The meaning of {} of {} is not known", option, engine), {}, {}, "Known: " + known);
}

}  // namespace kvcliff::model
