// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/vllm/log_head.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string>

#include "base/text.h"

namespace kvcliff::engine::vllm {
namespace {

constexpr std::size_t head_limit = 16 * 1024;

bool digit(char c) { return c >= '0' && c <= '9'; }
bool word_char(char c) {
  return digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// Takes "(Name pid=123) " off the front.
bool take_process(std::string_view& s, std::string_view& process) {
  if (s.empty() || s.front() != '(') return false;
  const auto end = s.find(')');
  if (end == std::string_view::npos || end > 120) return false;
  const auto inside = s.substr(1, end - 1);
  const auto pid = inside.find(" pid=");
  if (pid == std::string_view::npos) return false;
  process = inside.substr(0, pid);
  s.remove_prefix(end + 1);
  if (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  return true;
}

void take_level(std::string_view& s, std::string_view& level) {
  static constexpr std::array<std::string_view, 5> levels{"INFO", "WARNING", "ERROR", "DEBUG", "CRITICAL"};
  for (const auto candidate : levels) {
    if (s.substr(0, candidate.size()) != candidate || s.size() == candidate.size()) continue;
    const char next = s[candidate.size()];
    if (next != ' ' && next != ':') continue;
    level = candidate;
    s.remove_prefix(candidate.size() + 1);
    break;
  }
  if (level.empty()) return;
  // "12-01 09:00:01.123 [core.py:9] " or uvicorn's blanks.
  std::size_t i = 0;
  while (i < s.size() && (digit(s[i]) || s[i] == '-' || s[i] == ':' || s[i] == '.' || s[i] == ' ' || s[i] == ',')) {
    if (s[i] == ' ' && i + 1 < s.size() && !digit(s[i + 1])) {
      ++i;
      break;
    }
    ++i;
  }
  if (i > 0 && (digit(s.front()) || s.front() == ' ')) s.remove_prefix(i);
  if (!s.empty() && s.front() == '[') {
    const auto end = s.find(']');
    // [file.py:12], not [transformers] or [shutdown].
    if (end != std::string_view::npos && end < 200 && contains(s.substr(0, end), ":")) {
      s.remove_prefix(end + 1);
      if (!s.empty() && s.front() == ' ') s.remove_prefix(1);
    }
  }
}

std::string_view skip_to_value(std::string_view text, std::string_view key) {
  const auto at = text.find(key);
  if (at == std::string_view::npos) return {};
  auto rest = text.substr(at + key.size());
  while (!rest.empty() && std::string_view(" \t'\"=:(").find(rest.front()) != std::string_view::npos)
    rest.remove_prefix(1);
  return rest;
}

}  // namespace

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool LogHead::engine_side() const { return contains(process, "EngineCore") || contains(process, "Worker"); }

LogHead split_log_line(std::string_view line) {
  LogHead head;
  auto s = line.substr(0, head_limit);
  while (take_process(s, head.process)) {
  }
  take_level(s, head.level);
  // Another order is seen as well: level first, then the process.
  if (head.process.empty()) take_process(s, head.process);
  head.text = s;
  return head;
}

bool is_exception_line(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size() && (word_char(text[i]) || text[i] == '.')) ++i;
  if (i == 0 || digit(text.front()) || (i < text.size() && text[i] != ':')) return false;
  const auto name = text.substr(0, i);
  for (const std::string_view end : {"Error", "Exception", "Interrupt", "SystemExit"})
    if (name.size() >= end.size() && name.substr(name.size() - end.size()) == end) return true;
  return false;
}

std::optional<double> number_after(std::string_view text, std::string_view key) {
  const auto rest = skip_to_value(text, key);
  std::string digits;
  std::size_t i = 0;
  if (i < rest.size() && rest[i] == '-') digits += rest[i++];
  for (; i < rest.size() && digits.size() < 40; ++i) {
    const char c = rest[i];
    if (digit(c)) {
      digits += c;
    } else if (c == ',' && i + 3 < rest.size() && digit(rest[i + 1]) && digit(rest[i + 2]) && digit(rest[i + 3])) {
      continue;  // thousands separator
    } else if (c == '.' && i + 1 < rest.size() && digit(rest[i + 1]) && digits.find('.') == std::string::npos) {
      digits += c;
    } else if ((c == 'e' || c == 'E') && i + 1 < rest.size() && (digit(rest[i + 1]) || rest[i + 1] == '-' || rest[i + 1] == '+')) {
      digits += c;
      digits += rest[++i];
    } else {
      break;
    }
  }
  return parse_double(digits);
}

std::optional<std::int64_t> integer_after(std::string_view text, std::string_view key) {
  const auto v = number_after(text, key);
  if (!v || *v != std::floor(*v) || std::abs(*v) >= 9007199254740992.0) return std::nullopt;
  return static_cast<std::int64_t>(*v);
}

std::string_view word_after(std::string_view text, std::string_view key) {
  const auto rest = skip_to_value(text, key);
  std::size_t i = 0;
  while (i < rest.size() && (word_char(rest[i]) || std::string_view(".+-/").find(rest[i]) != std::string_view::npos)) ++i;
  return rest.substr(0, i);
}

}  // namespace kvcliff::engine::vllm
