// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace kvcliff::cache {

/// The host tier alone under HostTouch::finish (LRU, one block a chunk, prompts stored in one step), given what the GPU
/// hits: the same steps as HostTier through Simulator::run, over plain arrays of block ids. About 5 ns per block.
class HostFinish {
 public:
  HostFinish(std::int64_t capacity, std::uint32_t distinct);

  /// One request alone: its full blocks, the first `gpu` of which the GPU serves. Returns the blocks loaded.
  std::uint32_t request(std::span<const std::uint32_t> ids, std::uint32_t gpu);

 private:
  struct Node {
    std::uint32_t before = nil, after = absent;   // towards older, newer
  };
  static constexpr std::uint32_t nil = ~std::uint32_t{0}, absent = nil - 1;

  bool resident(std::uint32_t id) const { return nodes_[id].after != absent; }
  void push(std::uint32_t id);
  void unlink(std::uint32_t id);
  bool evict(std::int64_t count);

  std::int64_t capacity_, size_ = 0;
  std::uint32_t oldest_ = nil, newest_ = nil, offer_ = 0;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> protected_;          // id -> number of the offer that protects it
  std::vector<std::uint32_t> victims_;
};

}  // namespace kvcliff::cache
