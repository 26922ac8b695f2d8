// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace kvcliff::model {

/// A config.json as people and Python write it.
struct ConfigText {
  Json value;
  bool strict = true;                ///< false: something below had to be tolerated
  std::vector<std::string> notes;    ///< what was tolerated, one sentence each
};

/// Reads JSON and tolerates what Python and hand-written files contain: a byte order mark, // and /* */ comments, a last
/// comma, and the words NaN, Infinity, -Infinity as values. These three become texts ("Infinity"), never numbers, so that
/// a size can not silently be infinite. Texts inside quotes are left as they are.
/// Errors: bad_usage with the line and column of the original text.
Result<ConfigText> parse_config_text(std::string_view text, const std::string& where);

}  // namespace kvcliff::model
