// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace kvcliff::chart {

/// Colours by token, from resources/palette/palette.json and nowhere else.
struct Theme {
  std::string name;                        ///< light | dark | print
  std::map<std::string, std::string> colours;
  bool patterns = false;                   ///< print: sources are patterns instead of colours

  /// "#RRGGBB". An unknown token yields the text colour, so that nothing becomes invisible.
  const std::string& colour(const std::string& token) const;
  bool has(const std::string& token) const { return colours.count(token) > 0; }
  /// The colour of an edge, of text, of text on a fill, of a zone; the nearest sensible token where the palette has none.
  std::string edge(const std::string& token) const;
  std::string text(const std::string& token) const;
  std::string on(const std::string& token) const;
  std::string zone(const std::string& token) const;
};

/// "light", "dark" or "print" (light with patterns, for black and white). Errors: bad_usage for another name or a palette
/// without the tokens that charts need, each named.
Result<Theme> load_theme(const Json& palette, std::string_view name);

/// WCAG contrast ratio of two "#RRGGBB" colours, 1 to 21.
double contrast(std::string_view a, std::string_view b);

}  // namespace kvcliff::chart
