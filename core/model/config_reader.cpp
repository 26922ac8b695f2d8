// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/config_reader.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace kvcliff::model {
namespace {

constexpr std::array layer_keys{"num_hidden_layers", "n_layer",           "n_layers",   "num_layers",
                                "num_transformer_layers", "decoder_layers"};
// In this order; the text model of an omni model is its thinker.
constexpr std::array nested{"text_config",     "llm_config",   "language_config", "thinker_config",
                            "language_model_config", "text_model_config", "llm"};

bool names_layers(const Json& object) {
  for (const char* key : layer_keys)
    if (const auto it = object.find(key); it != object.end() && !it->is_null()) return true;
  return false;
}

bool descend(const Json& object, int depth, ConfigPart& part) {
  if (depth < 5) {
    for (const char* key : nested) {
      const auto it = object.find(key);
      if (it == object.end() || !it->is_object()) continue;
      ConfigPart inner = part;
      inner.path += (inner.path.empty() ? "" : ".") + std::string(key);
      inner.scopes.insert(inner.scopes.begin(), &*it);
      if (descend(*it, depth + 1, inner)) {
        part = std::move(inner);
        return true;
      }
    }
  }
  return names_layers(object);
}

std::string shown(const Json& v) {
  const std::string s = v.dump(-1, ' ', false, Json::error_handler_t::replace);
  return s.size() > 60 ? s.substr(0, 57) + "..." : s;
}

}  // namespace

Result<ConfigPart> find_text_part(const Json& config) {
  if (!config.is_object())
    return fail(ErrorCode::bad_usage, "The model configuration is not a JSON object", {}, "it is " + std::string(config.type_name()),
                "Give the config.json of the model's folder");
  ConfigPart part;
  part.scopes.push_back(&config);
  if (descend(config, 0, part)) return part;
  std::string inside;
  for (const char* key : nested)
    if (config.contains(key)) inside += (inside.empty() ? "" : ", ") + std::string(key);
  return fail(ErrorCode::bad_usage, "The configuration names no number of layers", "num_hidden_layers",
              inside.empty() ? "none of num_hidden_layers, n_layer, n_layers, num_layers is there"
                             : "neither the top level nor " + inside + " names it; defaults of a model class are not guessed",
              "Add num_hidden_layers to the text part");
}

ConfigReader::ConfigReader(ConfigPart part) : part_(std::move(part)) {}

void ConfigReader::refuse(ErrorCode code, std::string what, std::string where, std::string why, std::string next) {
  if (!error_) error_ = Error{code, std::move(what), std::move(where), std::move(why), std::move(next)};
}

std::string ConfigReader::from(const std::string& key) const { return part_.path.empty() ? key : key + " in " + part_.path; }

const Json* ConfigReader::find(std::initializer_list<const char*> keys, std::string* found) const {
  for (const char* key : keys) {
    const auto it = object().find(key);
    if (it == object().end() || it->is_null()) continue;
    if (found) *found = key;
    return &*it;
  }
  return nullptr;
}

std::optional<std::int64_t> ConfigReader::checked(const Json& v, const std::string& key, std::int64_t limit, bool zero_ok) {
  if (error_) return std::nullopt;
  std::int64_t n = -1;
  if (v.is_number_unsigned()) {
    const auto u = v.get<std::uint64_t>();
    n = u > static_cast<std::uint64_t>(limit) ? limit + 1 : static_cast<std::int64_t>(u);
  } else if (v.is_number_integer()) {
    n = v.get<std::int64_t>();
  } else if (v.is_number_float()) {
    const double d = v.get<double>();
    if (!(std::floor(d) == d && std::fabs(d) < 1e15)) {
      refuse(ErrorCode::bad_usage, key + " is not a whole number", from(key), "the file says " + shown(v), "Correct the value");
      return std::nullopt;
    }
    n = static_cast<std::int64_t>(d);
  } else {
    refuse(ErrorCode::bad_usage, key + " is not a number", from(key), "the file says " + shown(v), "Correct the value");
    return std::nullopt;
  }
  if (n == 0 && zero_ok) return n;
  if (n < 1) {
    refuse(ErrorCode::bad_usage, fmt::format("{} is {}", key, n), from(key), "it must be at least 1", "Correct the value");
    return std::nullopt;
  }
  if (n > limit) {
    refuse(ErrorCode::bad_usage, key + " is too large", from(key), fmt::format("the limit is {}, the file says {}", limit, shown(v)),
           "Correct the value");
    return std::nullopt;
  }
  return n;
}

std::optional<std::int64_t> ConfigReader::count(std::initializer_list<const char*> keys, std::string* found, std::int64_t limit,
                                                bool zero_ok) {
  std::string key;
  const Json* v = find(keys, &key);
  if (!v) return std::nullopt;
  if (found) *found = key;
  return checked(*v, key, limit, zero_ok);
}

std::optional<std::int64_t> ConfigReader::count_in(const Json& object, const char* key, const std::string& where, std::int64_t limit) {
  if (!object.is_object()) return std::nullopt;
  const auto it = object.find(key);
  if (it == object.end() || it->is_null()) return std::nullopt;
  return checked(*it, where + "." + key, limit, false);
}

std::optional<bool> ConfigReader::flag(const char* key) {
  const Json* v = find({key});
  if (!v) return std::nullopt;
  if (v->is_boolean()) return v->get<bool>();
  if (v->is_number_integer() && (*v == 0 || *v == 1)) return *v == 1;
  refuse(ErrorCode::bad_usage, std::string(key) + " is not true or false", from(key), "the file says " + shown(*v), "Correct the value");
  return std::nullopt;
}

std::string ConfigReader::text(const char* key) const {
  const Json* v = find({key});
  return v && v->is_string() ? v->get<std::string>() : std::string();
}

}  // namespace kvcliff::model
