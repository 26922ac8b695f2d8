// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace kvcliff::workload {

/// Numbers blocks densely by their whole prefix: the same raw id after another block is another block. Exact: parents
/// and raw ids are compared, not hashes of them.
///
/// Traces as a rule number their blocks from 0 and already as a prefix tree: such an id is found in a plain array at its
/// own number, which is read in order. Only large ids, and ids met again behind another block, go through a hash table.
class ChainTable {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  ChainTable() : slots_(1024) {}

  /// Number of the block `raw` after the block numbered `parent` (none: the first of a prompt).
  std::uint32_t next(std::uint32_t parent, std::uint64_t raw) {
    if (raw >= first_.size() && raw < small_limit()) widen(raw);
    const bool small = raw < first_.size();
    if (small) {
      const std::uint32_t id = first_[raw];
      if (id == none) return first_[raw] = add(parent, raw);
      if (parents_[id] == parent) return id;
    }
    std::size_t at = slot(parent, raw);
    while (slots_[at].id_plus_1 != 0) {
      const Slot& s = slots_[at];
      if (s.parent == parent && s.raw == raw) return s.id_plus_1 - 1;
      at = (at + 1) & (slots_.size() - 1);
    }
    const std::uint32_t id = add(parent, raw);
    slots_[at] = {raw, parent, id + 1};
    if (2 * ++used_ > slots_.size()) grow();
    return id;
  }

  /// Numbers of a whole prompt's blocks, appended to `to`.
  void append(std::span<const std::uint64_t> raws, std::vector<std::uint32_t>& to) {
    const std::size_t before = to.size();
    to.resize(before + raws.size());
    std::uint32_t* out = to.data() + before;
    std::uint32_t parent = none;
    const std::uint32_t* first = first_.data();
    std::size_t small = first_.size();
    const std::uint32_t* parents = parents_.data();
    for (const std::uint64_t raw : raws) {
      // A block known in the plain way, as most are; the others may move the tables.
      std::uint32_t id = raw < small ? first[raw] : none;
      if (id == none || parents[id] != parent) {
        id = next(parent, raw);
        first = first_.data();
        small = first_.size();
        parents = parents_.data();
      }
      *out++ = parent = id;
    }
  }

  void reserve(std::size_t blocks) {
    parents_.reserve(blocks);
    raws_.reserve(blocks);
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(parents_.size()); }
  const std::vector<std::uint32_t>& parents() const { return parents_; }
  const std::vector<std::uint64_t>& raws() const { return raws_; }
  std::vector<std::uint32_t> take_parents() { return std::move(parents_); }

 private:
  struct Slot {
    std::uint64_t raw = 0;
    std::uint32_t parent = 0, id_plus_1 = 0;
  };
  // The array stays within a few entries per known block, so that one large id does not cost gigabytes.
  std::uint64_t small_limit() const { return 8 * static_cast<std::uint64_t>(parents_.size()) + 65'536; }
  std::uint32_t add(std::uint32_t parent, std::uint64_t raw) {
    parents_.push_back(parent);
    raws_.push_back(raw);
    return static_cast<std::uint32_t>(parents_.size() - 1);
  }
  // Blocks that were too large for the array before are entered where they are the first of their raw id.
  void widen(std::uint64_t raw) {
    const std::size_t before = first_.size();
    first_.resize(static_cast<std::size_t>(raw + 1 + raw / 2), none);
    if (used_ == 0) return;
    for (std::uint32_t id = 0; id < raws_.size(); ++id)
      if (raws_[id] >= before && raws_[id] < first_.size() && first_[raws_[id]] == none) first_[raws_[id]] = id;
  }
  std::size_t slot(std::uint32_t parent, std::uint64_t raw) const {
    std::uint64_t x = raw * 0x9e3779b97f4a7c15ULL ^ (std::uint64_t{parent} + 0x7f4a7c15) * 0xbf58476d1ce4e5b9ULL;
    x ^= x >> 29;
    return static_cast<std::size_t>(x * 0x94d049bb133111ebULL >> 24) & (slots_.size() - 1);
  }
  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& s : old) {
      if (s.id_plus_1 == 0) continue;
      std::size_t at = slot(s.parent, s.raw);
      while (slots_[at].id_plus_1 != 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = s;
    }
  }

  std::vector<std::uint32_t> first_;   // small raw id -> first block with it; none
  std::vector<Slot> slots_;
  std::size_t used_ = 0;
  std::vector<std::uint32_t> parents_;
  std::vector<std::uint64_t> raws_;
};

}  // namespace kvcliff::workload
