// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/dtype.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace kvcliff::model {
namespace {

constexpr const char* known =
    "Known: auto, bfloat16 (bf16), float16 (fp16), fp8, fp8_e4m3, fp8_e5m2, fp8_inc, int8_per_token_head, "
    "fp8_per_token_head, nvfp4, fp8_ds_mla";

std::string lower(std::string s) {
  std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return s;
}

const Json* member(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto it = object.find(key);
  return it == object.end() || it->is_null() ? nullptr : &*it;
}

Result<AutoDtype> from_scheme(const Json& scheme, const std::string& method, const std::string& where) {
  const Json* bits = member(scheme, "num_bits");
  const Json* type = member(scheme, "type");
  const bool is_float = !type || (type->is_string() && lower(type->get<std::string>()) == "float");
  if (bits && bits->is_number_integer() && is_float) {
    if (*bits == 8) return AutoDtype{"fp8", where + " declares 8-bit float", {}};
    if (*bits == 4 && method.find("modelopt") != std::string::npos) return AutoDtype{"nvfp4", where + " declares 4-bit float", {}};
  }
  return fail(ErrorCode::unsupported, "The checkpoint's KV scheme has no known size", where,
              fmt::format("only 8-bit float is understood, the file says {}", scheme.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 120)),
              "State the type with --kv-dtype");
}

// The KV scheme of one quantization_config; empty dtype when it declares none.
Result<AutoDtype> scheme_of(const Json& q, const std::string& where) {
  const Json* m = member(q, "quant_method");
  const std::string method = m && m->is_string() ? lower(m->get<std::string>()) : "";
  const Json* inner = member(q, "quantization");  // ModelOpt's hf_quant_config.json form
  for (const Json* at : {&q, inner}) {
    if (!at) continue;
    if (const Json* algo = member(*at, "kv_cache_quant_algo")) {
      if (!algo->is_string()) return fail(ErrorCode::bad_usage, "kv_cache_quant_algo is not a text", where);
      const std::string a = lower(algo->get<std::string>());
      if (a == "fp8") return AutoDtype{"fp8", where + ".kv_cache_quant_algo", {}};
      if (a == "nvfp4") return AutoDtype{"nvfp4", where + ".kv_cache_quant_algo", {}};
      if (a != "none" && !a.empty())
        return fail(ErrorCode::unsupported, "The checkpoint's KV type has no known size", where + ".kv_cache_quant_algo",
                    "it says \"" + to_string(*algo) + "\"", "State the type with --kv-dtype");
    }
    const Json* scheme = member(*at, "kv_cache_scheme");
    if (scheme && scheme->is_object() && !scheme->empty()) return from_scheme(*scheme, method, where + ".kv_cache_scheme");
  }
  return AutoDtype{};
}

}  // namespace

Result<std::string> normal_kv_dtype(const std::string& name) {
  const std::string n = lower(name);
  if (n == "auto" || n.empty()) return std::string("auto");
  if (n == "bf16" || n == "bfloat16") return std::string("bfloat16");
  if (n == "fp16" || n == "float16" || n == "half") return std::string("float16");
  for (const char* same : {"fp8", "fp8_e4m3", "fp8_e5m2", "fp8_inc", "int8_per_token_head", "fp8_per_token_head", "nvfp4", "fp8_ds_mla"})
    if (n == same) return n;
  if (n == "int8")
    return fail(ErrorCode::unsupported, "KV dtype int8 does not exist in vLLM", "--kv-dtype", "scales have to be somewhere",
                "int8_per_token_head is the type with 8-bit integers");
  for (const char* unknown_size : {"int4_per_token_head", "nvfp4_4over6", "nvfp4_ds_mla", "turboquant"})
    if (n.rfind(unknown_size, 0) == 0)
      return fail(ErrorCode::unsupported, "The size of KV dtype " + n + " is not known", "--kv-dtype",
                  "its slot layout was not derived from the engine", known);
  return fail(ErrorCode::bad_usage, "Unknown KV dtype \"" + name + "\"", "--kv-dtype", {}, known);
}

Result<std::int64_t> vector_bytes(const std::string& dtype, std::int64_t dim) {
  if (dtype == "bfloat16" || dtype == "float16") return 2 * dim;
  if (dtype == "int8_per_token_head" || dtype == "fp8_per_token_head") return dim + 4;
  if (dtype == "nvfp4") {
    if (dim % 16)
      return fail(ErrorCode::unsupported, "nvfp4 needs head sizes that are multiples of 16", "head_dim",
                  fmt::format("the head size is {}", dim), "Choose another --kv-dtype");
    return dim / 2 + dim / 16;
  }
  if (dtype.rfind("fp8", 0) == 0 && dtype != "fp8_ds_mla") return dim;
  return fail(ErrorCode::unsupported, "KV dtype " + dtype + " has no size per head vector", "--kv-dtype", {}, known);
}

Result<AutoDtype> auto_dtype(const std::vector<const Json*>& parts) {
  AutoDtype out;
  for (const Json* part : parts) {
    for (const char* key : {"quantization_config", "compression_config"}) {
      const Json* q = member(*part, key);
      if (!q || !q->is_object()) continue;
      auto s = scheme_of(*q, key);
      if (!s) return fail(s.error());
      if (!s->dtype.empty()) return s;
    }
    if (const Json* q = member(*part, "quantization"); q && q->is_object()) {
      auto s = scheme_of(*part, "quantization");
      if (!s) return fail(s.error());
      if (!s->dtype.empty()) return s;
    }
  }
  std::string named, key_name;
  const auto look = [&](const Json& part, const std::string& prefix) {
    for (const char* key : {"dtype", "torch_dtype"}) {
      const Json* v = member(part, key);
      if (!v || !named.empty() || !v->is_string()) continue;
      named = lower(v->get<std::string>());
      if (named.rfind("torch.", 0) == 0) named.erase(0, 6);
      if (named == "auto") named.clear();
      key_name = prefix + key;
    }
  };
  for (const Json* part : parts) look(*part, "");
  if (named.empty())
    for (const Json* part : parts)
      if (const Json* vision = member(*part, "vision_config")) look(*vision, "vision_config.");
  if (named.empty()) {
    out.dtype = "bfloat16";
    out.from = "the file names no data type; the engine runs in 16 bit";
    return out;
  }
  if (named == "bfloat16" || named == "bf16") {
    out.dtype = "bfloat16", out.from = key_name;
  } else if (named == "float16" || named == "half" || named == "fp16") {
    out.dtype = "float16", out.from = key_name;
  } else if (named == "float32" || named == "float") {
    out.dtype = "bfloat16", out.from = key_name + " float32, which the engine runs in 16 bit";
  } else if (named.rfind("float8", 0) == 0 || named.rfind("fp8", 0) == 0 || named.rfind("int", 0) == 0 || named.rfind("uint", 0) == 0) {
    out.dtype = "bfloat16", out.from = key_name + " " + named + " is a weight type; KV stays in 16 bit";
    out.warnings.push_back(key_name + " is " + named + ": taken as a weight type, the KV cache is counted in 16 bit");
  } else {
    return fail(ErrorCode::unsupported, "Unknown data type \"" + named.substr(0, 40) + "\"", key_name, "its KV type cannot be resolved",
                "State the type with --kv-dtype");
  }
  return out;
}

}  // namespace kvcliff::model
