// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <list>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "cache/config.h"
#include "cache/key_table.h"

namespace kvcliff::cache {

/// In which order a job's chunks return to the LRU under HostTouch::unordered: drawn, or one of the two extremes.
enum class JobOrder { random, head_newest, head_oldest };

/// Host entries of the native connector: which chunks are there, which are pinned by transfers, and which goes next.
/// LRU in the three manners of HostTouch, or ARC. A chunk is known by its number (of the key of its last block).
class HostTier {
 public:
  using Id = KeyTable::Id;
  enum class Found { miss, ready, writing };

  HostTier(const Config& config, std::uint64_t seed, JobOrder order = JobOrder::random);

  Found find(Id id) const;
  bool loading(Id id) const { return id < nodes_.size() && nodes_[id].list <= t2 && nodes_[id].users > 0; }
  /// As find, and counts the look-up where the store threshold asks for it.
  Found look_up(Id id);
  /// Makes the request's resident chunks recent, last to first. Has no effect under HostTouch::finish.
  void touch(std::span<const Id> chunks);

  void begin_load(std::span<const Id> chunks);
  void end_load(std::vector<Id>& chunks);

  struct Offer {
    bool stored = false;          ///< something was newly stored
    bool failed = false;          ///< no room: nothing changed, offer again
    std::int64_t skipped = 0;     ///< left out by the store threshold
  };
  /// Flags of a request's chunks, kept by the caller from its first offer to `finish`.
  enum Flag : std::uint8_t { recorded = 1, reused = 2, inserted = 4, missed = 8 };
  /// Offers `chunks`; `flags` are those of the same chunks. New ones are appended to `stored` and are not readable
  /// before end_store. Evicted chunks are appended to `evicted`.
  Offer offer(std::span<const Id> chunks, std::span<std::uint8_t> flags, std::vector<Id>& stored, std::vector<Id>& evicted);
  void end_store(std::vector<Id>& chunks);
  /// Recency of a finished request (HostTouch::finish): all its chunks with their flags, first to last.
  void finish(std::span<const Id> chunks, std::span<const std::uint8_t> flags);

  void reset();
  std::int64_t size() const { return resident_; }
  std::int64_t reading() const { return reading_; }
  std::int64_t writing() const { return writing_; }

 private:
  enum List : std::uint8_t { t1, t2, b1, b2, nowhere };  // LRU uses t1 only
  struct Node {
    std::uint32_t before = nil, after = nil;
    std::int32_t users = 0;          // -1 being written, > 0 being read
    std::uint32_t protected_in = 0;  // number of the offer that protects it
    List list = nowhere;
    bool linked = false;             // unordered LRU: only evictable chunks are in the list
  };
  struct Ends {
    std::uint32_t oldest = nil, newest = nil;
    std::int64_t size = 0;
  };
  static constexpr std::uint32_t nil = 0xffffffff;

  void grow(Id id);
  void push(List list, Id id);
  void unlink(Id id);
  void to_newest(Id id);
  void adapt(Id id);
  bool evict(std::int64_t count, std::vector<Id>& evicted);
  bool evict_arc(std::int64_t count, std::vector<Id>& evicted);
  void count_key(Id id);
  void mix(std::vector<Id>& job);
  bool free_to_go(Id id) const { return nodes_[id].users == 0 && nodes_[id].protected_in != offer_; }

  Config config_;
  Rng rng_;
  JobOrder job_order_;
  bool pinned_leave_;                // HostTouch::unordered with LRU
  std::vector<Node> nodes_;
  Ends lists_[4];
  double target_ = 0;                // ARC: wished size of t1
  std::int64_t resident_ = 0, reading_ = 0, writing_ = 0;
  std::uint32_t offer_ = 0;
  // Store threshold: how often a key was seen, forgotten in order of use beyond this many keys (vLLM's tracker size).
  static constexpr std::size_t most_counted = 64'000;
  std::list<std::pair<Id, std::int64_t>> counts_;
  std::unordered_map<Id, std::list<std::pair<Id, std::int64_t>>::iterator> counted_;
};

}  // namespace kvcliff::cache
