// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"

namespace kvcliff::journal {

// The journal holds UTC only. These show it in the zone of the process (TZ); spans never come from them.

/// "2030-10-27 02:30:00 +01:00": local time with the offset in force at that moment.
std::string local_text(WallNs t);
/// The UTC range [from, to) of a local day "2030-10-27", which has 23 or 25 hours when clocks change. nullopt: not a day.
std::optional<std::pair<WallNs, WallNs>> local_day(std::string_view day);
/// "2030-10-26T23:30:00Z", with or without a fraction; only UTC is accepted.
std::optional<WallNs> parse_utc(std::string_view text);

}  // namespace kvcliff::journal
