// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/derive.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "model/dtype.h"
#include "model/groups.h"
#include "model/shape.h"

namespace kvcliff::model {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

Result<void> check(const Options& o) {
  const auto bad = [](const std::string& what, const std::string& where, const std::string& why) { return fail(ErrorCode::bad_usage, what, where, why, "Correct the option"); };
  for (const auto& [name, v] : {std::pair{"--tp", o.tp}, {"--pp", o.pp}, {"--dcp", o.dcp}, {"--pcp", o.pcp}})
    if (v < 1 || v > 4096) return bad(fmt::format("A parallel size of {} is not possible", v), name, "1 to 4096");
  if (o.block_size < 0 || o.block_size > (1 << 20)) return bad(fmt::format("A block of {} tokens is not possible", o.block_size), "--block-size", "1 to 1048576");
  if (o.kernel_alignment < 0 || o.kernel_alignment > 4096) return bad("The kernel alignment is not possible", "kernel alignment", "1 to 4096 tokens");
  if (o.speculative_tokens < 0 || o.speculative_tokens > 1024) return bad("The number of speculative tokens is not possible", "speculative tokens", "0 to 1024");
  if (o.mamba_cache_mode != "none" && o.mamba_cache_mode != "align" && o.mamba_cache_mode != "all")
    return bad("Unknown state cache mode \"" + o.mamba_cache_mode + "\"", "--mamba-cache-mode", "none, align, all");
  if (o.tp % o.dcp) return bad(fmt::format("Decode context parallel {} does not divide TP {}", o.dcp, o.tp), "--dcp", "its ranks are taken from the tensor-parallel ones");
  return {};
}

// Which splits the engine itself refuses, and which it only copies.
Result<void> check_parallel(const Shape& s, const Options& o, KvLayout& l) {
  const auto layers = s.layers;
  if (o.pp > layers) return fail(ErrorCode::bad_usage, fmt::format("{} layers cannot be split over {} pipeline ranks", layers, o.pp), "--pp", {}, "Choose a smaller --pp");
  if (!o.pp_partition.empty()) {
    const bool negative = std::any_of(o.pp_partition.begin(), o.pp_partition.end(), [&](std::int64_t v) { return v < 0 || v > layers; });
    if (static_cast<int>(o.pp_partition.size()) != o.pp || negative || std::accumulate(o.pp_partition.begin(), o.pp_partition.end(), std::int64_t{0}) != layers)
      return fail(ErrorCode::bad_usage, "The pipeline partition does not add up to the model's layers", "VLLM_PP_LAYER_PARTITION", fmt::format("{} layers, {} ranks", layers, o.pp), "Correct it");
  }
  if (s.heads && s.heads % o.tp)
    return fail(ErrorCode::unsupported, fmt::format("{} attention heads cannot be split over {} tensor-parallel ranks", s.heads, o.tp), "--tp",
                "the engine refuses to start unless the heads divide evenly", "Choose a --tp that divides the heads");
  std::set<std::int64_t> warned;
  for (const auto& c : s.caches) {
    if (c.kind == CacheKind::state) {
      if (c.divisor_heads % o.tp)
        return fail(ErrorCode::unsupported, fmt::format("State heads {} cannot be split over {} tensor-parallel ranks", c.divisor_heads, o.tp), "--tp", "the engine divides them", "Choose another --tp");
    } else if (c.kind != CacheKind::latent && c.kv_heads % o.tp && o.tp % c.kv_heads && warned.insert(c.kv_heads).second) {
      l.warnings.push_back(fmt::format("{} KV heads do not divide over {} ranks: the largest rank's share, {} heads, is counted; vLLM may refuse to start", c.kv_heads, o.tp,
                                       ceil_div(c.kv_heads, o.tp)));
    } else if (c.kind != CacheKind::latent && c.kv_heads < o.tp && warned.insert(c.kv_heads).second) {
      l.warnings.push_back(fmt::format("{} KV heads on {} ranks: each rank keeps one head, so heads are copied {} times", c.kv_heads, o.tp, o.tp / c.kv_heads));
    }
  }
  if (s.latent && o.tp > 1) l.warnings.push_back("A latent is not divided: every tensor-parallel rank stores the whole of it");
  const bool windowed = std::any_of(s.caches.begin(), s.caches.end(), [](const LayerCache& c) { return c.window > 0; });
  if (o.dcp * o.pcp > 1 && windowed) return fail(ErrorCode::unsupported, "Context parallel does not work with sliding layers", "--dcp", "the engine refuses it", "Leave --dcp at 1");
  return {};
}

void describe_bytes(const Shape& s, KvLayout& l) {
  // The bytes per element follow from the type; types with scales are per head vector.
  std::set<std::string> seen;
  for (const auto& c : s.caches) {
    if (c.kind == CacheKind::state || !seen.insert(c.dtype).second) continue;
    if (c.dtype == "bfloat16" || c.dtype == "float16") l.derivation.push_back({"bytes_per_element", 2, "KV dtype " + c.dtype});
    else if (c.dtype == "fp8_ds_mla") l.derivation.push_back({"latent bytes", 656, "fp8_ds_mla: 512 fp8 + 16 bytes of scales + 128 bytes of 16-bit rope"});
    else if (c.dtype.find("per_token_head") != std::string::npos) l.derivation.push_back({"bytes per head vector", c.k_dim + 4, c.dtype + ": one byte per element and a 4-byte scale per token, head and side"});
    else if (c.dtype == "nvfp4") l.derivation.push_back({"bytes_per_element", 0.5625, "nvfp4: half a byte and one fp8 scale per 16 values"});
    else l.derivation.push_back({"bytes_per_element", 1, "KV dtype " + c.dtype + "; scales are per tensor and live with the weights"});
  }
}

std::string formula(const Shape& s, const LayerCache& c, int n) {
  if (c.kind == CacheKind::latent) {
    const std::string extra = c.extra_bytes ? fmt::format(" + {}", c.extra_bytes) : "";
    return c.dtype == "fp8_ds_mla" ? fmt::format("{} layers x (656{})", n, extra)
                                   : fmt::format("{} layers x ({} x {}{})", n, c.k_dim, c.dtype.rfind("fp8", 0) == 0 ? 1 : 2, extra);
  }
  (void)s;
  const auto k = vector_bytes(c.dtype, c.k_dim).value_or(0), v = vector_bytes(c.dtype, c.v_dim).value_or(0);
  return k == v ? fmt::format("2 sides x {} layers x {} KV heads x {} bytes per head vector", n, c.kv_heads, k)
                : fmt::format("{} layers x {} KV heads x ({} + {} bytes)", n, c.kv_heads, k, v);
}

}  // namespace

std::string_view to_string(CacheKind kind) {
  switch (kind) {
    case CacheKind::full: return "full_attention";
    case CacheKind::sliding: return "sliding_window";
    case CacheKind::chunked: return "chunked_local";
    case CacheKind::latent: return "mla";
    case CacheKind::state: return "state";
  }
  return "full_attention";
}

std::int64_t cache_bytes_per_token(const LayerCache& c, int tp) {
  if (c.kind == CacheKind::state) return 0;
  if (c.kind == CacheKind::latent) return (c.dtype == "fp8_ds_mla" ? 656 : c.k_dim * (c.dtype.rfind("fp8", 0) == 0 ? 1 : 2)) + c.extra_bytes;
  return std::max<std::int64_t>(1, ceil_div(c.kv_heads, tp)) * (vector_bytes(c.dtype, c.k_dim).value_or(0) + vector_bytes(c.dtype, c.v_dim).value_or(0));
}

std::int64_t state_bytes(const LayerCache& c, int tp) {
  if (c.kind != CacheKind::state) return 0;
  const std::int64_t groups = c.group_count % tp == 0 ? c.group_count : tp;
  return c.conv_rows * ((c.conv_width + groups * c.groups_width) / tp) * 2 + c.ssm_elements / tp * c.ssm_element_bytes;
}

std::vector<std::int64_t> pipeline_split(std::int64_t layers, int pp) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(pp), layers / pp);
  for (std::int64_t i = 0; i < layers % pp; ++i) ++out[static_cast<std::size_t>(pp - 2 - i)];
  return out;
}

Result<KvLayout> derive(const Json& config, const Options& options) {
  if (auto ok = check(options); !ok) return fail(ok.error());
  KvLayout l;
  l.options = options;
  auto shape = read_shape(config, options, l.config_part);
  if (!shape) return fail(shape.error());
  Shape& s = *shape;
  l.model = s.model_type, l.kind = s.kind, l.kv_dtype = s.kv_dtype;
  l.caches = s.caches, l.dimensions = s.dimensions, l.derivation = s.derivation, l.warnings = s.warnings;
  if (auto ok = check_parallel(s, options, l); !ok) return fail(ok.error());
  for (const auto& c : s.caches) {
    if (c.kind == CacheKind::state || c.kind == CacheKind::latent) continue;
    for (const auto dim : {c.k_dim, c.v_dim})
      if (auto b = vector_bytes(c.dtype, dim); !b) return fail(b.error());
  }
  const bool chunked = std::any_of(s.caches.begin(), s.caches.end(), [](const LayerCache& c) { return c.kind == CacheKind::chunked; });
  l.hybrid_manager = options.hybrid_manager.value_or(!chunked);
  if (chunked && !options.hybrid_manager) l.warnings.push_back("Chunked layers are charged as full attention: the engine's hybrid manager is off for them by default");
  describe_bytes(s, l);

  std::int64_t growing = 0, windowed = 0, all = 0;
  for (const auto& c : s.caches) {
    const auto b = cache_bytes_per_token(c, 1);
    all += b;
    if (c.window && l.hybrid_manager) windowed += b, l.window_tokens = c.window;
    else if (c.kind != CacheKind::state) growing += b, ++l.growing_layers;
  }
  constexpr std::int64_t limit = std::int64_t{1} << 36;
  if (all > limit)
    return fail(ErrorCode::bad_usage, "The configuration gives an impossible size", l.config_part, fmt::format("{} bytes per token", all), "Correct the file");
  l.bytes_per_token_all_full = all;
  const bool all_sliding = growing == 0 && windowed > 0;
  l.bytes_per_token = all_sliding ? windowed : growing;
  l.window_extra = all_sliding ? 0 : windowed;
  if (all_sliding) l.warnings.push_back(fmt::format("Every layer slides: a request stops growing at about {} tokens", l.window_tokens));

  arrange(l, s.state_chunk);
  for (const auto& g : l.groups)
    for (const auto& c : l.caches)
      if (c.kind == g.kind && c.kind != CacheKind::state) {
        const bool uniform = g.bytes_per_token == cache_bytes_per_token(c, 1) * g.layers;
        l.derivation.push_back({std::string(to_string(g.kind)) + ": bytes_per_token", g.bytes_per_token,
                                uniform ? formula(s, c, g.layers) : fmt::format("sum over {} layers of different sizes", g.layers)});
        break;
      }
  l.derivation.push_back({"bytes_per_token", l.bytes_per_token,
                          all_sliding ? "while inside the window" : fmt::format("sum over the {} layers whose cache grows with the context", l.growing_layers)});
  if (l.state) l.derivation.push_back({"state_bytes_per_sequence", l.state->raw_bytes_per_sequence, fmt::format("{} layers, before padding to pages", l.state->layers)});

  const std::int64_t context = std::int64_t{options.dcp} * options.pcp;
  std::int64_t sum = 0;
  for (const auto& r : l.ranks) {
    l.bytes_per_token_per_rank = std::max(l.bytes_per_token_per_rank, ceil_div(r.bytes_per_token, context));
    sum += r.bytes_per_token;
  }
  l.bytes_per_token_all_ranks = ceil_div(sum * options.tp, context);
  if (context > 1) l.derivation.push_back({"context parallel ranks", context, "each rank keeps this fraction of the tokens"});
  return l;
}

}  // namespace kvcliff::model
