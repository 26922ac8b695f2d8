// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <chrono>
#include <cstdint>
#include <string>

namespace kvcliff {

/// Nanoseconds of one monotonic clock (CLOCK_MONOTONIC); only differences mean anything.
using MonoNs = std::int64_t;
/// Nanoseconds since 1970-01-01 UTC.
using WallNs = std::int64_t;

/// A point on both clocks, taken together.
struct Instant {
  MonoNs mono = 0;
  WallNs wall = 0;
  bool operator==(const Instant&) const = default;
};

/// Time as a service, so that waits and stamps can be driven by tests.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual MonoNs mono() const = 0;
  virtual WallNs wall() const = 0;
  virtual void sleep(std::chrono::nanoseconds d) = 0;
  Instant now() const { return {mono(), wall()}; }
};

class SystemClock final : public Clock {
 public:
  MonoNs mono() const override;
  WallNs wall() const override;
  void sleep(std::chrono::nanoseconds d) override;
};

/// The monotonic clock directly, for the hot path.
MonoNs mono_now();

/// "2026-12-01T11:56:03.123456Z" (always UTC, microseconds).
std::string iso8601(WallNs t);

}  // namespace kvcliff
