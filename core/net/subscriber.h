// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"

namespace kvcliff::net {

/// Listens for what an engine publishes over ZeroMQ. We bind and the engine connects to us: then no message is lost
/// between its start and our coming, and its port is ours to choose.
class Subscriber {
 public:
  /// Called on the subscriber's thread for each message of three parts: topic, sequence number, payload. Must not block.
  using OnMessage = std::function<void(Instant at, std::uint64_t sequence, std::string payload)>;

  /// Binds a free loopback port. Errors: io (with the system's reason).
  static Result<std::unique_ptr<Subscriber>> listen(OnMessage message);
  virtual ~Subscriber() = default;

  /// "tcp://127.0.0.1:PORT", as the engine is told.
  virtual std::string endpoint() const = 0;
  /// Messages that did not have the expected parts.
  virtual std::int64_t malformed() const = 0;
  /// Waits until nothing came for `quiet`, then ends the thread; no call after that. At most `limit`.
  virtual void drain(std::chrono::milliseconds quiet, std::chrono::milliseconds limit) = 0;
};

}  // namespace kvcliff::net
