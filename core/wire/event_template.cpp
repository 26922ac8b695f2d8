// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/event_template.h"

#include <cstring>

#include "wire/plain_text.h"

namespace kvcliff::wire {
namespace {

/// End of the string that begins after `at` (the opening quote is at - 1); npos when there is none.
std::size_t string_end(std::string_view s, std::size_t at) {
  while (at < s.size() && s[at] != '"') at += s[at] == '\\' ? 2 : 1;
  return at < s.size() ? at : std::string_view::npos;
}

}  // namespace

void EventTemplate::learn(std::string_view json) {
  ready_ = false;
  json_.assign(json);
  count_ = 0;
  int texts = 0, ids = 0;
  // A walk over valid JSON that knows the key of each level: choices(2) [ { text | token_ids | delta { content } } ].
  constexpr int deepest = 8;
  std::string_view keys[deepest + 1];
  int depth = 0;
  for (std::size_t i = 0; i < json_.size(); ++i) {
    const char c = json_[i];
    if (c == '{' || c == '[') {
      if (++depth > deepest) return;
      keys[depth] = {};
      const bool in_choice = depth == 4 && keys[1] == "choices" && keys[3] == "token_ids";
      if (c == '[' && in_choice) {
        const std::size_t end = json_.find(']', i);
        if (end == std::string::npos || ++ids > 1) return;
        if (count_ == 2) return;
        holes_[count_++] = {i + 1, end, false};
      }
    } else if (c == '}' || c == ']') {
      --depth;
    } else if (c == '"') {
      const std::size_t end = string_end(json_, i + 1);
      if (end == std::string_view::npos) return;
      const std::string_view word(json_.data() + i + 1, end - i - 1);
      std::size_t after = end + 1;
      while (after < json_.size() && (json_[after] == ' ' || json_[after] == '\t')) ++after;
      if (after < json_.size() && json_[after] == ':') {
        keys[depth] = word;
        i = after;
        continue;
      }
      const bool text = depth == 3 && keys[1] == "choices" && keys[3] == "text";
      const bool content = depth == 4 && keys[1] == "choices" && keys[3] == "delta" && keys[4] == "content";
      const bool reasoning = depth == 4 && keys[1] == "choices" && keys[3] == "delta" &&
                             (keys[4] == "reasoning" || keys[4] == "reasoning_content");
      if (text || content || reasoning) {
        // An empty text beside the real one ("content":"" with reasoning) stays part of the fixed bytes.
        if (!word.empty() || (text && texts == 0)) {
          if (++texts > 1 || count_ == 2) return;
          channel_ = reasoning ? Channel::reasoning : Channel::content;
          holes_[count_++] = {i + 1, end, true};
        }
      }
      i = end;
    }
  }
  ready_ = texts == 1 && depth == 0;
}

bool EventTemplate::match(std::string_view json, std::string_view& text, std::vector<std::int32_t>& ids) const {
  const std::size_t had = ids.size();
  const auto no = [&] {
    ids.resize(had);
    return false;
  };
  std::size_t from = 0, at = 0;  // in the template, in the event
  for (int h = 0; h < count_; ++h) {
    const Hole& hole = holes_[h];
    const std::size_t fixed = hole.begin - from;
    if (json.size() - at < fixed || std::memcmp(json.data() + at, json_.data() + from, fixed) != 0) return no();
    at += fixed;
    from = hole.end;
    if (hole.is_text) {
      const std::size_t length = plain_prefix(json.substr(at));
      text = json.substr(at, length);
      at += length;
    } else {
      while (at < json.size() && json[at] != ']') {
        const std::size_t start = at;
        std::int32_t value = 0;
        while (at < json.size() && json[at] >= '0' && json[at] <= '9' && at - start < 9) value = value * 10 + (json[at++] - '0');
        if (at == start || (json[start] == '0' && at - start > 1)) return no();
        ids.push_back(value);
        if (at < json.size() && json[at] == ',') {
          if (++at >= json.size() || json[at] == ']') return no();
          continue;
        }
        if (at >= json.size() || json[at] != ']') return no();
      }
    }
  }
  const std::size_t rest = json_.size() - from;
  if (json.size() - at != rest || std::memcmp(json.data() + at, json_.data() + from, rest) != 0) return no();
  return true;
}

}  // namespace kvcliff::wire
