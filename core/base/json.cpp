// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace kvcliff {
namespace {

// UTF-16 code units of a UTF-8 key: RFC 8785 section 3.2.3 sorts by these, which differs from byte order above U+FFFF.
std::u16string utf16(const std::string& s) {
  std::u16string out;
  for (std::size_t i = 0; i < s.size();) {
    const auto b = static_cast<unsigned char>(s[i]);
    const int len = b < 0x80 ? 1 : b < 0xe0 ? 2 : b < 0xf0 ? 3 : 4;
    char32_t c = len == 1 ? b : b & (0xff >> (len + 1));
    for (int k = 1; k < len && i + k < s.size(); ++k) c = (c << 6) | (static_cast<unsigned char>(s[i + k]) & 0x3f);
    i += len;
    if (c >= 0x10000) {
      c -= 0x10000;
      out += static_cast<char16_t>(0xd800 + (c >> 10));
      out += static_cast<char16_t>(0xdc00 + (c & 0x3ff));
    } else {
      out += static_cast<char16_t>(c);
    }
  }
  return out;
}

// ECMAScript Number::toString (ECMA-262 6.1.6.1.20), from the shortest digits that round-trip.
std::string number(double d) {
  if (d == 0) return "0";
  char buf[32];
  const auto end = std::to_chars(buf, buf + sizeof buf, std::fabs(d), std::chars_format::scientific).ptr;
  std::string digits;
  const char* p = buf;
  for (; p != end && *p != 'e'; ++p)
    if (*p != '.') digits += *p;
  int exponent = 0;
  if (p != end) {
    ++p;
    if (*p == '+') ++p;
    std::from_chars(p, end, exponent);
  }
  const int n = exponent + 1;
  const int k = static_cast<int>(digits.size());
  std::string s = d < 0 ? "-" : "";
  if (k <= n && n <= 21) return s + digits + std::string(n - k, '0');
  if (0 < n && n <= 21) return s + digits.substr(0, n) + "." + digits.substr(n);
  if (-6 < n && n <= 0) return s + "0." + std::string(-n, '0') + digits;
  const int e = n - 1;
  s += digits.substr(0, 1);
  if (k > 1) s += "." + digits.substr(1);
  return s + fmt::format("e{}{}", e < 0 ? "-" : "+", std::abs(e));
}

void write(const Json& v, std::string& out) {
  if (v.is_object()) {
    std::vector<std::pair<std::u16string, const std::string*>> keys;
    for (auto it = v.begin(); it != v.end(); ++it) keys.emplace_back(utf16(it.key()), &it.key());
    std::sort(keys.begin(), keys.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    out += '{';
    bool first = true;
    for (const auto& [_, key] : keys) {
      if (!first) out += ',';
      first = false;
      out += Json(*key).dump();
      out += ':';
      write(v.at(*key), out);
    }
    out += '}';
  } else if (v.is_array()) {
    out += '[';
    for (std::size_t i = 0; i < v.size(); ++i) {
      if (i) out += ',';
      write(v[i], out);
    }
    out += ']';
  } else if (v.is_number_float()) {
    out += number(v.get<double>());
  } else {
    out += v.dump();
  }
}

}  // namespace

Result<Json> parse_json(std::string_view text, const std::string& where) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& e) {
    const std::size_t at = std::min<std::size_t>(e.byte ? e.byte - 1 : 0, text.size());
    const auto line = 1 + std::count(text.begin(), text.begin() + at, '\n');
    const std::size_t start = at ? text.rfind('\n', at - 1) : std::string_view::npos;
    const std::size_t column = at - (start == std::string_view::npos ? 0 : start + 1) + 1;
    std::string why = e.what();
    if (const auto p = why.find("; last read"); p != std::string::npos) why.erase(p);
    if (const auto p = why.rfind(": "); p != std::string::npos) why.erase(0, p + 2);
    return fail(ErrorCode::bad_usage, "Not valid JSON", fmt::format("{}, line {}, column {}", where, line, column), why,
                "Correct the text at that place");
  } catch (const Json::exception& e) {  // a number that no double holds (1e999)
    std::string why = e.what();
    if (const auto p = why.find("] "); p != std::string::npos) why.erase(0, p + 2);
    return fail(ErrorCode::bad_usage, "Not valid JSON", where, why, "Correct the value");
  }
}

std::string canonical_json(const Json& value) {
  std::string out;
  write(value, out);
  return out;
}

}  // namespace kvcliff
