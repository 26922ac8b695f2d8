// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/prometheus.h"

#include <algorithm>
#include <array>
#include <set>

namespace kvcliff::wire {

std::optional<std::string_view> Labels::get(std::string_view name) const {
  for (const auto& [key, text] : items)
    if (key == name) return text;
  return std::nullopt;
}

std::string_view without_total(std::string_view name) {
  constexpr std::string_view total = "_total";
  if (name.size() > total.size() && name.ends_with(total)) name.remove_suffix(total.size());
  return name;
}

std::vector<const Sample*> MetricsPage::named(std::string_view name) const {
  std::vector<const Sample*> out;
  if (const auto at = by_name_.find(name); at != by_name_.end())
    for (const auto i : at->second) out.push_back(&samples_[i]);
  return out;
}

std::vector<const Sample*> MetricsPage::counter(std::string_view base) const {
  const std::string total = std::string(base) + "_total";
  auto out = named(total);
  const std::size_t preferred = out.size();
  for (const Sample* bare : named(base)) {
    const bool twice = std::any_of(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(preferred),
                                   [&](const Sample* s) { return s->labels == bare->labels; });
    if (!twice) out.push_back(bare);
  }
  return out;
}

bool MetricsPage::declared(std::string_view base) const {
  const auto typed = [&](std::string_view name) {
    const auto at = families_.find(name);
    return at != families_.end() && !at->second.type.empty();
  };
  return typed(base) || typed(std::string(base) + "_total");
}

const Family* MetricsPage::family_of(std::string_view name) const {
  if (const auto at = families_.find(name); at != families_.end()) return &at->second;
  static constexpr std::array<std::string_view, 6> endings{"_total", "_created", "_bucket", "_sum", "_count", "_info"};
  for (const auto ending : endings) {
    if (name.size() <= ending.size() || !name.ends_with(ending)) continue;
    const std::string_view base = name.substr(0, name.size() - ending.size());
    if (const auto at = families_.find(base); at != families_.end()) return &at->second;
    // The classic Python client types the family as name_total, and the birth time lies beside it as name_created.
    if (ending == "_created")
      if (const auto at = families_.find(std::string(base) + "_total"); at != families_.end()) return &at->second;
  }
  return nullptr;
}

}  // namespace kvcliff::wire
