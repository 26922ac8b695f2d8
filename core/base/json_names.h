// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kvcliff {

/// Members that stand twice in one object of a valid JSON text, as dotted paths, in the order in which they repeat. The JSON
/// library keeps the last of two equal names silently; which one was meant is for the user to say.
std::vector<std::string> repeated_names(std::string_view text);

}  // namespace kvcliff
