// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/request.h"

namespace kvcliff {

std::optional<double> CounterDelta::value(const std::string& name) const {
  const auto it = values.find(name);
  return it == values.end() ? std::nullopt : std::optional(it->second);
}

std::optional<double> CounterDelta::value(const std::string& name, const std::string& label) const {
  const auto it = by_label.find(name);
  if (it == by_label.end()) return std::nullopt;
  const auto part = it->second.find(label);
  return part == it->second.end() ? std::nullopt : std::optional(part->second);
}

}  // namespace kvcliff
