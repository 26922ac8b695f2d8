// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/shape.h"

namespace kvcliff::model {

// Weights of the linear layers one token passes: q, k, v, o and the feed-forward with gate (3 matrices), counted per kind.
Dimensions read_dimensions(ConfigReader& r, const Shape& shape, std::int64_t kv_heads, std::int64_t head_dim) {
  Dimensions d;
  d.layers = shape.layers;
  d.hidden = r.count({"hidden_size", "n_embd", "d_model", "n_embed", "model_dim", "dim"});
  if (shape.heads) d.heads = shape.heads;
  if (kv_heads) d.kv_heads = kv_heads;
  if (head_dim) d.head_dim = head_dim;
  d.ff = r.find({"intermediate_size"}) && r.find({"intermediate_size"})->is_array() ? std::nullopt
                                                                                   : r.count({"intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size", "hidden_dim"});
  d.vocab = r.count({"vocab_size"});
  d.experts = r.count({"num_experts", "n_routed_experts", "num_local_experts"});
  d.experts_per_token = r.find({"num_experts_per_tok"}) && r.find({"num_experts_per_tok"})->is_array() ? std::nullopt
                                                                                                      : r.count({"num_experts_per_tok", "num_experts_per_token", "moe_topk"});
  d.expert_ff = r.count({"moe_intermediate_size", "expert_ffn_hidden_size"});
  if (!r.ok()) {
    d.why = r.error()->sentence();
    return d;
  }
  if (shape.latent || shape.kind.find("state") != std::string::npos || shape.roles.no_op) {
    d.why = "not counted for models of kind " + shape.kind;
  } else if (!d.hidden || !d.heads || !d.kv_heads || !d.head_dim) {
    d.why = "hidden size, heads or head size are not in the file";
  } else {
    const auto large = [](const std::optional<std::int64_t>& v, int bits) { return v && *v > (std::int64_t{1} << bits); };
    if (large(d.hidden, 20) || large(d.ff, 20) || large(d.expert_ff, 20) || large(d.experts_per_token, 10) || large(d.head_dim, 12) || large(d.heads, 14)) {
      d.why = "sizes are not those of a model";
      return d;
    }
    const std::int64_t attention = *d.hidden * *d.head_dim * (2 * *d.heads + 2 * *d.kv_heads);
    const auto width = d.experts_per_token && (d.expert_ff || d.ff) ? std::optional<std::int64_t>(*d.experts_per_token * d.expert_ff.value_or(d.ff.value_or(0)))
                                                                   : d.experts ? std::nullopt : d.ff;
    if (!width) d.why = "the feed-forward size is not in the file";
    else d.active_linear_parameters = shape.layers * (attention + 3 * *d.hidden * *width);
  }
  return d;
}

}  // namespace kvcliff::model
