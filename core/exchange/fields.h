// SPDX-License-Identifier: GPL-3.0-or-later
// Private to exchange: values of other tools' JSON, absent where they are missing or of another kind.
#pragma once
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>

#include "base/json.h"

namespace kvcliff::exchange {

inline const Json* member(const Json& j, const char* name) {
  if (!j.is_object()) return nullptr;
  const auto it = j.find(name);
  return it == j.end() || it->is_null() ? nullptr : &*it;
}
inline std::optional<double> number(const Json* v) {
  return v && v->is_number() && std::isfinite(v->get<double>()) ? std::optional(v->get<double>()) : std::nullopt;
}
inline std::optional<double> number(const Json& j, std::initializer_list<const char*> names) {
  for (const char* n : names)
    if (const auto v = number(member(j, n))) return v;
  return std::nullopt;
}
/// A count: a number that is whole and not negative.
inline std::optional<std::int64_t> count(const Json& j, std::initializer_list<const char*> names) {
  const auto v = number(j, names);
  return v && *v >= 0 && *v < 9e15 && std::floor(*v) == *v ? std::optional(static_cast<std::int64_t>(*v)) : std::nullopt;
}
inline std::string text(const Json& j, std::initializer_list<const char*> names) {
  for (const char* n : names)
    if (const Json* v = member(j, n); v && v->is_string()) return v->get<std::string>();
  return {};
}

}  // namespace kvcliff::exchange
