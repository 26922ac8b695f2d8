// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/theme.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kvcliff::chart {
namespace {

constexpr std::array needed{"surface", "text", "text2", "text3", "line", "line2", "grid", "ink", "onInk", "select", "gpu_hit", "host_loaded",
                            "computed", "unknown", "gpu_hit_edge", "host_loaded_edge", "computed_edge", "unknown_edge", "pass", "fail",
                            "simulated", "withdrawn"};

bool is_colour(std::string_view s) {
  return s.size() == 7 && s[0] == '#' && s.find_first_not_of("0123456789abcdefABCDEF", 1) == std::string_view::npos;
}

double luminance(std::string_view c) {
  if (!is_colour(c)) return 0;
  double sum = 0;
  constexpr std::array weight{0.2126, 0.7152, 0.0722};
  for (int i = 0; i < 3; ++i) {
    const double v = std::stoi(std::string(c.substr(1 + 2 * i, 2)), nullptr, 16) / 255.0;
    sum += weight[i] * (v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4));
  }
  return sum;
}

}  // namespace

const std::string& Theme::colour(const std::string& token) const {
  static const std::string black = "#000000";
  if (const auto it = colours.find(token); it != colours.end()) return it->second;
  const auto text_it = colours.find("text");
  return text_it == colours.end() ? black : text_it->second;
}

std::string Theme::edge(const std::string& token) const { return colour(has(token + "_edge") ? token + "_edge" : token); }
std::string Theme::text(const std::string& token) const { return colour(has(token + "_text") ? token + "_text" : token); }
std::string Theme::on(const std::string& token) const {
  if (has("on_" + token)) return colour("on_" + token);
  return token == "ink" ? colour("onInk") : contrast(colour(token), colour("text")) >= contrast(colour(token), colour("surface")) ? colour("text") : colour("surface");
}
std::string Theme::zone(const std::string& token) const {
  if (has(token + "_zone")) return colour(token + "_zone");
  return colour(has(token + "_bg") ? token + "_bg" : token);
}

Result<Theme> load_theme(const Json& palette, std::string_view name) {
  if (name != "light" && name != "dark" && name != "print")
    return fail(ErrorCode::bad_usage, "Unknown chart theme \"" + std::string(name) + "\"", {}, {}, "light, dark and print are known");
  const std::string set = name == "dark" ? "dark" : "light";
  if (!palette.is_object() || !palette.contains(set) || !palette[set].is_object())
    return fail(ErrorCode::bad_usage, "The palette has no set \"" + set + "\"", "palette.json", {}, "Restore the file");
  Theme t;
  t.name = name;
  t.patterns = name == "print";
  for (const auto& [token, value] : palette[set].items()) {
    if (!value.is_string() || !is_colour(value.get<std::string>()))
      return fail(ErrorCode::bad_usage, "A colour of the palette is not #RRGGBB", "palette.json, " + set + "." + token, {}, "Restore the file");
    t.colours[token] = value.get<std::string>();
  }
  if (t.patterns) {  // black and white: grey fills under patterns, dark edges and texts
    t.colours["gpu_hit"] = "#333333", t.colours["host_loaded"] = "#E4E4E4", t.colours["computed"] = "#FFFFFF";
    for (const char* source : {"gpu_hit", "host_loaded", "computed", "unknown"}) {
      t.colours[std::string(source) + "_edge"] = "#222222", t.colours[std::string(source) + "_text"] = "#222222";
      t.colours[std::string(source) + "_zone"] = "#F2F2F2", t.colours[std::string("on_") + source] = std::string_view(source) == "gpu_hit" ? "#FFFFFF" : "#000000";
    }
  }
  for (const char* token : needed)
    if (!t.has(token)) return fail(ErrorCode::bad_usage, "The palette lacks a colour", "palette.json, " + set + "." + token, {}, "Restore the file");
  return t;
}

double contrast(std::string_view a, std::string_view b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

}  // namespace kvcliff::chart
