// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kvcliff {

using Json = nlohmann::json;
/// Keeps the order of insertion; for what people read.
using OrderedJson = nlohmann::ordered_json;

/// Parses strict JSON. `where` names the source in the error, which carries line and column.
Result<Json> parse_json(std::string_view text, const std::string& where);

/// Canonical form (RFC 8785): keys sorted by UTF-16 units, shortest round-trip numbers as ECMAScript prints them.
std::string canonical_json(const Json& value);

/// `null` when absent, the value otherwise.
template <class T>
Json optional_json(const std::optional<T>& v) { return v ? Json(*v) : Json(nullptr); }

}  // namespace kvcliff
