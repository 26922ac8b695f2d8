// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/vllm/log_fold.h"

namespace kvcliff::engine::vllm {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// True when `s` has the form of `shape` at `at`: '9' stands for a digit, 'A' for a letter.
bool fits(std::string_view s, std::size_t at, std::string_view shape) {
  if (at + shape.size() > s.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const char c = s[at + i];
    if (shape[i] == '9' ? !digit(c) : shape[i] == 'A' ? !letter(c) : c != shape[i]) return false;
  }
  return true;
}

constexpr std::string_view clock_shape = "99:99:99";
constexpr std::size_t front_limit = 110;  // bytes: a prefix with process and level, and the time

/// Where the date in front of a clock at `clock` begins; `clock` itself when there is none. Dates of vLLM (12-01), of ISO
/// 8601 and its kin (2026-12-01, 2026/12/01, joined by a blank or a T), of glog (1201) and of syslog (Dec  1).
std::size_t date_before(std::string_view s, std::size_t clock) {
  if (clock == 0 || (s[clock - 1] != ' ' && s[clock - 1] != 'T' && s[clock - 1] != 't')) return clock;
  for (const std::string_view shape : {std::string_view("9999-99-99"), std::string_view("9999/99/99"), std::string_view("9999.99.99"),
                                       std::string_view("99-99"), std::string_view("99/99"), std::string_view("9999"),
                                       std::string_view("AAA 99"), std::string_view("AAA  9")}) {
    if (clock < shape.size() + 1) continue;
    const std::size_t at = clock - 1 - shape.size();
    if (!fits(s, at, shape) || (at > 0 && digit(s[at - 1]))) continue;
    // glog puts the level's letter right before: a number of four digits elsewhere is no date.
    if (shape == "9999" && (at == 0 || std::string_view("IWEFD").find(s[at - 1]) == std::string_view::npos)) continue;
    return at;
  }
  return clock;
}

std::size_t after_digits(std::string_view s, std::size_t at) {
  while (at < s.size() && digit(s[at])) ++at;
  return at;
}

std::size_t after_fraction(std::string_view s, std::size_t at) {
  return at + 1 < s.size() && (s[at] == '.' || s[at] == ',') && digit(s[at + 1]) ? after_digits(s, at + 1) : at;
}

/// "Z", "+01:00", "+0100" right after a time.
std::size_t after_zone(std::string_view s, std::size_t at) {
  if (at < s.size() && (s[at] == 'Z' || s[at] == 'z')) return at + 1;
  if (fits(s, at, "+99:99") || fits(s, at, "-99:99")) return at + 6;
  if (fits(s, at, "+9999") || fits(s, at, "-9999")) return at + 5;
  return at;
}

/// Nothing but "(process pid=7)", a level and brackets: what follows is the line's own time.
bool leads(std::string_view s) {
  bool inside = false;
  for (const char c : s) {
    if (c == '(') inside = true;
    const bool level = c >= 'A' && c <= 'Z';
    if (!inside && !level && c != ' ' && c != '[' && c != ':' && c != '|') return false;
    if (c == ')') inside = false;
  }
  return true;
}

/// Seconds since 1970 with a fraction, or milliseconds or more without, in front of the line or in brackets there.
std::string_view epoch_time(std::string_view s) {
  std::size_t at = 0;
  while (at < s.size() && !digit(s[at])) ++at;
  if (at == s.size() || !leads(s.substr(0, at))) return {};
  const std::size_t whole = after_digits(s, at), end = after_fraction(s, whole), digits = whole - at;
  const bool seconds = digits == 10 && end > whole, finer = (digits == 13 || digits == 16 || digits == 19) && end == whole;
  if (s[at] == '0' || !(seconds || finer)) return {};
  if (end < s.size() && s[end] != ' ' && s[end] != ']' && s[end] != ':') return {};
  return s.substr(at, end - at);
}

bool equal_apart_from_time(std::string_view a, std::string_view b) {
  const auto ta = time_in_line(a), tb = time_in_line(b);
  if (ta.empty() || tb.empty()) return a == b;
  const auto at_a = static_cast<std::size_t>(ta.data() - a.data()), at_b = static_cast<std::size_t>(tb.data() - b.data());
  return a.substr(0, at_a) == b.substr(0, at_b) && a.substr(at_a + ta.size()) == b.substr(at_b + tb.size());
}

}  // namespace

std::string_view time_in_line(std::string_view line) {
  // Times stand in front; a line that holds one far inside is about that time.
  const auto front = line.substr(0, front_limit);
  for (std::size_t clock = 0; clock + clock_shape.size() <= front.size(); ++clock) {
    if (!fits(line, clock, clock_shape) || (clock > 0 && (digit(line[clock - 1]) || line[clock - 1] == ':'))) continue;
    const std::size_t begin = date_before(line, clock);
    if (begin == clock && !leads(line.substr(0, clock))) continue;  // a time of day that the line speaks of
    const std::size_t end = after_fraction(line, clock + clock_shape.size());
    return line.substr(begin, after_zone(line, end) - begin);
  }
  return epoch_time(front);
}

std::vector<LogRow> fold(const std::vector<LogLine>& log) {
  std::vector<LogRow> rows;
  for (std::size_t i = 0; i < log.size(); ++i) {
    const std::string time(time_in_line(log[i].text));
    if (!rows.empty() && equal_apart_from_time(log[rows.back().first].text, log[i].text)) {
      ++rows.back().count;
      rows.back().last_time = time;
    } else {
      rows.push_back({i, 1, time, time});
    }
  }
  return rows;
}

}  // namespace kvcliff::engine::vllm
