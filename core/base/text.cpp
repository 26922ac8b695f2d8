// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

namespace kvcliff {

std::optional<std::int64_t> parse_int(std::string_view s) {
  if (!s.empty() && s.front() == '+') s.remove_prefix(1);
  std::int64_t v = 0;
  const auto [p, ec] = std::from_chars(s.data(), s.data() + s.size(), v);
  if (ec != std::errc() || p != s.data() + s.size() || s.empty()) return std::nullopt;
  return v;
}

std::optional<double> parse_double(std::string_view s) {
  if (!s.empty() && s.front() == '+') {
    s.remove_prefix(1);
    if (!s.empty() && s.front() == '-') return std::nullopt;
  }
  double v = 0;
  const auto [p, ec] = std::from_chars(s.data(), s.data() + s.size(), v);
  if (s.empty() || p != s.data() + s.size()) return std::nullopt;
  if (ec == std::errc::result_out_of_range) return std::nullopt;
  if (ec != std::errc()) return std::nullopt;
  return v;
}

std::string_view trim(std::string_view s) {
  constexpr std::string_view blanks = " \t\r\n\v\f";
  const auto b = s.find_first_not_of(blanks);
  if (b == std::string_view::npos) return {};
  return s.substr(b, s.find_last_not_of(blanks) - b + 1);
}

std::vector<std::string_view> split(std::string_view s, char sep) {
  std::vector<std::string_view> out;
  for (std::size_t b = 0;;) {
    const auto e = s.find(sep, b);
    out.push_back(s.substr(b, e == std::string_view::npos ? e : e - b));
    if (e == std::string_view::npos) return out;
    b = e + 1;
  }
}

bool starts_with_ci(std::string_view s, std::string_view prefix) {
  if (s.size() < prefix.size()) return false;
  for (std::size_t i = 0; i < prefix.size(); ++i) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    if (lower(s[i]) != lower(prefix[i])) return false;
  }
  return true;
}

std::string to_valid_utf8(std::string_view s) {
  std::string out;
  out.reserve(s.size());
  for (std::size_t i = 0; i < s.size();) {
    const auto b = static_cast<unsigned char>(s[i]);
    int len = b < 0x80 ? 1 : b >= 0xc2 && b < 0xe0 ? 2 : b >= 0xe0 && b < 0xf0 ? 3 : b >= 0xf0 && b < 0xf5 ? 4 : 0;
    bool good = len > 0 && i + len <= s.size();
    for (int k = 1; good && k < len; ++k) {
      const auto c = static_cast<unsigned char>(s[i + k]);
      // The second byte's range excludes overlong forms, surrogates and values past U+10FFFF (Unicode table 3-7).
      unsigned lo = 0x80, hi = 0xbf;
      if (k == 1) {
        if (b == 0xe0) lo = 0xa0;
        if (b == 0xed) hi = 0x9f;
        if (b == 0xf0) lo = 0x90;
        if (b == 0xf4) hi = 0x8f;
      }
      good = c >= lo && c <= hi;
    }
    if (good) {
      out.append(s.substr(i, len));
      i += len;
    } else {
      out += "\xef\xbf\xbd";
      ++i;
    }
  }
  return out;
}

std::string grouped(std::int64_t n) {
  std::string s = std::to_string(n);
  const std::size_t first = n < 0 ? 1 : 0;
  for (std::size_t i = s.size(); i > first + 3;) {
    i -= 3;
    s.insert(i, 1, ',');
  }
  return s;
}

std::string human_bytes(Bytes b) {
  static constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double v = static_cast<double>(b.v);
  int u = 0;
  while (std::fabs(v) >= 1024 && u < 5) {
    v /= 1024;
    ++u;
  }
  if (u == 0) return fmt::format("{} B", b.v);
  const double a = std::fabs(v);
  return fmt::format("{:.{}f} {}", v, a < 10 ? 2 : a < 100 ? 1 : 0, units[u]);
}

std::string human_duration_ns(std::int64_t ns) {
  const double s = static_cast<double>(ns) * 1e-9;
  const double a = std::fabs(s);
  if (a >= 3600) {
    const auto minutes = static_cast<std::int64_t>(a / 60);
    return fmt::format("{}{} h {:02} min", ns < 0 ? "-" : "", minutes / 60, minutes % 60);
  }
  if (a >= 100) {
    const auto whole = static_cast<std::int64_t>(a + 0.5);
    return fmt::format("{}{} min {:02} s", ns < 0 ? "-" : "", whole / 60, whole % 60);
  }
  if (a >= 1) return fmt::format("{:.{}f} s", s, a < 10 ? 2 : 1);
  if (a >= 1e-3) return fmt::format("{:.{}f} ms", s * 1e3, a < 0.01 ? 2 : a < 0.1 ? 1 : 0);
  if (a >= 1e-6) return fmt::format("{:.0f} us", s * 1e6);
  return fmt::format("{} ns", ns);
}

std::optional<Bytes> parse_bytes(std::string_view s) {
  s = trim(s);
  std::size_t n = 0;
  while (n < s.size() && ((s[n] >= '0' && s[n] <= '9') || s[n] == '.' || s[n] == '+')) ++n;
  const auto number = parse_double(s.substr(0, n));
  if (!number) return std::nullopt;
  const std::string_view unit = trim(s.substr(n));
  double factor = 1;
  if (!unit.empty() && unit != "B" && unit != "b") {
    static constexpr std::string_view letters = "KMGTP";
    const char up = unit[0] >= 'a' ? static_cast<char>(unit[0] - 32) : unit[0];
    const auto power = letters.find(up);
    if (power == std::string_view::npos) return std::nullopt;
    const std::string_view rest = unit.substr(1);
    const bool decimal = rest == "B" || rest == "b";
    if (!decimal && !rest.empty() && rest != "iB" && rest != "ib" && rest != "i") return std::nullopt;
    factor = std::pow(decimal ? 1000.0 : 1024.0, static_cast<double>(power + 1));
  }
  const double bytes = *number * factor;
  if (!(bytes >= 0) || bytes > 9.0e18) return std::nullopt;
  return Bytes(std::llround(bytes));
}

}  // namespace kvcliff
