// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace kvcliff::workload {

/// LRU stack distances of a stream of keys: the number of distinct keys referenced since the last reference of this
/// one, itself included (1: it was the last one referenced). O(log distinct) per reference, memory O(distinct).
class DistanceMeter {
 public:
  DistanceMeter();
  /// Distance of this reference, or -1 when the key was never referenced; the reference is then recorded.
  std::int64_t reference(std::uint64_t key);
  /// References the blocks of one request last to first, as engines free them, so that the first block ends as the most
  /// recent. Returns the largest distance over the blocks that were referenced before: with an LRU cache of at least
  /// this many blocks all of them are still there. -1 when none was referenced before.
  std::int64_t request(std::span<const std::uint64_t> keys);
  std::int64_t distinct() const { return static_cast<std::int64_t>(last_.size()); }

 private:
  void add(std::size_t position, std::int64_t amount);
  std::int64_t sum_to(std::size_t position) const;
  void compact();

  std::unordered_map<std::uint64_t, std::size_t> last_;  // key -> time of its last reference
  std::vector<std::int64_t> tree_;                       // Fenwick tree over time: 1 where a key was last referenced
  std::size_t now_ = 1;
};

}  // namespace kvcliff::workload
