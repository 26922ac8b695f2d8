// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/clock.h"

#include <fmt/format.h>
#include <time.h>

#include <thread>

namespace kvcliff {
namespace {
std::int64_t read(clockid_t id) {
  timespec ts{};
  clock_gettime(id, &ts);
  return std::int64_t{ts.tv_sec} * 1'000'000'000 + ts.tv_nsec;
}
}  // namespace

MonoNs mono_now() { return read(CLOCK_MONOTONIC); }
MonoNs SystemClock::mono() const { return read(CLOCK_MONOTONIC); }
WallNs SystemClock::wall() const { return read(CLOCK_REALTIME); }
void SystemClock::sleep(std::chrono::nanoseconds d) { std::this_thread::sleep_for(d); }

std::string iso8601(WallNs t) {
  std::int64_t seconds = t / 1'000'000'000;
  std::int64_t rest = t % 1'000'000'000;
  if (rest < 0) {
    rest += 1'000'000'000;
    --seconds;
  }
  const time_t tt = static_cast<time_t>(seconds);
  tm parts{};
  gmtime_r(&tt, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, rest / 1000);
}

}  // namespace kvcliff
