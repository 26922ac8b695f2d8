// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cache/other_tiers.h"

namespace kvcliff::cache {

/// SGLang's radix cache with HiCache, in pages of one block or several: runs of pages are nodes of a tree, whole leaves are
/// evicted, least recently used first. From source, not verified live.
class RadixTier final : public OtherTier {
 public:
  explicit RadixTier(const Config& config);
  Outcome run(const Request& request) override;
  void reset_gpu() override;
  void reset_host() override;
  bool on_gpu(std::uint64_t key) const override { return holds(key, true); }
  bool on_host(std::uint64_t key) const override { return holds(key, false); }

 private:
  struct Node {
    std::vector<std::uint64_t> keys;   // a run of pages
    Node* parent = nullptr;
    std::map<std::uint64_t, std::unique_ptr<Node>> children;  // by their first key
    bool gpu = false, host = false, locked = false;
    std::int64_t used = 0;             // time of the last use
    std::int64_t hits = 0;
    std::int64_t size() const { return static_cast<std::int64_t>(keys.size()); }
  };
  Node* split(Node* node, std::size_t at);
  std::vector<Node*> match(const std::vector<std::uint64_t>& keys, std::size_t limit);
  bool free_gpu(std::int64_t pages);
  bool free_host(std::int64_t pages);
  bool back_up(Node* node);
  void collect(Node* node, std::vector<Node*>& out);
  void drop(Node* node);
  bool holds(std::uint64_t key, bool gpu) const;

  Config config_;
  std::int64_t page_blocks_, gpu_pages_, host_pages_;
  std::unique_ptr<Node> root_;
  std::int64_t gpu_used_ = 0, host_used_ = 0, stored_ = 0, now_ = 0;
  std::uint64_t anonymous_ = 0;
  // Which pages are where, gathered when it is asked for; empty: not since the last change.
  mutable std::unordered_map<std::uint64_t, std::pair<bool, bool>> places_;
};

}  // namespace kvcliff::cache
