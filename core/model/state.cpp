// SPDX-License-Identifier: GPL-3.0-or-later
// Size of one layer's state. Rules: section 1.5 of the KV byte notes. Elements here; bytes and division by TP in groups.cpp.
#include <fmt/format.h>

#include "model/shape.h"

namespace kvcliff::model {
namespace {

struct Builder {
  ConfigReader& r;
  const Options& options;
  std::vector<Factor>& derivation;
  LayerCache out;

  // Limits keep products of four sizes inside 64 bits.
  std::int64_t need(std::initializer_list<const char*> keys, const char* meaning, std::int64_t limit = 1 << 14) {
    std::string key = *keys.begin();
    const auto v = r.count(keys, &key, limit);
    if (!v) {
      r.refuse(ErrorCode::bad_usage, std::string("The state cannot be sized: ") + meaning + " is missing", r.from(key),
               "the layers of this model keep a state per sequence", "Add the field");
      return 1;
    }
    derivation.push_back({std::string("state: ") + meaning, *v, r.from(key)});
    return *v;
  }

  std::int64_t need_in(const Json& object, const char* key, const std::string& where, const char* meaning) {
    const auto v = r.count_in(object, key, where, 1 << 14);
    if (!v) {
      r.refuse(ErrorCode::bad_usage, std::string("The state cannot be sized: ") + meaning + " is missing", where + "." + key,
               "the layers of this model keep a state per sequence", "Add the field");
      return 1;
    }
    derivation.push_back({std::string("state: ") + meaning, *v, where + "." + key});
    return *v;
  }

  void convolution(std::int64_t kernel, std::int64_t width) {
    out.conv_rows = kernel - 1 + options.speculative_tokens;
    out.conv_width = width;
  }

  // The recurrent part: the option wins, then the config, then the model's 16 bit.
  void recurrent(std::int64_t elements, bool always_float32 = false) {
    out.ssm_elements = elements;
    std::string dtype = options.mamba_ssm_cache_dtype, from = "option";
    if (always_float32) {
      dtype = "float32", from = "this kind of layer always keeps float32";
    } else if (dtype == "auto") {
      dtype.clear();
      for (const char* key : {"mamba_ssm_cache_dtype", "mamba_ssm_dtype"})
        if (const auto t = r.text(key); dtype.empty() && !t.empty() && t != "auto") dtype = t, from = r.from(key);
      if (dtype.empty()) dtype = "bfloat16", from = "auto: as the model, 16 bit";
    }
    if (dtype == "float32" || dtype == "torch.float32") out.ssm_element_bytes = 4;
    else if (dtype == "bfloat16" || dtype == "float16" || dtype == "torch.bfloat16" || dtype == "torch.float16") out.ssm_element_bytes = 2;
    else r.refuse(ErrorCode::unsupported, "Unknown data type of the recurrent state", from, "it is \"" + dtype.substr(0, 40) + "\"", "float32, bfloat16 and float16 are known");
    derivation.push_back({"state: bytes per recurrent element", out.ssm_element_bytes, from});
  }

  void gated_delta_net() {
    const auto kh = need({"linear_num_key_heads"}, "key heads"), kd = need({"linear_key_head_dim"}, "key head size");
    const auto vh = need({"linear_num_value_heads"}, "value heads"), vd = need({"linear_value_head_dim"}, "value head size");
    convolution(need({"linear_conv_kernel_dim"}, "convolution kernel"), 2 * kh * kd + vh * vd);
    recurrent(vh * vd * kd);
    out.divisor_heads = kh;
  }

  void kda(const Json& linear) {
    const std::string where = "linear_attn_config";
    const auto h = need_in(linear, "num_heads", where, "heads"), d = need_in(linear, "head_dim", where, "head size");
    convolution(need_in(linear, "short_conv_kernel_size", where, "convolution kernel"), 3 * h * d);
    recurrent(h * d * d, true);
    out.divisor_heads = h;
  }

  void lightning() {
    const auto h = need({"num_attention_heads"}, "heads"), d = need({"head_dim"}, "head size");
    recurrent(h * d * d);
    out.divisor_heads = h;
  }

  void mamba2() {
    const auto heads = need({"mamba_num_heads", "mamba_n_heads", "n_mamba_heads", "num_heads"}, "heads");
    const auto state = need({"ssm_state_size", "mamba_d_state", "state_size"}, "state size");
    std::int64_t dim = 0;
    std::string key;
    const Json* named = r.find({"mamba_head_dim", "mamba_d_head", "mamba_headdim"}, &key);
    if (!named && r.find({"num_heads"})) named = r.find({"head_dim"}, &key);
    if (named && named->is_number()) {
      dim = r.count({key.c_str()}, nullptr, 1 << 14).value_or(1);
      derivation.push_back({"state: head size", dim, r.from(key)});
    } else {  // absent or "auto": expand x hidden / heads
      const auto inner = need({"mamba_expand", "expand"}, "expansion") * need({"hidden_size", "d_model"}, "hidden size", 1 << 24);
      if (inner % heads) r.refuse(ErrorCode::bad_usage, "The state's head size is not whole", r.from("mamba_expand"), fmt::format("{} is not a multiple of {} heads", inner, heads));
      dim = inner / heads;
      derivation.push_back({"state: head size", dim, fmt::format("expansion x hidden size / heads = {} / {}", inner, heads)});
    }
    out.group_count = need({"n_groups", "mamba_n_groups", "mamba_ngroups"}, "groups");
    out.groups_width = 2 * state;
    convolution(need({"conv_kernel", "mamba_d_conv", "d_conv"}, "convolution kernel"), heads * dim);
    recurrent(heads * dim * state);
    out.divisor_heads = heads;
  }

  void mamba1() {
    const auto state = need({"mamba_d_state", "state_size", "d_state"}, "state size");
    const auto kernel = need({"mamba_d_conv", "conv_kernel", "d_conv"}, "convolution kernel");
    std::int64_t inner = 0;
    const bool own = !r.find({"mamba_d_state"});
    if (const auto given = own ? r.count({"intermediate_size", "d_inner"}) : std::nullopt) {
      inner = *given;
      derivation.push_back({"state: inner size", inner, r.from("intermediate_size")});
    } else {
      inner = need({"mamba_expand", "expand"}, "expansion") * need({"hidden_size", "d_model"}, "hidden size", 1 << 24);
    }
    convolution(kernel, inner);
    recurrent(inner * state);
    out.divisor_heads = inner;
  }
};

}  // namespace

std::optional<LayerCache> read_state(ConfigReader& r, const std::string& model_type, const Options& options, std::vector<Factor>& derivation) {
  Builder b{r, options, derivation, {}};
  b.out.kind = CacheKind::state;
  const Json* linear = r.find({"linear_attn_config"});
  if (r.find({"linear_num_key_heads"})) b.gated_delta_net();
  else if (linear && linear->is_object()) b.kda(*linear);
  else if (r.find({"attn_type_list"}) || model_type.rfind("minimax", 0) == 0) b.lightning();
  else if (r.find({"mamba_num_heads", "mamba_n_heads", "n_mamba_heads"}) || (r.find({"num_heads"}) && r.find({"n_groups"}))) b.mamba2();
  else if (r.find({"mamba_d_state", "state_size", "d_state"})) b.mamba1();
  else return std::nullopt;
  constexpr std::int64_t limit = std::int64_t{1} << 36;
  if (r.ok() && (b.out.ssm_elements < 0 || b.out.ssm_elements > limit || b.out.conv_width < 0 || b.out.conv_width > limit ||
                 b.out.group_count * b.out.groups_width > limit))
    r.refuse(ErrorCode::bad_usage, "The state is impossibly large", {}, "its sizes are not those of a model", "Correct the file");
  return b.out;
}

}  // namespace kvcliff::model
