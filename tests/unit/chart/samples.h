// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "chart/chart.h"

namespace kvcliff::chart::samples {

/// Charts in the shapes that reports use, with invented values.
Chart cliff();
Chart requests(int per_session = 18, bool simulated = true);
Chart distributions();
Chart pairs();
Chart verdict();
Chart waterfall();

}  // namespace kvcliff::chart::samples
