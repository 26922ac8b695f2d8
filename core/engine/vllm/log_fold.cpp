// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/vllm/log_fold.h"

namespace kvcliff::engine::vllm {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }

/// True when `s` has the form of `shape` at `at`: '9' stands for a digit.
bool fits(std::string_view s, std::size_t at, std::string_view shape) {
  if (at + shape.size() > s.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i] == '9' ? !digit(s[at + i]) : s[at + i] != shape[i]) return false;
  return true;
}

bool equal_apart_from_time(std::string_view a, std::string_view b) {
  const auto ta = time_in_line(a), tb = time_in_line(b);
  if (ta.empty() || tb.empty()) return a == b;
  const auto at_a = static_cast<std::size_t>(ta.data() - a.data()), at_b = static_cast<std::size_t>(tb.data() - b.data());
  return a.substr(0, at_a) == b.substr(0, at_b) && a.substr(at_a + ta.size()) == b.substr(at_b + tb.size());
}

}  // namespace

std::string_view time_in_line(std::string_view line) {
  constexpr std::string_view shape = "99-99 99:99:99";
  // Times stand in front; a line that holds one far inside is about that time.
  for (std::size_t at = 0; at < 100 && at + shape.size() <= line.size(); ++at) {
    if (!fits(line, at, shape)) continue;
    std::size_t end = at + shape.size();
    if (end + 1 < line.size() && (line[end] == '.' || line[end] == ',') && digit(line[end + 1])) {
      ++end;
      while (end < line.size() && digit(line[end])) ++end;
    }
    return line.substr(at, end - at);
  }
  return {};
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
