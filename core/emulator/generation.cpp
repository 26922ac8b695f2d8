// SPDX-License-Identifier: GPL-3.0-or-later
#include "emulator/generation.h"

#include "base/text.h"

namespace kvcliff::emulator {

cache::Config Generation::rules() const {
  cache::Config c;
  c.free_order = minor >= 23 ? cache::FreeOrder::prepend : cache::FreeOrder::append;
  c.host_touch = minor >= 31   ? cache::HostTouch::finish
                 : minor >= 26 ? cache::HostTouch::unordered
                               : cache::HostTouch::lookup;
  c.in_flight = minor >= 25 ? cache::InFlight::defer : cache::InFlight::miss;
  c.offload_prompt_only = prompt_only_by_default();
  c.protect_input_keys = minor >= 19;
  c.stats_once = queries_once();
  c.threshold_counts_offers = minor >= 30;
  return c;
}

std::optional<Generation> parse_generation(std::string_view text) {
  text = trim(text);
  if (!text.empty() && text.front() == 'v') text.remove_prefix(1);
  const auto parts = split(text, '.');
  if (parts.size() < 2 || parts.size() > 3) return std::nullopt;
  const auto major = parse_int(parts[0]), minor = parse_int(parts[1]);
  const auto patch = parts.size() == 3 ? parse_int(parts[2]) : std::optional<std::int64_t>(0);
  if (!major || !minor || !patch || *major != 0 || *minor < 10 || *minor > 32 || *patch < 0 || *patch > 99)
    return std::nullopt;
  Generation g;
  g.minor = static_cast<int>(*minor);
  g.version = "0." + std::to_string(*minor) + "." + std::to_string(*patch);
  return g;
}

}  // namespace kvcliff::emulator
