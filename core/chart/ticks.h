// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "chart/chart.h"

namespace kvcliff::chart {

struct Range {
  double low = 0, high = 1;
  bool operator==(const Range&) const = default;
};

/// A usable range over the values: NaN and infinity are ignored, one value or equal values are widened, nothing gives 0..1
/// (1..10 on a log axis, where values not above 0 are ignored too). Always low < high, both finite.
Range auto_range(const std::vector<double>& values, bool log = false);
/// Widened to the nearest tick on both sides.
Range to_ticks(Range range, Unit unit, bool log, int about);

/// About `about` ticks at nice numbers inside the range: 1, 2, 2.5, 5 x 10^k; bytes at powers of two; log axes at 1, 2, 5 of
/// each decade, or whole decades when there are many. Never more than 50.
std::vector<Tick> ticks(Range range, Unit unit, bool log, int about);

/// A number in the unit's words: "1,500", "100 %", "0.656 GiB", "62.5". `step` decides the decimals (0 = by magnitude).
std::string tick_label(double value, Unit unit, double step = 0);
/// GiB as experts read it: 3 decimals under 10, 1 from 10.
std::string gib(double bytes);
/// Shares: 0 decimals inside 1 to 99 %, else 2; never rounded to 0 % or 100 % when it is not.
std::string share(double value);
/// Milliseconds: 1 decimal, none from 1,000.
std::string milliseconds(double ms);

}  // namespace kvcliff::chart
