// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/derive.h"

namespace kvcliff::model {
namespace {

OrderedJson dimensions_json(const Dimensions& d) {
  OrderedJson j;
  const auto put = [&](const char* key, const std::optional<std::int64_t>& v) {
    if (v) j[key] = *v;
  };
  put("layers", d.layers), put("hidden", d.hidden), put("heads", d.heads), put("kv_heads", d.kv_heads), put("head_dim", d.head_dim);
  put("feed_forward", d.ff), put("vocabulary", d.vocab), put("experts", d.experts), put("experts_per_token", d.experts_per_token), put("expert_feed_forward", d.expert_ff);
  j["active_linear_parameters"] = d.active_linear_parameters ? OrderedJson(*d.active_linear_parameters) : OrderedJson(nullptr);
  if (!d.active_linear_parameters) j["why"] = d.why;
  return j;
}

}  // namespace

OrderedJson to_json(const KvLayout& l) {
  OrderedJson j;
  j["model"] = l.model;
  j["kind"] = l.kind;
  j["config_part"] = l.config_part;
  j["block_size"] = l.block_size;
  j["kv_dtype"] = l.kv_dtype;
  j["tp"] = l.options.tp;
  j["pp"] = l.options.pp;
  if (l.options.dcp > 1) j["dcp"] = l.options.dcp;
  if (l.options.pcp > 1) j["pcp"] = l.options.pcp;
  j["growing_layers"] = l.growing_layers;
  j["bytes_per_token"] = l.bytes_per_token;
  j["bytes_per_token_per_rank"] = l.bytes_per_token_per_rank;
  j["bytes_per_token_all_ranks"] = l.bytes_per_token_all_ranks;
  j["bytes_per_token_all_layers_full"] = l.bytes_per_token_all_full;
  j["hybrid_manager"] = l.hybrid_manager;
  if (l.window_tokens) j["window"] = {{"bytes_per_token", l.window_extra}, {"tokens", l.window_tokens}};
  if (l.state) {
    j["state_bytes_per_sequence"] = l.state->raw_bytes_per_sequence;
    j["state"] = {{"layers", l.state->layers},
                  {"bytes_per_layer", l.state->raw_bytes_per_layer},
                  {"page_bytes_per_rank", l.state->page_bytes},
                  {"padding_pct", l.state->padding_pct},
                  {"blocks_per_sequence", l.state->blocks_per_sequence},
                  {"cache_mode", l.options.mamba_cache_mode},
                  {"dtype", l.state->dtype}};
  }
  j["groups"] = OrderedJson::array();
  for (const auto& g : l.groups) {
    OrderedJson e{{"kind", to_string(g.kind)}, {"layers", g.layers}, {"bytes_per_token", g.bytes_per_token}};
    if (g.window) e["window_tokens"] = g.window;
    if (g.kind != CacheKind::state) e["block_size"] = g.block_size;
    e["pool_groups"] = g.pool_groups;
    e["padding_layers"] = g.padding_layers;
    j["groups"].push_back(std::move(e));
  }
  if (l.group_size) j["pool"] = {{"group_size", l.group_size}, {"page_bytes", l.page_bytes}};
  if (l.ranks.size() > 1) {
    j["pipeline_ranks"] = OrderedJson::array();
    for (const auto& r : l.ranks)
      j["pipeline_ranks"].push_back({{"first_layer", r.first_layer}, {"layers", r.layers}, {"bytes_per_token", r.bytes_per_token}, {"block_bytes", r.block_bytes}});
  }
  j["dimensions"] = dimensions_json(l.dimensions);
  j["derivation"] = OrderedJson::array();
  for (const auto& f : l.derivation) j["derivation"].push_back({{"factor", f.factor}, {"value", f.value}, {"from", f.from}});
  j["warnings"] = l.warnings;
  return j;
}

}  // namespace kvcliff::model
