// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace kvcliff {

/// Numbers as written in files: independent of the locale, the whole text must be used. Accepts a leading '+'.
std::optional<std::int64_t> parse_int(std::string_view s);
/// Also NaN, +Inf, -Inf in any case.
std::optional<double> parse_double(std::string_view s);

std::string_view trim(std::string_view s);
/// Splits at every `sep`; empty parts are kept. The parts look into `s`, so a string that ends with the statement is refused.
std::vector<std::string_view> split(std::string_view s, char sep);
template <class S>
  requires std::same_as<S, std::string>
std::vector<std::string_view> split(S&& s, char sep) = delete;
bool starts_with_ci(std::string_view s, std::string_view prefix);

/// Valid UTF-8: each byte that cannot be decoded becomes U+FFFD.
std::string to_valid_utf8(std::string_view s);

/// "2,293,760,000": digits in groups of three, for people; files use plain digits.
std::string grouped(std::int64_t n);
/// "2.14 GiB": binary units, 3 significant digits; exact below 1 KiB.
std::string human_bytes(Bytes b);
/// "1 h 03 min", "2 min 05 s", "1.24 s", "83.1 ms", "12 us".
std::string human_duration_ns(std::int64_t ns);
/// "10GiB", "2.5 GB", "4096", "512K" -> bytes. K, M, G, T and KiB... are powers of 1024; KB, MB, GB, TB powers of 1000.
std::optional<Bytes> parse_bytes(std::string_view s);

}  // namespace kvcliff
