// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <list>
#include <optional>
#include <unordered_map>
#include <vector>

#include "cache/other_tiers.h"

namespace kvcliff::cache {

/// vLLM's SimpleCPUOffloadConnector in its lazy mode. From source, not verified live.
///
/// Nothing is stored because it was computed. In every step, after the step's blocks were taken, a cursor walks on along
/// the GPU's free queue, from the end where blocks are taken next, over at most `target` blocks (twice those of
/// max_batched_tokens, 8,192 where the configuration leaves it open), and copies what the host lacks. Copied blocks are
/// held meanwhile, so that they come back to the other end of the queue: what was copied is taken last. The cursor begins
/// anew when its own block was taken. The host is a block pool too; loads and stores alone make its blocks recent.
class LazyTier final : public OtherTier {
 public:
  /// Blocks of either tier that are modelled: each is an object here.
  static constexpr std::int64_t most_blocks = 1 << 22;

  explicit LazyTier(const Config& config);
  Outcome run(const Request& request) override;
  void reset_gpu() override;
  void reset_host() override;
  bool on_gpu(std::uint64_t key) const override { return gpu_.find(key).has_value(); }
  bool on_host(std::uint64_t key) const override { return host_.find(key).has_value(); }

 private:
  struct Pool {
    struct Block {
      std::optional<std::uint64_t> key;
      int users = 0;
      std::list<int>::iterator place;   // in free, while users == 0
    };
    Pool(std::int64_t capacity, FreeOrder order);
    std::optional<int> find(std::uint64_t key) const;
    void hold(int b);
    int take();
    void give(int b);
    void publish(int b, std::uint64_t key);

    FreeOrder order;
    std::vector<Block> blocks;
    std::list<int> free;                // front: taken next
    std::unordered_map<std::uint64_t, std::vector<int>> table;  // blocks with this key, oldest first
  };
  std::int64_t walk();

  Config config_;
  Pool gpu_, host_;
  std::int64_t target_;
  std::optional<int> cursor_;
  std::uint64_t anonymous_ = 0;
};

}  // namespace kvcliff::cache
