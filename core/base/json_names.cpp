// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_names.h"

#include <algorithm>
#include <utility>

#include "base/json.h"

namespace kvcliff {

std::vector<std::string> repeated_names(std::string_view text) {
  std::vector<std::string> out;
  std::vector<std::pair<std::string, std::vector<std::string>>> open;
  std::string last;
  const auto watch = [&](int, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start) open.emplace_back(last, std::vector<std::string>{});
    if (event == Json::parse_event_t::object_end && !open.empty()) open.pop_back();
    if (event == Json::parse_event_t::key && !open.empty()) {
      last = value.get<std::string>();
      auto& names = open.back().second;
      if (std::find(names.begin(), names.end(), last) != names.end()) {
        std::string field;
        for (std::size_t i = 1; i < open.size(); ++i) field += open[i].first + ".";
        out.push_back(field + last);
      }
      names.push_back(last);
    }
    return true;
  };
  [[maybe_unused]] const Json ignored = Json::parse(text, watch, false);
  return out;
}

}  // namespace kvcliff
