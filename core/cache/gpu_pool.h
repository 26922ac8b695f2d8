// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "cache/config.h"
#include "cache/key_table.h"

namespace kvcliff::cache {

/// The GPU's blocks with their free queue. Freeing never evicts: a free block keeps its key until it is taken again,
/// from the front of the queue. The queue is, front to back: blocks without a key (order `prepend`), blocks never used
/// yet, then freed blocks in order of release. Blocks that were never used are only counted, so a pool may be huge.
class GpuPool {
 public:
  using Id = KeyTable::Id;
  using Block = std::int32_t;
  static constexpr Block none = -1;

  GpuPool(std::int64_t capacity, FreeOrder order);

  std::int64_t capacity() const { return capacity_; }
  std::int64_t free_count() const { return free_; }
  std::int64_t in_use() const { return capacity_ - free_; }
  /// Block that a look-up of `id` finds: the oldest of equal ones; none.
  Block find(Id id) const { return id < first_.size() ? first_[id] : none; }
  bool is_free(Block b) const { return blocks_[static_cast<std::size_t>(b)].users == 0; }
  void hold(Block b);
  /// Takes the front of the queue; `evicted` is set to the id it held, if any. Needs free_count() > 0.
  Block take(std::int64_t& evicted);
  void publish(Block b, Id id);
  bool has_key(Block b) const { return blocks_[static_cast<std::size_t>(b)].id >= 0; }
  /// Releases the blocks of a request, given in the order of its tokens: last to first.
  void release(std::span<const Block> blocks);
  /// False while a block is held; then nothing changes.
  bool reset();

 private:
  struct Node {
    std::int64_t id = -1;     // key it holds, or -1
    std::int32_t users = 0;
    Block before = none, after = none;  // free queue, while users == 0
    Block twin = none;        // next younger block with the same key
  };
  void append(Block b);
  void unlink(Block b);
  void forget(Block b);

  std::int64_t capacity_;
  FreeOrder order_;
  std::int64_t free_;
  std::vector<Node> blocks_;   // those used at least once
  std::vector<Block> empty_;   // prepended blocks without a key, next one last
  Block head_ = none, tail_ = none;
  std::vector<Block> first_;   // id -> oldest block with this key
};

}  // namespace kvcliff::cache
