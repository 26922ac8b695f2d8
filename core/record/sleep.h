// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string_view>

#include "record/stream.h"

namespace kvcliff {

/// The warning that a record carries when the machine slept while it ran (wire::sleep_mark).
inline constexpr std::string_view slept_mark = "machine slept during the request";

/// The machine slept while this stream ran. Its monotonic times leave the sleep out, and the server's work may have gone
/// on or not: they are shown, and left out of every statistic.
bool slept(const StreamRecord& r);
/// Complete, and with times that statistics may use.
bool times_count(const StreamRecord& r);

}  // namespace kvcliff
