// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kvcliff::chart {

/// Estimated width in px of UTF-8 text in a humanist sans of `size` px; wide scripts count as one em. Errs to the wide side.
double text_width(std::string_view text, double size, bool bold = false);

/// Shortened in the middle with an ellipsis to fit `width` px; whole when it fits. Never splits a character.
std::string shorten(std::string_view text, double width, double size);

/// Shortened so that names that differ never look the same: where they would, more of the part that differs is shown, and at
/// last a number is added. One result per name, in order.
std::vector<std::string> shorten_all(const std::vector<std::string>& names, double width, double size);

}  // namespace kvcliff::chart
