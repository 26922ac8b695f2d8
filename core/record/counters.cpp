// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/counters.h"

namespace kvcliff {

std::optional<double> CounterSnapshot::value(const std::string& name) const {
  if (const auto it = readings.find(name); it != readings.end()) return it->second.value;
  if (declared.count(name)) return 0.0;
  return std::nullopt;
}

std::optional<double> CounterSnapshot::value(const std::string& name, const std::string& label) const {
  if (const auto it = readings.find(name); it != readings.end()) {
    const auto& parts = it->second.by_label;
    if (const auto p = parts.find(label); p != parts.end()) return p->second;
    return std::nullopt;
  }
  if (declared.count(name)) return 0.0;
  return std::nullopt;
}

}  // namespace kvcliff
