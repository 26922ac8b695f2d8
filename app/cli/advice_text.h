// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "analysis/advice.h"
#include "cli/context.h"

namespace kvcliff::cli {

/// How large a host tier would have to be, and why there was no reuse, in words.
void print_advice(const Context& context, const analysis::TierSizing& sizing, const analysis::NoReuseReport& reuse);

}  // namespace kvcliff::cli
