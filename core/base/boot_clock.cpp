// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/boot_clock.h"

#include <time.h>

namespace kvcliff {

MonoNs boot_now() {
  timespec ts{};
  clock_gettime(CLOCK_BOOTTIME, &ts);
  return std::int64_t{ts.tv_sec} * 1'000'000'000 + ts.tv_nsec;
}

}  // namespace kvcliff
