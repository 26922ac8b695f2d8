// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cache/config.h"

namespace kvcliff::emulator {

/// The two-tier cache behind the server, as steps of an engine. The server uses core/cache; the tests also run it with
/// a cache written independently. Units: tokens, host chunks. All calls come from one thread.
class CacheModel {
 public:
  using Key = std::uint64_t;        ///< chained hash of one full block
  using Id = std::uint64_t;
  struct Transfer {
    std::uint64_t job = 0;
    std::int64_t chunks = 0;        ///< > 0
  };
  struct Admission {
    enum class Verdict { admitted, no_room, deferred } verdict = Verdict::no_room;
    std::int64_t gpu_tokens = 0;    ///< found by this look-up, whatever the verdict
    std::int64_t host_tokens = 0;
    std::optional<Transfer> load;   ///< the request may step only after load_done
  };
  struct Step {
    bool scheduled = false;         ///< false: no free block; nothing changed
    std::optional<Transfer> store;
    std::int64_t skipped = 0;       ///< chunks below the store threshold
    bool store_failed = false;      ///< the host tier had no room; it is tried again later
  };
  struct Gauges {
    std::int64_t gpu_used = 0;      ///< blocks held by requests
    std::int64_t host_reading = 0;  ///< chunks pinned by loads
    std::int64_t host_writing = 0;  ///< chunks pinned by stores
  };

  /// One entry that came or went: a block of the GPU, a chunk of the host tier.
  struct Change {
    bool host = false, stored = false;
    std::uint64_t entry = 0;
  };

  virtual ~CacheModel() = default;
  /// From now on changes are kept until they are taken, in their order. A model without them gives none.
  virtual void record_changes() {}
  virtual std::vector<Change> take_changes() { return {}; }
  /// `tokens` known tokens: the prompt, after a preemption also output. `read` false skips the look-up.
  virtual Admission admit(Id id, std::span<const Key> keys, std::int64_t tokens, std::int64_t prompt_tokens, bool read) = 0;
  virtual void load_done(std::uint64_t job) = 0;
  /// Runs `tokens` more tokens; `keys` are all chained keys known now.
  virtual Step step(Id id, std::int64_t tokens, std::span<const Key> keys) = 0;
  virtual void store_done(std::uint64_t job) = 0;
  /// `known_tokens` includes the last sampled token, which has no KV. Also for aborted requests.
  virtual Step finish(Id id, std::span<const Key> keys, std::int64_t known_tokens) = 0;
  virtual void preempt(Id id) = 0;
  /// False while blocks are held: nothing is emptied then.
  virtual bool reset(bool host_too) = 0;
  virtual Gauges gauges() const = 0;
};

using CacheFactory = std::function<std::unique_ptr<CacheModel>(const cache::Config&, std::uint64_t seed)>;

}  // namespace kvcliff::emulator
