// SPDX-License-Identifier: GPL-3.0-or-later
// Any text as a config.json, under several launches: no crash, no overflow, and numbers that agree with each other.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "model/capacity.h"
#include "model/config_text.h"
#include "model/derive.h"

using namespace kvcliff;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const Json& config, const model::Options& o) {
  const auto l = model::derive(config, o);
  if (!l) {
    require(!l.error().what.empty());
    return;
  }
  require(l->bytes_per_token >= 0 && l->bytes_per_token_all_full >= l->bytes_per_token);
  require(l->bytes_per_token_per_rank <= l->bytes_per_token_all_ranks);
  require(!l->derivation.empty());
  (void)model::to_json(*l).dump();
  for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{1} << 34, std::int64_t{1} << 62}) {
    if (const auto n = model::gpu_blocks(*l, Bytes(bytes))) {
      require(n->v >= 0);
      (void)model::logged_tokens(*l, *n, model::TokenLine::blocks_over_groups);
    }
    if (bytes > (std::int64_t{1} << 40)) continue;
    if (const auto n = model::host_chunks(*l, Bytes(bytes))) require(n->v >= 0);
    if (const auto n = model::pinned_host_bytes(*l, Bytes(bytes))) require(n->v >= 0);
  }
  if (const auto n = model::needed_bytes(*l, Tokens(131'072), 2'048)) require(n->v >= 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto config = model::parse_config_text({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!config) return 0;
  model::Options plain, spread, fp8;
  spread.tp = 4, spread.pp = 2, spread.mtp = true, spread.mamba_cache_mode = "all";
  fp8.kv_dtype = "int8_per_token_head", fp8.hybrid_manager = true, fp8.block_size = 64, fp8.kv_skip_layers = {"sliding_window", "0"};
  for (const auto& o : {plain, spread, fp8}) check(config->value, o);
  return 0;
}
