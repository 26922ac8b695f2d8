// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "base/hash.h"
#include "cache/config.h"

namespace kvcliff::test {

/// A second, independent model of the two-tier prefix cache (native tier, LRU and ARC), written for clarity with
/// std::list and std::map and compared with core/cache in the tests, so that one mistake cannot hide in both.
/// Units: tokens, GPU blocks, host chunks. Not fast, no reasons, one full-attention group.
class NaiveCache {
 public:
  using Key = std::uint64_t;
  using Id = std::uint64_t;

  explicit NaiveCache(const cache::Config& config, std::uint64_t seed = 1);

  struct Transfer {
    std::uint64_t job = 0;
    std::int64_t chunks = 0;
  };
  struct Admission {
    enum class Verdict { admitted, no_room, deferred } verdict = Verdict::no_room;
    std::int64_t gpu_tokens = 0, host_tokens = 0;  ///< found by this look-up, whatever the verdict
    std::optional<Transfer> load;                  ///< the request may step only after load_done
  };
  /// Looks `tokens` known tokens up (prompt, and after a preemption also output) and takes the blocks of the hits.
  /// `read` false: the look-up is skipped (prompt log-probabilities).
  Admission admit(Id id, std::span<const Key> keys, std::int64_t tokens, std::int64_t prompt_tokens, bool read = true);
  void load_done(std::uint64_t job);

  struct Step {
    bool scheduled = false;  ///< false: no free block, nothing changed; preempt somebody or wait
    std::optional<Transfer> store;
    std::int64_t skipped = 0;  ///< chunks not offered because of the store threshold
    bool store_failed = false;
  };
  /// Runs `tokens` more tokens; `keys` are all chained keys known now (only full blocks that are computed get used).
  Step step(Id id, std::int64_t tokens, std::span<const Key> keys);
  void store_done(std::uint64_t job);
  /// Frees the blocks. `known_tokens` includes the last sampled token, which has no KV.
  Step finish(Id id, std::span<const Key> keys, std::int64_t known_tokens);
  void preempt(Id id);
  /// Tokens of the request that have KV, hits included.
  std::int64_t computed(Id id) const { return requests_.at(id).computed; }

  /// False while a request holds blocks; then nothing changes.
  bool reset_gpu();
  void reset_host();
  std::int64_t gpu_used() const { return config_.gpu_blocks - static_cast<std::int64_t>(free_.size()); }
  std::int64_t host_reading() const;
  std::int64_t host_writing() const;
  std::int64_t host_size() const { return static_cast<std::int64_t>(host_.size()); }

  struct Outcome {
    std::int64_t computed = 0, gpu_hit = 0, host_loaded = 0, stored = 0, failed = 0, skipped = 0;
    bool operator==(const Outcome&) const = default;
  };
  /// One request alone, all transfers done before it returns. Throws std::runtime_error when it can never fit.
  Outcome run(const cache::Request& request);

 private:
  struct Block {
    std::optional<Key> key;
    int refs = 0;
    std::list<int>::iterator place;  ///< in free_, valid while refs == 0
  };
  struct Entry {
    bool ready = false;
    int readers = 0;
  };
  struct Running {
    std::vector<int> blocks;
    std::vector<Key> known;      ///< all keys seen so far
    std::int64_t computed = 0;   ///< tokens with KV, hits included
    std::int64_t hashed = 0;     ///< blocks already visible in the GPU table
    std::int64_t prompt = 0, tokens = 0;
    std::int64_t next_chunk = 0;
    std::vector<Key> recent;     ///< chunks loaded or offered, in chain order (recency at finish)
    bool loading = false;
    std::int64_t loaded_until = 0;
  };
  struct Job {
    Id id = 0;
    bool is_load = false;
    std::vector<Key> keys;
  };

  int take_block();
  void touch_block(int b);
  void release(Running& r);
  void publish(Running& r, std::int64_t tokens);
  std::vector<Key> chunk_keys(std::span<const Key> keys) const;
  void offer(Running& r, Id id, std::int64_t tokens, Step& out);
  void host_touch(std::span<const Key> keys);
  bool make_room(std::size_t wanted, const std::set<Key>& protect);
  void insert(const std::vector<Key>& keys);
  void to_newest(Key k);

  cache::Config config_;
  Rng rng_;
  std::vector<Block> blocks_;
  std::list<int> free_;                        ///< front is taken next
  std::map<Key, std::vector<int>> table_;      ///< GPU: key -> blocks in order of insertion
  std::map<Key, Entry> host_;
  std::list<Key> old_to_new_;                  ///< LRU; for ARC: T1
  std::list<Key> frequent_, ghosts1_, ghosts2_;  ///< ARC: T2, B1, B2
  double target_ = 0;                          ///< ARC: wished size of T1
  std::map<Key, std::int64_t> seen_;           ///< store threshold
  std::map<Id, Running> requests_;
  std::map<std::uint64_t, Job> jobs_;
  std::uint64_t next_job_ = 1, next_id_ = std::uint64_t{1} << 62;
};

}  // namespace kvcliff::test
