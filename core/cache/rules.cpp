// SPDX-License-Identifier: GPL-3.0-or-later
#include "cache/rules.h"

#include <array>
#include <charconv>

namespace kvcliff::cache {
namespace {

using Version = std::array<int, 3>;

Result<Version> parse(const std::string& text) {
  Version v{0, 0, 0};
  const char* at = text.data();
  const char* end = at + text.size();
  if (at != end && (*at == 'v' || *at == 'V')) ++at;
  int parts = 0;
  for (; parts < 3; ++parts) {
    const auto [next, error] = std::from_chars(at, end, v[static_cast<std::size_t>(parts)]);
    if (error != std::errc{} || v[static_cast<std::size_t>(parts)] < 0) break;
    at = next;
    if (at == end || *at != '.') {
      ++parts;
      break;
    }
    ++at;
  }
  if (parts < 2)
    return fail(ErrorCode::bad_usage, "The engine's version cannot be read", "engine.version", "\"" + text + "\" is not like 0.26.0",
                "Give the number that the engine prints");
  return v;
}

}  // namespace

Result<Config> with_rules_of(Config c, const std::string& version) {
  if (version.empty()) return with_rules_of(c, "0.32.0");
  const auto v = parse(version);
  if (!v) return fail(v.error());
  const auto from = [&](int major, int minor, int patch = 0) { return *v >= Version{major, minor, patch}; };
  c.full_sequence_must_fit = from(0, 19, 1);
  c.protect_input_keys = from(0, 19, 1);
  c.free_order = from(0, 23) ? FreeOrder::prepend : FreeOrder::append;
  c.in_flight = from(0, 25) ? InFlight::defer : InFlight::miss;
  // 0.26 was seen live on an H200, 0.32 on a CPU. That a job's keys are a set, and only evictable chunks are in the list,
  // was read in 0.27.1 and 0.30.0 as well.
  c.host_touch = from(0, 31) ? HostTouch::finish : from(0, 26) ? HostTouch::unordered : HostTouch::lookup;
  c.stats_once = from(0, 27);
  c.threshold_counts_offers = from(0, 30);
  return c;
}

}  // namespace kvcliff::cache
