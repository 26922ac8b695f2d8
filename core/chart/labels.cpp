// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace kvcliff::chart {
namespace {

std::vector<std::string> characters(std::string_view s) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < s.size();) {
    std::size_t n = 1;
    while (i + n < s.size() && (static_cast<unsigned char>(s[i + n]) & 0xc0) == 0x80) ++n;
    out.emplace_back(s.substr(i, n));
    i += n;
  }
  return out;
}

double em(std::string_view c) {
  if (c.size() >= 3) return c == "\u2026" ? 0.85 : static_cast<unsigned char>(c[0]) >= 0xe3 ? 1.0 : 0.65;
  if (c.size() == 2) return 0.62;
  const char a = c.empty() ? ' ' : c[0];
  if (std::string_view("iljI.,:;'|!").find(a) != std::string_view::npos) return 0.29;
  if (std::string_view("frt()[]/\\-\" ").find(a) != std::string_view::npos) return 0.38;
  if (std::string_view("mwMW%@").find(a) != std::string_view::npos) return 0.9;
  if (a >= 'A' && a <= 'Z') return 0.7;
  return a >= '0' && a <= '9' ? 0.64 : 0.57;
}

double width_of(const std::vector<std::string>& c, double size) {
  double w = 0;
  for (const auto& x : c) w += em(x);
  return w * size;
}

// Keeps `tail` of the room for the end of the text.
std::string cut(const std::vector<std::string>& c, double width, double size, double tail) {
  if (width_of(c, size) <= width) {
    std::string all;
    for (const auto& x : c) all += x;
    return all;
  }
  const double room = std::max(0.0, width - em("\u2026") * size);
  std::string head, end;
  double used = 0;
  std::size_t last = c.size();
  while (last > 0 && used + em(c[last - 1]) * size <= room * tail) used += em(c[--last]) * size, end = c[last] + end;
  for (std::size_t i = 0; i < last && used + em(c[i]) * size <= room; ++i) used += em(c[i]) * size, head += c[i];
  return head + "\u2026" + end;
}

}  // namespace

double text_width(std::string_view text, double size, bool bold) { return width_of(characters(text), size) * (bold ? 1.07 : 1.0); }

std::string shorten(std::string_view text, double width, double size) { return cut(characters(text), width, size, 0.5); }

std::vector<std::string> shorten_all(const std::vector<std::string>& names, double width, double size) {
  std::vector<std::string> out;
  for (const double tail : {0.5, 0.75, 0.95, 0.2}) {
    out.clear();
    std::map<std::string, std::string> by_short;
    bool clash = false;
    for (const auto& n : names) {
      out.push_back(cut(characters(n), width, size, tail));
      const auto [it, fresh] = by_short.emplace(out.back(), n);
      clash |= !fresh && it->second != n;
    }
    if (!clash) return out;
  }
  std::map<std::string, std::string> given;  // name -> label
  std::set<std::string> taken;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (const auto it = given.find(names[i]); it != given.end()) {
      out[i] = it->second;
      continue;
    }
    std::string label = out[i];
    for (int k = 2; !taken.insert(label).second; ++k) {
      const std::string number = fmt::format(" ({})", k);
      label = cut(characters(names[i]), std::max(0.0, width - text_width(number, size)), size, 0.5) + number;
    }
    given[names[i]] = label;
    out[i] = label;
  }
  return out;
}

}  // namespace kvcliff::chart
