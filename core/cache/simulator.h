// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "cache/config.h"
#include "cache/gpu_pool.h"
#include "cache/host_tier.h"
#include "cache/key_table.h"

namespace kvcliff::cache {

/// What became of one request that ran alone.
struct Outcome {
  std::int64_t computed = 0;       ///< prompt tokens really run, at least 1
  std::int64_t gpu_hit = 0;        ///< tokens
  std::int64_t host_loaded = 0;    ///< tokens; after a full host hit the last one is recomputed as well
  std::int64_t stored_chunks = 0;  ///< host entries newly stored
  std::int64_t failed_stores = 0;  ///< attempts that found no room
  std::int64_t skipped_chunks = 0; ///< left out by the store threshold
  bool operator==(const Outcome&) const = default;
};

/// What happens to chunks and blocks, for whoever wants to know why. Ids are Simulator::id_of.
struct Events {
  std::function<void(KeyTable::Id)> gpu_evicted, host_evicted, host_stored, gpu_stored;
};

/// The two-tier prefix cache of vLLM with its native connector: one full-attention group, exact to the block.
/// `run` takes one request alone. The other functions take several in flight: the caller plays the engine's scheduler
/// (see EngineLoop) and says when transfers end. All counts are tokens, GPU blocks or host chunks as named.
class Simulator {
 public:
  using Id = std::uint64_t;            ///< request, chosen by the caller
  using Key = std::uint64_t;

  /// `seed` draws the order in which a job's keys return to the host LRU under HostTouch::unordered.
  explicit Simulator(const Config& config, std::uint64_t seed = 1, JobOrder order = JobOrder::random);

  /// Runs one request from look-up to the end of its transfers. Keys that are not given (of generated tokens) count as
  /// found by nobody. Errors: bad_usage when the request can never fit the pool.
  Result<Outcome> run(const Request& request);
  /// As `run` for requests known to fit.
  Outcome run_fitting(const Request& request);
  /// Why a request cannot run alone on this pool; nullopt when it can.
  std::optional<Error> misfit(const Request& request) const;

  struct Transfer {
    std::uint64_t job = 0;
    std::int64_t chunks = 0;
  };
  struct Admission {
    enum class Verdict { admitted, no_room, deferred } verdict = Verdict::no_room;
    std::int64_t gpu_tokens = 0, host_tokens = 0;  ///< found by this look-up, whatever the verdict
    std::optional<Transfer> load;                  ///< the request may step only after load_done
  };
  /// Looks `tokens` known tokens up (prompt; after a preemption also output) and takes the blocks of the hits. `keys`
  /// are their full blocks. `read` false: no look-up (prompt log-probabilities). no_room, deferred: nothing is held.
  Admission admit(Id id, std::span<const Key> keys, std::int64_t tokens, std::int64_t prompt_tokens, bool read = true);
  void load_done(std::uint64_t job);

  struct Step {
    bool scheduled = false;          ///< false: no free block, nothing changed; preempt somebody or wait
    std::optional<Transfer> store;   ///< readable only after store_done
    std::int64_t skipped = 0;        ///< chunks left out by the store threshold
    bool store_failed = false;
  };
  /// Runs `tokens` more tokens of the request. `keys` are all its chained keys known by now.
  Step step(Id id, std::int64_t tokens, std::span<const Key> keys);
  void store_done(std::uint64_t job);
  /// Ends the request: last offer, recency, blocks freed. `known_tokens` includes the last sampled token, which has no KV.
  Step finish(Id id, std::span<const Key> keys, std::int64_t known_tokens);
  /// Frees the blocks (they stay findable); the request is then admitted again with all its known tokens.
  void preempt(Id id);
  /// Tokens of the request that have KV, hits included.
  std::int64_t computed(Id id) const { return requests_.at(id).computed; }

  /// False while a request holds blocks; then nothing changes.
  bool reset_gpu();
  void reset_host();
  std::int64_t gpu_used() const { return gpu_.in_use(); }
  std::int64_t host_size() const { return host_.size(); }
  std::int64_t host_reading() const { return host_.reading(); }
  std::int64_t host_writing() const { return host_.writing(); }

  const Config& config() const { return config_; }
  /// The dense number of a key, as events name it.
  KeyTable::Id id_of(Key key) { return ids_.intern(key); }
  bool on_gpu(KeyTable::Id id) const { return gpu_.find(id) != GpuPool::none; }
  bool on_host(KeyTable::Id id) const { return host_.find(id) != HostTier::Found::miss; }
  /// Called as things happen; nullptr: nobody listens.
  void listen(const Events* events) { events_ = events; }

 private:
  struct Running {
    std::vector<KeyTable::Id> ids;       // of all known full blocks
    std::vector<KeyTable::Id> chunks;    // every blocks_per_chunk-th of them
    std::vector<std::uint8_t> flags;     // HostTier::Flag of each chunk
    std::vector<GpuPool::Block> blocks;
    std::int64_t computed = 0;           // tokens with KV, hits included
    std::int64_t hashed = 0;             // blocks visible to look-ups
    std::int64_t prompt = 0, tokens = 0;
    std::int64_t next_chunk = 0;         // first chunk not offered yet
    std::int64_t jobs = 0;               // transfers in flight
    std::int64_t loading_until = 0;      // tokens; 0: no load in flight
    bool prefilling = false;
    void clear();
  };
  struct Job {
    Id id = 0;
    bool is_load = false;
    std::vector<KeyTable::Id> chunks;
  };

  void learn(Running& r, std::span<const Key> keys);
  void learn_anonymous(Running& r, std::size_t blocks);
  void grow_chunks(Running& r);
  std::int64_t host_hits(Running& r, std::int64_t gpu_blocks, std::int64_t tokens, bool& deferred);
  Admission admit(Running& r, bool read, std::vector<KeyTable::Id>& load);
  void end_load(Running& r, std::vector<KeyTable::Id>& chunks);
  bool advance(Running& r, std::int64_t tokens);
  void take(Running& r, std::int64_t blocks);
  void publish(Running& r, std::int64_t tokens);
  bool offer(Running& r, std::int64_t tokens, bool at_end, std::vector<KeyTable::Id>& stored, Step& out);
  std::int64_t last_offer_tokens(const Running& r, std::int64_t known) const;
  std::int64_t blocks_for(std::int64_t tokens) const;
  std::int64_t reserved() const;
  std::optional<Transfer> keep_store(Id id, Running& r, std::vector<KeyTable::Id>& stored);

  Config config_;
  std::int64_t chunk_tokens_;
  KeyTable ids_;
  GpuPool gpu_;
  HostTier host_;
  const Events* events_ = nullptr;
  std::unordered_map<Id, Running> requests_;
  std::unordered_map<std::uint64_t, Job> jobs_;
  std::uint64_t next_job_ = 1;
  Running alone_;                                  // reused by run, so that it allocates nothing once warm
  std::vector<std::vector<KeyTable::Id>> stores_;  // of run: jobs in flight, oldest first
  std::vector<KeyTable::Id> scratch_, evicted_;
};

}  // namespace kvcliff::cache
