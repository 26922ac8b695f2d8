// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "emulator/cache_model.h"

namespace kvcliff::emulator {

/// Publishes what happens to the cache's entries as vLLM 0.32 does: ZeroMQ, three parts a message (topic, sequence number
/// from 0, msgpack). With a wildcard in the endpoint it binds, else it connects.
class KvPublisher {
 public:
  /// Errors: the reason in words, and no publisher.
  static std::unique_ptr<KvPublisher> open(const std::string& endpoint, std::int64_t block_size, std::string& error);
  virtual ~KvPublisher() = default;
  virtual void publish(const std::vector<CacheModel::Change>& changes, double wall_seconds) = 0;
  virtual void publish_cleared(double wall_seconds) = 0;
};

}  // namespace kvcliff::emulator
