// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <string_view>

namespace kvcliff::wire {

/// Length of the start of `s` that stands for itself in a JSON string: ASCII without quote, backslash and control bytes.
inline std::size_t plain_prefix(std::string_view s) {
  std::size_t n = 0;
  while (n < s.size() && s[n] >= 0x20 && s[n] != '"' && s[n] != '\\' && s[n] != 0x7f) ++n;  // bytes >= 0x80 are negative
  return n;
}

}  // namespace kvcliff::wire
