// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "base/clock.h"

namespace kvcliff {

/// Nanoseconds of CLOCK_BOOTTIME: as mono_now(), but it goes on while the machine sleeps. Only differences mean anything,
/// and only beside the same difference of mono_now(): what the one has more, the machine slept.
MonoNs boot_now();

}  // namespace kvcliff
