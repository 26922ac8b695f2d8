// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/sleep.h"

#include <algorithm>

namespace kvcliff {

bool slept(const StreamRecord& r) { return std::find(r.warnings.begin(), r.warnings.end(), slept_mark) != r.warnings.end(); }
bool times_count(const StreamRecord& r) { return r.outcome == Outcome::complete && !slept(r); }

}  // namespace kvcliff
