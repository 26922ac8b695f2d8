// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <vector>

namespace kvcliff::workload {

/// Numbers blocks densely by their whole prefix: the same raw id after another block is another block.
/// Exact (parents and raw ids are compared, not hashes of them); about 4 ns per known block.
class ChainTable {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  ChainTable() : slots_(1024) {}

  /// Number of the block `raw` after the block numbered `parent` (none: the first of a prompt).
  std::uint32_t next(std::uint32_t parent, std::uint64_t raw) {
    // Most blocks are followed by the block that followed them last time.
    if (parent != none && likely_[parent] != none && raws_[likely_[parent]] == raw) return likely_[parent];
    std::size_t at = slot(parent, raw);
    while (slots_[at] != 0) {
      const std::uint32_t id = slots_[at] - 1;
      if (parents_[id] == parent && raws_[id] == raw) {
        if (parent != none) likely_[parent] = id;
        return id;
      }
      at = (at + 1) & (slots_.size() - 1);
    }
    const auto id = static_cast<std::uint32_t>(parents_.size());
    slots_[at] = id + 1;
    parents_.push_back(parent);
    raws_.push_back(raw);
    likely_.push_back(none);
    if (parent != none) likely_[parent] = id;
    if (2 * parents_.size() > slots_.size()) grow();
    return id;
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(parents_.size()); }
  const std::vector<std::uint32_t>& parents() const { return parents_; }
  const std::vector<std::uint64_t>& raws() const { return raws_; }
  std::vector<std::uint32_t> take_parents() { return std::move(parents_); }

 private:
  std::size_t slot(std::uint32_t parent, std::uint64_t raw) const {
    std::uint64_t x = raw * 0x9e3779b97f4a7c15ULL ^ (std::uint64_t{parent} + 0x7f4a7c15) * 0xbf58476d1ce4e5b9ULL;
    x ^= x >> 29;
    return static_cast<std::size_t>(x * 0x94d049bb133111ebULL >> 24) & (slots_.size() - 1);
  }
  void grow() {
    slots_.assign(slots_.size() * 2, 0);
    for (std::uint32_t id = 0; id < parents_.size(); ++id) {
      std::size_t at = slot(parents_[id], raws_[id]);
      while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = id + 1;
    }
  }

  std::vector<std::uint32_t> slots_;   // id + 1; 0: free
  std::vector<std::uint32_t> parents_, likely_;
  std::vector<std::uint64_t> raws_;
};

}  // namespace kvcliff::workload
