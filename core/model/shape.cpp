// SPDX-License-Identifier: GPL-3.0-or-later
// From a config's text part to the caches that its layers own. Rules: sections 1.1 to 1.6 of the KV byte notes.
#include "model/shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "model/dtype.h"

namespace kvcliff::model {
namespace {
using Attention = LayerRole::Attention;

// Model types that vLLM runs with a latent cache; others that carry kv_lora_rank are taken as such with a warning.
const std::set<std::string> latent_types{"deepseek_v2", "deepseek_v3", "deepseek_v32", "deepseek_mtp", "kimi_k2", "kimi_linear", "glm_moe_dsa",
                                         "glm4_moe_lite", "longcat_flash", "pangu_ultra_moe", "bailing_hybrid", "deepseek_vl_v2"};

class ShapeReader {
 public:
  ShapeReader(ConfigPart part, const Options& options) : r_(std::move(part)), options_(options) {}

  Result<Shape> run() {
    s_.model_type = r_.text("model_type");
    refuse_unknown_kinds();
    std::string key;
    if (const auto n = r_.count({"num_hidden_layers", "n_layer", "n_layers", "num_layers", "num_transformer_layers", "decoder_layers"}, &key, 4096)) {
      s_.layers = *n;
      fact("layers", *n, r_.from(key));
    }
    if (r_.ok()) s_.roles = read_roles(r_, s_.model_type, s_.layers, s_.warnings);
    if (r_.ok()) resolve_dtype();
    if (r_.ok()) build();
    if (r_.ok()) add_mtp();
    if (r_.ok()) name_kind();
    if (!r_.ok()) return fail(*r_.error());
    for (const char* name : {"mamba_chunk_size", "chunk_size"})
      if (const Json* v = r_.find({name}); s_.state_chunk == 0 && v && v->is_number_integer() && *v > 0 && *v <= (1 << 16)) s_.state_chunk = v->get<std::int64_t>();
    s_.dimensions = read_dimensions(r_, s_, kv_heads_, head_dim_);
    return std::move(s_);
  }

 private:
  void fact(std::string factor, Json value, std::string from) { s_.derivation.push_back({std::move(factor), std::move(value), std::move(from)}); }

  void refuse_unknown_kinds() {
    const auto& t = s_.model_type;
    const auto no = [&](const std::string& what, const std::string& key, const std::string& why) {
      r_.refuse(ErrorCode::unsupported, what, r_.from(key), why, "Read the size from the engine's log (inspect log)");
    };
    if (t.rfind("deepseek_v4", 0) == 0 || r_.find({"compress_ratios"}))
      no("DeepSeek V4 has no single number of bytes per token", "model_type", "layers are compressed by different ratios in blocks of several sizes");
    if (t.rfind("glm_moe_dsa", 0) == 0 && r_.find({"index_topk", "index_head_dim"}))
      no("The indexer of this model is shared between layers", "index_topk", "which layers own one is not derived");
    if (r_.flag("is_encoder_decoder") == true) no("Encoder-decoder models are not covered", "is_encoder_decoder", "cross-attention caches are not derived");
    if (r_.find({"cross_attention_layers"})) no("Cross-attention layers are not covered", "cross_attention_layers", "their caches follow the image, not the text");
    for (const char* encoder : {"bert", "roberta", "xlm-roberta", "distilbert", "clip", "siglip", "vit", "t5", "bart", "whisper", "rwkv", "rwkv5",
                                "recurrent_gemma", "phi4flash", "bailing_hybrid"})
      if (t == encoder) no("Model type " + t + " is not covered", "model_type", "it has no key/value cache of a kind that is derived here");
  }

  void resolve_dtype() {
    auto named = normal_kv_dtype(options_.kv_dtype);
    if (!named) return set(named.error());
    s_.latent = r_.find({"kv_lora_rank"}) != nullptr && !options_.mla_disabled;
    s_.sparse = s_.latent && (s_.model_type == "deepseek_v32" || r_.find({"index_topk", "index_head_dim"}));
    if (*named == "auto") {
      auto a = auto_dtype(r_.part().scopes);
      if (!a) return set(a.error());
      s_.kv_dtype = a->dtype;
      if (s_.sparse) s_.kv_dtype = "fp8_ds_mla", a->from = "sparse attention: auto selects the fp8_ds_mla layout";
      fact("kv_dtype", s_.kv_dtype, a->from);
      for (auto& w : a->warnings) s_.warnings.push_back(w);
    } else {
      s_.kv_dtype = *named;
      if (s_.sparse && named->rfind("fp8", 0) == 0) s_.kv_dtype = "fp8_ds_mla";
      fact("kv_dtype", s_.kv_dtype, s_.kv_dtype == *named ? "option --kv-dtype" : "option --kv-dtype; sparse attention stores fp8 as fp8_ds_mla");
    }
    if (s_.kv_dtype == "fp8_ds_mla" && !s_.sparse)
      r_.refuse(ErrorCode::unsupported, "fp8_ds_mla is a layout of sparse latent attention", r_.from("model_type"), "this model has none", "Choose fp8");
    const bool plain = s_.kv_dtype == "bfloat16" || s_.kv_dtype == "float16" || s_.kv_dtype.rfind("fp8", 0) == 0;
    if (s_.latent && (!plain || s_.kv_dtype == "fp8_per_token_head"))
      r_.refuse(ErrorCode::unsupported, "The size of " + s_.kv_dtype + " in a latent cache is not known", "--kv-dtype", "its layout was not derived", "Choose bf16 or fp8");
  }

  void set(const Error& e) { r_.refuse(e.code, e.what, e.where, e.why, e.next); }

  void read_heads() {
    std::string key;
    if (const auto h = r_.count({"num_attention_heads", "n_head", "n_heads", "num_query_heads_per_layer"}, &key, 1 << 20, true)) {
      heads_ = *h;
      fact("heads", *h, r_.from(key));
    }
    s_.heads = heads_;
  }

  // Per-layer lists (OpenELM) are kept; everything else is one number.
  void read_kv_heads() {
    std::string key;
    const Json* v = r_.find({"n_head_kv", "num_kv_heads", "num_key_value_heads", "n_kv_heads", "n_kv_head", "multi_query_group_num", "num_attention_groups"}, &key);
    const bool falcon = s_.model_type == "falcon" || s_.model_type == "RefinedWeb" || s_.model_type == "RefinedWebModel";
    const auto multi_query = r_.flag("multi_query");
    const auto multi_query_attention = r_.flag("multi_query_attention");
    if (!r_.ok()) return;
    if ((falcon && r_.flag("new_decoder_architecture") != true && multi_query.value_or(true)) ||
        (multi_query == true && r_.flag("new_decoder_architecture") != true && (!v || s_.model_type == "gpt_bigcode"))) {
      kv_heads_ = 1;
      fact("kv_heads", 1, r_.from("multi_query"));
      return;
    }
    if (v && key == "multi_query_group_num" && multi_query_attention == false) v = nullptr;
    if (!v)
      if (const Json* attn = r_.find({"attn_config"}); attn && attn->is_object()) {
        if (const auto n = r_.count_in(*attn, "kv_n_heads", "attn_config")) {
          kv_heads_ = *n;
          fact("kv_heads", *n, r_.from("attn_config.kv_n_heads"));
          return;
        }
      }
    if (v && v->is_array()) {
      if (static_cast<std::int64_t>(v->size()) != s_.layers)
        return r_.refuse(ErrorCode::bad_usage, key + " does not name every layer", r_.from(key), fmt::format("{} entries for {} layers", v->size(), s_.layers));
      for (std::size_t i = 0; i < v->size(); ++i) {
        const Json one{{"n", (*v)[i]}};
        kv_list_.push_back(r_.count_in(one, "n", fmt::format("{}[{}]", key, i), 1 << 20).value_or(1));
      }
      kv_heads_ = *std::max_element(kv_list_.begin(), kv_list_.end());
      fact("kv_heads", *v, r_.from(key) + ", per layer");
    } else if (v) {
      kv_heads_ = r_.count({key.c_str()}, nullptr, 1 << 20).value_or(0);
      fact("kv_heads", kv_heads_, r_.from(key));
    } else if (s_.roles.no_op || !s_.roles.from.compare(0, 13, "block_configs")) {
      return;  // per block
    } else if (heads_) {
      kv_heads_ = heads_;
      fact("kv_heads", heads_, "no KV head count in the file: as many as attention heads");
    } else {
      r_.refuse(ErrorCode::bad_usage, "The number of KV heads is not given", r_.from("num_key_value_heads"), "neither KV heads nor attention heads are there", "Add num_attention_heads");
    }
    if (r_.ok() && heads_ && (kv_heads_ > heads_ || (kv_list_.empty() && heads_ % kv_heads_)))
      r_.refuse(ErrorCode::bad_usage, fmt::format("{} attention heads cannot share {} KV heads", heads_, kv_heads_), r_.from(key.empty() ? "num_key_value_heads" : key),
                "the number of heads must be a multiple", "Correct the file");
  }

  void read_head_dim() {
    std::string key;
    // A head_dim of 0 is how some exporters write that the file does not say; engines then divide.
    const Json* written = r_.find({"head_dim"});
    const bool zero = written && written->is_number() && *written == 0;
    if (zero) s_.warnings.push_back("head_dim is 0 and taken as not given: the hidden size is divided by the number of heads");
    if (const auto d = zero ? std::nullopt : r_.count({"head_dim", "hidden_size_per_head", "kv_channels", "attention_head_dim", "head_dim_effective"}, &key, 1 << 16)) {
      head_dim_ = *d;
      fact("head_dim", *d, r_.from(key));
      return;
    }
    std::string hidden_key;
    const auto hidden = r_.count({"hidden_size", "n_embd", "d_model", "n_embed", "model_dim", "dim"}, &hidden_key);
    if (!r_.ok()) return;
    if (!hidden || !heads_)
      return r_.refuse(ErrorCode::bad_usage, "The head size is not given", r_.from("head_dim"), "head_dim is missing, and so is the hidden size or the number of heads", "Add head_dim");
    if (*hidden % heads_)
      return r_.refuse(ErrorCode::bad_usage, fmt::format("head_dim missing and {} is not a multiple of {}", *hidden, heads_), r_.from("head_dim"),
                       "the head size would not be whole", "Add head_dim");
    head_dim_ = *hidden / heads_;
    fact("head_dim", head_dim_, fmt::format("{} / attention heads = {} / {} (no head_dim in the file)", r_.from(hidden_key), *hidden, heads_));
  }

  void build() {
    const bool attends = std::any_of(s_.roles.layers.begin(), s_.roles.layers.end(), [](const LayerRole& l) { return l.attention != Attention::none; });
    fact("layer kinds", s_.roles.from, "rule");
    read_heads();
    if (!r_.ok()) return;
    if (attends && s_.latent) read_latent();
    else if (attends) read_kv_heads(), r_.ok() ? read_head_dim() : void();
    std::optional<LayerCache> state;
    if (std::any_of(s_.roles.layers.begin(), s_.roles.layers.end(), [](const LayerRole& l) { return l.state; })) {
      state = read_state(r_, s_.model_type, options_, s_.derivation);
      if (!state)
        r_.refuse(ErrorCode::unsupported, "The state of this model cannot be sized", r_.from("model_type"), "none of the known sets of fields is there",
                  "The bytes of this model cannot be predicted; read them from the engine's log");
    }
    if (!r_.ok()) return;
    read_variants();
    const int per_layer = s_.model_type == "longcat_flash" ? 2 : 1;
    if (per_layer == 2) {
      fact("caches per layer", 2, "model_type longcat_flash: two attentions in each layer");
      s_.warnings.push_back("Two latent caches per layer are counted from the architecture of longcat_flash, not checked against a log");
    }
    for (int i = 0; i < static_cast<int>(s_.roles.layers.size()) && r_.ok(); ++i) {
      const auto& role = s_.roles.layers[i];
      if (role.attention != Attention::none)
        for (int k = 0; k < per_layer; ++k) s_.caches.push_back(attention_cache(i, role));
      if (role.state) {
        state->layer = i;
        s_.caches.push_back(*state);
      }
    }
    if (s_.roles.shared) fact("layers sharing a cache", s_.roles.shared, r_.from("num_kv_shared_layers"));
    if (s_.roles.no_op) fact("layers without attention", s_.roles.no_op, r_.from("block_configs"));
    apply_skips();
  }

  void read_latent() {
    std::string key = "kv_lora_rank";
    const auto rank = r_.count({"kv_lora_rank"});
    const auto rope = r_.count({"qk_rope_head_dim"});
    if (!r_.ok()) return;
    if (!rope) return r_.refuse(ErrorCode::bad_usage, "The latent cannot be sized", r_.from("qk_rope_head_dim"), "kv_lora_rank is there, qk_rope_head_dim is not", "Add qk_rope_head_dim");
    latent_ = *rank + *rope;
    kv_heads_ = 1;
    fact("kv_lora_rank", *rank, r_.from("kv_lora_rank"));
    fact("qk_rope_head_dim", *rope, r_.from("qk_rope_head_dim"));
    fact("latent", latent_, "kv_lora_rank + qk_rope_head_dim; one vector per token and layer, no separate key and value");
    if (!latent_types.count(s_.model_type))
      s_.warnings.push_back("Model type \"" + s_.model_type + "\" is not one that is known to run with a latent cache; taken as such because of kv_lora_rank");
    if (s_.sparse) {
      const auto index = r_.count({"index_head_dim"}).value_or(0);
      if (!r_.ok()) return;
      if (!index) return r_.refuse(ErrorCode::bad_usage, "The indexer cannot be sized", r_.from("index_head_dim"), "sparse attention without index_head_dim", "Add index_head_dim");
      index_bytes_ = index + 4;
      fact("indexer bytes", index_bytes_, "index_head_dim + 4 bytes of scale per token and layer, whatever the KV dtype");
    }
  }

  // Models whose full and sliding layers differ.
  void read_variants() {
    if (s_.latent || !head_dim_) return;
    const auto& t = s_.model_type;
    const auto global_kv = r_.count({"num_global_key_value_heads"}), global_dim = r_.count({"global_head_dim"}, nullptr, 1 << 16);
    if (global_kv || global_dim) {
      full_kv_ = global_kv.value_or(kv_heads_), full_dim_ = global_dim.value_or(head_dim_);
      fact("full layers: kv_heads", full_kv_, global_kv ? r_.from("num_global_key_value_heads") : "as the sliding layers");
      fact("full layers: head_dim", full_dim_, global_dim ? r_.from("global_head_dim") : "as the sliding layers");
    }
    if (r_.flag("attention_k_eq_v") == true) s_.warnings.push_back("attention_k_eq_v: the engine stores both K and V all the same");
    const auto swa_kv = r_.count({"swa_num_key_value_heads"}), swa_dim = r_.count({"swa_head_dim"}, nullptr, 1 << 16);
    if (t.rfind("mimo_v2", 0) == 0 || swa_kv || swa_dim) {
      v_dim_ = r_.count({"v_head_dim"}, nullptr, 1 << 16).value_or(head_dim_);
      slide_kv_ = swa_kv.value_or(kv_heads_), slide_dim_ = swa_dim.value_or(head_dim_);
      slide_v_dim_ = r_.count({"swa_v_head_dim"}, nullptr, 1 << 16).value_or(v_dim_);
      fact("value head size", v_dim_, r_.from("v_head_dim"));
      fact("sliding layers: kv_heads", slide_kv_, r_.from("swa_num_key_value_heads"));
      fact("sliding layers: head_dim", Json{slide_dim_, slide_v_dim_}, r_.from("swa_head_dim and swa_v_head_dim"));
    }
    if (options_.mla_disabled && r_.find({"kv_lora_rank"})) {
      const auto nope = r_.count({"qk_nope_head_dim"}, nullptr, 1 << 16), rope = r_.count({"qk_rope_head_dim"}, nullptr, 1 << 16);
      if (!nope || !rope) return r_.refuse(ErrorCode::bad_usage, "The head size without the latent cache is not given", r_.from("qk_nope_head_dim"), "qk_nope_head_dim + qk_rope_head_dim is needed");
      head_dim_ = *nope + *rope;
      fact("head_dim", head_dim_, "latent cache disabled: qk_nope_head_dim + qk_rope_head_dim");
    }
  }

  LayerCache attention_cache(int layer, const LayerRole& role) {
    LayerCache c;
    c.layer = layer;
    c.dtype = s_.kv_dtype;
    if (s_.latent) {
      c.kind = CacheKind::latent;
      c.kv_heads = 1, c.k_dim = latent_, c.extra_bytes = index_bytes_;
      return c;
    }
    c.kind = role.attention == Attention::sliding ? CacheKind::sliding : role.attention == Attention::chunked ? CacheKind::chunked : CacheKind::full;
    c.window = c.kind == CacheKind::sliding ? s_.roles.window : c.kind == CacheKind::chunked ? s_.roles.chunk : 0;
    c.kv_heads = kv_heads_, c.k_dim = head_dim_, c.v_dim = v_dim_ ? v_dim_ : head_dim_;
    if (c.kind == CacheKind::full && full_dim_) c.kv_heads = full_kv_, c.k_dim = c.v_dim = full_dim_;
    if (c.kind == CacheKind::sliding && slide_dim_) c.kv_heads = slide_kv_, c.k_dim = slide_dim_, c.v_dim = slide_v_dim_;
    if (role.kv_heads) c.kv_heads = role.kv_heads;
    if (!kv_list_.empty()) c.kv_heads = kv_list_[layer];
    return c;
  }

  void apply_skips() {
    for (const auto& skip : options_.kv_skip_layers) {
      const auto index = parse_int(skip);
      if (index ? *index < 0 || *index >= s_.layers : skip != "sliding_window")
        return r_.refuse(ErrorCode::bad_usage, fmt::format("There is no layer \"{}\" to keep in 16 bit", skip), "kv_cache_dtype_skip_layers",
                         fmt::format("the model has layers 0 to {}", s_.layers - 1), "Give indices of layers, or sliding_window");
    }
    for (const auto& skip : options_.kv_skip_layers)
      for (auto& c : s_.caches)
        if (c.kind != CacheKind::state && (skip == std::to_string(c.layer) || (skip == "sliding_window" && c.kind == CacheKind::sliding))) c.dtype = "bfloat16";
    if (!options_.kv_skip_layers.empty()) fact("layers kept in 16 bit", options_.kv_skip_layers, "option kv_cache_dtype_skip_layers");
  }

  // Drafting layers of the model's own attend like its full layers and live in the same pool.
  void add_mtp() {
    if (!options_.mtp) return;
    std::string key;
    const auto n = r_.count({"num_nextn_predict_layers", "mtp_num_hidden_layers"}, &key, 256);
    if (!n) return r_.refuse(ErrorCode::unsupported, "The model has no drafting layers", r_.from("num_nextn_predict_layers"), "neither num_nextn_predict_layers nor mtp_num_hidden_layers is there", "Leave speculative decoding off");
    fact("drafting layers", *n, r_.from(key));
    for (int i = 0; i < *n; ++i) s_.caches.push_back(attention_cache(static_cast<int>(s_.layers) + i, LayerRole{}));
  }

  void name_kind() {
    int full = 0, sliding = 0, chunked = 0, state = 0, latent = 0;
    for (const auto& c : s_.caches) {
      full += c.kind == CacheKind::full, sliding += c.kind == CacheKind::sliding, chunked += c.kind == CacheKind::chunked;
      state += c.kind == CacheKind::state, latent += c.kind == CacheKind::latent;
    }
    auto& k = s_.kind;
    if (state) k = full + sliding + chunked + latent == 0 ? "state_only" : latent ? "mla_state_hybrid" : "state_hybrid";
    else if (latent) k = "mla";
    else if (chunked) k = "chunked_hybrid";
    else if (sliding) k = full ? "swa_hybrid" : "swa_all";
    else if (kv_heads_ == 1 && kv_list_.empty()) k = heads_ == 1 ? "mha" : "mqa";
    else k = heads_ && kv_heads_ == heads_ && kv_list_.empty() ? "mha" : "gqa";
    if (s_.roles.shared) k = "kv_shared_" + k;
    if (s_.roles.no_op) k += "_with_noop_layers";
  }

  ConfigReader r_;
  const Options& options_;
  Shape s_;
  std::int64_t heads_ = 0, kv_heads_ = 0, head_dim_ = 0, v_dim_ = 0, latent_ = 0, index_bytes_ = 0;
  std::int64_t full_kv_ = 0, full_dim_ = 0, slide_kv_ = 0, slide_dim_ = 0, slide_v_dim_ = 0;
  std::vector<std::int64_t> kv_list_;
};

}  // namespace

Result<Shape> read_shape(const Json& config, const Options& options, std::string& part_path) {
  auto part = find_text_part(config);
  if (!part) return fail(part.error());
  part_path = part->path;
  return ShapeReader(std::move(*part), options).run();
}

}  // namespace kvcliff::model
