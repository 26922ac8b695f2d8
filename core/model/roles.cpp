// SPDX-License-Identifier: GPL-3.0-or-later
// Which layers own which cache. Rules: sections 1.2, 1.4, 1.5, 1.6 of the KV byte notes; each branch names its key.
#include <fmt/format.h>

#include <set>

#include "model/shape.h"

namespace kvcliff::model {
namespace {
using Attention = LayerRole::Attention;

bool starts(const std::string& s, const char* prefix) { return s.rfind(prefix, 0) == 0; }

LayerRole role(Attention a, bool state = false) { return LayerRole{a, state, 0}; }

class RoleReader {
 public:
  RoleReader(ConfigReader& r, const std::string& type, std::int64_t layers, std::vector<std::string>& warnings)
      : r_(r), type_(type), n_(static_cast<int>(layers)), warnings_(warnings) {
    out_.layers.assign(n_, role(Attention::full));
  }

  Roles run() {
    read_window();
    const bool decided = block_configs() || layer_types() || pattern_string() || periods() || linear_lists() || window_patterns() || chunks();
    if (!decided && r_.ok()) plain();
    share();
    check_window();
    return std::move(out_);
  }

 private:
  void read_window() {
    const auto use = r_.flag("use_sliding_window");
    const bool off_by_default = starts(type_, "qwen2") || starts(type_, "qwen3");
    std::string key;
    if (const Json* w = r_.find({"sliding_window", "sliding_window_size"}, &key)) {
      if (w->is_number_integer() && w->get<std::int64_t>() <= 0) return;  // -1 and 0 mean none
      if (w->is_array()) return;                                          // GPT-Neo style lists are not windows of a cache
      const auto v = r_.count({key.c_str()}, nullptr, 1LL << 40);
      if (!v) return;
      if (use == false || (!use && off_by_default)) {
        warnings_.push_back(fmt::format("{} {} is not used: use_sliding_window is {}", key, *v, use ? "false" : "off for this model type"));
        return;
      }
      if (const auto limit = r_.count({"max_position_embeddings"}, nullptr, 1LL << 40); limit && *v >= *limit) {
        warnings_.push_back(fmt::format("{} {} is not below the context of {} tokens, so no layer is bounded by it", key, *v, *limit));
        return;
      }
      out_.window = *v;
    }
  }

  // Nemotron-NAS: each block has its own heads, or no attention at all.
  bool block_configs() {
    const Json* blocks = r_.find({"block_configs"});
    if (!blocks) return false;
    if (!blocks->is_array() || static_cast<int>(blocks->size()) != n_) {
      r_.refuse(ErrorCode::bad_usage, "block_configs does not describe every layer", r_.from("block_configs"),
                fmt::format("{} blocks for {} layers", blocks->is_array() ? blocks->size() : 0, n_), "Give the complete file");
      return true;
    }
    const auto heads = r_.count({"num_attention_heads"});
    for (int i = 0; i < n_ && r_.ok(); ++i) {
      const std::string where = fmt::format("block_configs[{}].attention", i);
      const Json& block = (*blocks)[i];
      const auto it = block.is_object() ? block.find("attention") : block.end();
      if (!block.is_object() || it == block.end() || !it->is_object()) {
        r_.refuse(ErrorCode::bad_usage, "A block has no attention entry", where, "an object is expected");
        break;
      }
      const bool no_op = it->value("no_op", Json(false)) == Json(true);
      const bool linear = it->value("replace_with_linear", Json(false)) == Json(true);
      if (no_op || linear) {
        out_.layers[i] = role(Attention::none);
        ++out_.no_op;
        continue;
      }
      const auto per_group = r_.count_in(*it, "n_heads_in_group", where);
      if (!per_group || !heads || *heads % *per_group) {
        r_.refuse(ErrorCode::bad_usage, "The KV heads of a block cannot be resolved", where,
                  "n_heads_in_group must be there and divide num_attention_heads", "Correct the file");
        break;
      }
      out_.layers[i].kv_heads = *heads / *per_group;
    }
    out_.from = r_.from("block_configs");
    return true;
  }

  bool layer_types() {
    std::string key;
    const Json* types = r_.find({"layer_types", "layers_block_type"}, &key);
    if (!types || (types->is_string())) return false;
    if (!types->is_array() || static_cast<int>(types->size()) < n_) {
      r_.refuse(ErrorCode::bad_usage, key + " does not name every layer", r_.from(key),
                fmt::format("{} entries for {} layers", types->is_array() ? types->size() : 0, n_), "Give the complete file");
      return true;
    }
    for (int i = 0; i < n_; ++i) {
      const Json& v = (*types)[i];
      const std::string t = v.is_string() ? v.get<std::string>() : "";
      if (t == "full_attention" || t == "attention" || t == "global" || t == "global_attention") out_.layers[i] = role(Attention::full);
      else if (t == "sliding_attention" || t == "sliding_window" || t == "local" || t == "local_attention") out_.layers[i] = role(Attention::sliding);
      else if (t == "chunked_attention") out_.layers[i] = role(Attention::chunked);
      else if (t == "linear_attention" || t == "mamba" || t == "mamba2") out_.layers[i] = role(Attention::none, true);
      else if (t == "hybrid") out_.layers[i] = role(Attention::full, true);
      else if (t == "moe" || t == "mlp" || t == "-") out_.layers[i] = role(Attention::none);
      else {
        r_.refuse(ErrorCode::unsupported, fmt::format("Layer {} is of a kind whose cache is not known", i), r_.from(key),
                  "it is " + v.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 60),
                  "The bytes of this model cannot be predicted; read them from the engine's log");
        return true;
      }
    }
    need_window(key);
    if (any(Attention::chunked)) chunk_size(key);
    out_.from = r_.from(key);
    return true;
  }

  // Nemotron-H: one letter per layer, M state, * attention, E and - feed-forward.
  bool pattern_string() {
    const std::string p = r_.text("hybrid_override_pattern");
    if (p.empty()) return false;
    if (static_cast<int>(p.size()) != n_ || p.find_first_not_of("M*E-") != std::string::npos) {
      r_.refuse(ErrorCode::bad_usage, "hybrid_override_pattern cannot be read", r_.from("hybrid_override_pattern"),
                fmt::format("{} letters for {} layers; M, *, E and - are known", p.size(), n_), "Give the complete pattern");
      return true;
    }
    for (int i = 0; i < n_; ++i) out_.layers[i] = p[i] == '*' ? role(Attention::full) : role(Attention::none, p[i] == 'M');
    out_.from = r_.from("hybrid_override_pattern");
    return true;
  }

  bool periods() {
    if (const auto period = r_.count({"attn_layer_period"})) {  // Jamba
      const auto offset = r_.count({"attn_layer_offset"}, nullptr, 1 << 24, true).value_or(0);
      for (int i = 0; i < n_; ++i) out_.layers[i] = i % *period == offset ? role(Attention::full) : role(Attention::none, true);
      out_.from = r_.from("attn_layer_period and attn_layer_offset");
      return true;
    }
    if (starts(type_, "qwen3_next") || starts(type_, "qwen3_5") || r_.find({"linear_num_key_heads"})) {
      std::string key = "full_attention_interval";
      const auto every = r_.count({"full_attention_interval"});
      if (!every) {
        r_.refuse(ErrorCode::bad_usage, "The layers with attention are not named", r_.from(key), "neither full_attention_interval nor layer_types is there",
                  "Add one of them");
        return true;
      }
      for (int i = 0; i < n_; ++i) out_.layers[i] = (i + 1) % *every == 0 ? role(Attention::full) : role(Attention::none, true);
      out_.from = r_.from(key) + fmt::format(": every {}th layer attends", *every);
      return true;
    }
    return false;
  }

  bool index_list(const Json& list, const std::string& key, int base, const LayerRole& listed, const LayerRole& other) {
    std::set<std::int64_t> at;
    if (!list.is_array()) {
      r_.refuse(ErrorCode::bad_usage, key + " is not a list of layers", r_.from(key), "a list of numbers is expected");
      return true;
    }
    for (const auto& v : list) {
      const std::int64_t i = v.is_number_integer() ? v.get<std::int64_t>() - base : -1;
      if (i < 0 || i >= n_ || !at.insert(i).second) {
        r_.refuse(ErrorCode::bad_usage, key + " names a layer that does not exist, or one twice", r_.from(key), "the entry is " + v.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 40));
        return true;
      }
    }
    for (int i = 0; i < n_; ++i) out_.layers[i] = at.count(i) ? listed : other;
    out_.from = r_.from(key);
    return true;
  }

  bool linear_lists() {
    if (const Json* linear = r_.find({"linear_attn_config"}); linear && linear->is_object()) {  // Kimi Linear, counted from 1
      if (const auto it = linear->find("kda_layers"); it != linear->end() && !it->is_null())
        return index_list(*it, "linear_attn_config.kda_layers", 1, role(Attention::none, true), role(Attention::full));
      if (const auto it = linear->find("full_attn_layers"); it != linear->end() && !it->is_null())
        return index_list(*it, "linear_attn_config.full_attn_layers", 1, role(Attention::full), role(Attention::none, true));
    }
    if (const Json* list = r_.find({"attn_layer_indices"}))  // Bamba
      return index_list(*list, "attn_layer_indices", 0, role(Attention::full), role(Attention::none, true));
    if (const Json* list = r_.find({"hybrid_layer_ids"}))  // Zamba 2: these layers own both
      return index_list(*list, "hybrid_layer_ids", 0, role(Attention::full, true), role(Attention::none, true));
    if (const Json* list = r_.find({"attn_type_list"})) {  // MiniMax-Text: 0 lightning, 1 softmax
      if (!list->is_array() || static_cast<int>(list->size()) != n_) {
        r_.refuse(ErrorCode::bad_usage, "attn_type_list does not name every layer", r_.from("attn_type_list"), fmt::format("{} layers are expected", n_));
        return true;
      }
      for (int i = 0; i < n_; ++i) out_.layers[i] = (*list)[i] == Json(1) ? role(Attention::full) : role(Attention::none, true);
      out_.from = r_.from("attn_type_list");
      return true;
    }
    if (starts(type_, "falcon_h1")) {
      for (auto& l : out_.layers) l = role(Attention::full, true);
      out_.from = "model_type falcon_h1: attention and state side by side in every layer";
      return true;
    }
    const bool pure = type_ == "mamba" || type_ == "mamba2" || type_ == "falcon_mamba";
    if (pure) {
      for (auto& l : out_.layers) l = role(Attention::none, true);
      out_.from = "model_type " + type_ + ": states only";
    }
    return pure;
  }

  bool window_patterns() {
    if (const Json* list = r_.find({"hybrid_layer_pattern"}); list && list->is_array()) {  // MiMo: 1 slides
      if (static_cast<int>(list->size()) != n_) {
        r_.refuse(ErrorCode::bad_usage, "hybrid_layer_pattern does not name every layer", r_.from("hybrid_layer_pattern"),
                  fmt::format("{} entries for {} layers", list->size(), n_), "Give the complete file");
        return true;
      }
      for (int i = 0; i < n_; ++i) out_.layers[i] = (*list)[i] == Json(1) ? role(Attention::sliding) : role(Attention::full);
      out_.from = r_.from("hybrid_layer_pattern");
      need_window("hybrid_layer_pattern");
      return true;
    }
    if (starts(type_, "mimo_v2")) {
      r_.refuse(ErrorCode::bad_usage, "The sliding layers are not named", r_.from("hybrid_layer_pattern"), "the list is missing", "Give the complete file");
      return true;
    }
    const Json* pattern = r_.find({"sliding_window_pattern", "_sliding_window_pattern"});
    if (pattern && pattern->is_string()) {  // EXAONE 4: "LLLG", repeated
      const auto p = pattern->get<std::string>();
      if (p.empty() || p.find_first_not_of("LG") != std::string::npos) {
        r_.refuse(ErrorCode::bad_usage, "sliding_window_pattern cannot be read", r_.from("sliding_window_pattern"), "letters L and G are known");
        return true;
      }
      for (int i = 0; i < n_; ++i) out_.layers[i] = role(p[i % p.size()] == 'L' ? Attention::sliding : Attention::full);
      out_.from = r_.from("sliding_window_pattern");
      need_window("sliding_window_pattern");
      return true;
    }
    std::int64_t run = 0;
    std::string why;
    if (const auto p = r_.count({"sliding_window_pattern", "_sliding_window_pattern"})) {
      run = *p, why = r_.from("sliding_window_pattern");
    } else if (type_ == "gemma2" || type_ == "gpt_oss") {
      run = 2, why = "model_type " + type_ + " alternates";
    } else if (starts(type_, "gemma3n")) {
      run = 5, why = "model_type " + type_ + ": every 5th layer is full";
    } else if (starts(type_, "gemma3") || starts(type_, "gemma4")) {
      run = 6, why = "model_type " + type_ + ": every 6th layer is full";
    } else if (type_ == "cohere2") {
      run = 4, why = "model_type cohere2: every 4th layer is full";
    }
    if (!run || !r_.ok()) return !r_.ok();
    if (!out_.window && !starts(type_, "gemma") && type_ != "gpt_oss" && type_ != "cohere2") return false;  // a pattern without a window means nothing
    if (run == 1) {
      for (auto& l : out_.layers) l = role(Attention::full);
    } else {
      for (int i = 0; i < n_; ++i) out_.layers[i] = role((i + 1) % run ? Attention::sliding : Attention::full);
    }
    need_window("sliding_window_pattern");
    out_.from = why;
    return true;
  }

  // Llama 4: chunked local attention, every no_rope_layer_interval-th layer is global.
  bool chunks() {
    if (!r_.find({"attention_chunk_size"})) return false;
    if (!starts(type_, "llama4") && !r_.find({"no_rope_layers", "no_rope_layer_interval"})) {
      warnings_.push_back("attention_chunk_size is not used by model type \"" + type_ + "\" and ignored");
      return false;
    }
    chunk_size("attention_chunk_size");
    if (const Json* list = r_.find({"no_rope_layers"}); list && list->is_array() && !list->empty()) {
      if (static_cast<int>(list->size()) != n_) {
        r_.refuse(ErrorCode::bad_usage, "no_rope_layers does not name every layer", r_.from("no_rope_layers"), fmt::format("{} entries for {} layers", list->size(), n_));
        return true;
      }
      for (int i = 0; i < n_; ++i) out_.layers[i] = role((*list)[i] == Json(0) ? Attention::full : Attention::chunked);
      out_.from = r_.from("no_rope_layers");
      return true;
    }
    const auto every = r_.count({"no_rope_layer_interval"}).value_or(4);
    for (int i = 0; i < n_; ++i) out_.layers[i] = role((i + 1) % every ? Attention::chunked : Attention::full);
    out_.from = r_.find({"no_rope_layer_interval"}) ? r_.from("no_rope_layer_interval") : "no_rope_layer_interval absent: 4, the class default";
    return true;
  }

  void plain() {
    const auto first = r_.count({"max_window_layers"}, nullptr, 1 << 24, true);
    if (out_.window && starts(type_, "qwen")) {
      // use_sliding_window is true: only layers from max_window_layers on slide.
      for (int i = 0; i < n_; ++i) out_.layers[i] = role(i >= first.value_or(0) ? Attention::sliding : Attention::full);
      out_.from = r_.from("max_window_layers");
    } else if (out_.window) {
      for (auto& l : out_.layers) l = role(Attention::sliding);
      out_.from = r_.from("sliding_window") + ", not interleaved: every layer slides";
    } else {
      out_.from = "every layer attends to the whole context";
    }
    // A state without a rule for its layers would be counted wrongly.
    for (const char* key : {"mamba_d_state", "ssm_state_size", "state_size", "ssm_cfg", "mamba_d_ssm", "attention_hidden_size", "lru_width",
                            "conv_L_cache", "num_heads_per_layer", "layer_group_size", "time_mix_extra_dim"})
      if (r_.find({key}))
        r_.refuse(ErrorCode::unsupported, "This model keeps a state, but which layers do is not known", r_.from(key),
                  "model type \"" + type_ + "\" has no rule", "The bytes of this model cannot be predicted; read them from the engine's log");
    if (r_.flag("use_cla") == true)
      r_.refuse(ErrorCode::unsupported, "Cross-layer attention of this model is not known", r_.from("use_cla"), "which layers share is not derived");
  }

  void share() {
    const auto shared = r_.count({"num_kv_shared_layers"}, nullptr, 1 << 20, true).value_or(0);
    if (!shared || !r_.ok()) return;
    if (shared >= n_) {
      r_.refuse(ErrorCode::bad_usage, "num_kv_shared_layers leaves no layer with a cache", r_.from("num_kv_shared_layers"),
                fmt::format("{} of {} layers", shared, n_), "Correct the value");
      return;
    }
    for (int i = n_ - static_cast<int>(shared); i < n_; ++i) out_.layers[i] = role(Attention::none);
    out_.shared = static_cast<int>(shared);
  }

  bool any(Attention a) const {
    for (const auto& l : out_.layers)
      if (l.attention == a) return true;
    return false;
  }

  // Layers said to slide without a window: full where the context ends before the window, otherwise a mistake.
  void need_window(const std::string& key) {
    if (out_.window || !any(Attention::sliding) || !r_.ok()) return;
    if (r_.find({"sliding_window"})) {
      for (auto& l : out_.layers)
        if (l.attention == Attention::sliding) l.attention = Attention::full;
      return;
    }
    r_.refuse(ErrorCode::bad_usage, "Layers slide, but the window is not given", r_.from("sliding_window"), key + " names sliding layers",
              "Add sliding_window");
  }

  void chunk_size(const std::string& key) {
    const auto c = r_.count({"attention_chunk_size"}, nullptr, 1LL << 40);
    if (c) out_.chunk = *c;
    else r_.refuse(ErrorCode::bad_usage, "Layers are chunked, but the chunk is not given", r_.from("attention_chunk_size"), key + " names chunked layers");
  }

  void check_window() {
    if (!any(Attention::sliding)) out_.window = 0;
    if (!any(Attention::chunked)) out_.chunk = 0;
  }

  ConfigReader& r_;
  const std::string& type_;
  int n_;
  std::vector<std::string>& warnings_;
  Roles out_;
};

}  // namespace

Roles read_roles(ConfigReader& r, const std::string& model_type, std::int64_t layers, std::vector<std::string>& warnings) {
  return RoleReader(r, model_type, layers, warnings).run();
}

}  // namespace kvcliff::model
