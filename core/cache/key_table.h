// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace kvcliff::cache {

/// Dense numbers for keys: 0, 1, 2, ... in order of first use. Open addressing with linear probing; never shrinks.
class KeyTable {
 public:
  using Id = std::uint32_t;

  KeyTable() : slots_(1024) {}

  Id intern(std::uint64_t key) {
    std::size_t at = slot(key);
    while (slots_[at].id_plus_1 != 0) {
      if (slots_[at].key == key) return slots_[at].id_plus_1 - 1;
      at = (at + 1) & (slots_.size() - 1);
    }
    slots_[at] = {key, ++count_};
    ++used_;
    const Id id = count_ - 1;
    if (2 * used_ > slots_.size()) grow();
    return id;
  }
  /// The number of a key that was met before.
  std::optional<Id> find(std::uint64_t key) const {
    for (std::size_t at = slot(key); slots_[at].id_plus_1 != 0; at = (at + 1) & (slots_.size() - 1))
      if (slots_[at].key == key) return slots_[at].id_plus_1 - 1;
    return std::nullopt;
  }
  /// A number for a block whose key nobody knows (generated tokens): it is never found again.
  Id anonymous() { return count_++; }
  std::uint32_t size() const { return count_; }
  /// Fetches the slot of a key ahead of its use; hides the memory's latency in long chains.
  void prefetch(std::uint64_t key) const { __builtin_prefetch(&slots_[slot(key)]); }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t id_plus_1 = 0;
  };
  // Keys may be small numbers (ids of a trace), so the bits are spread first.
  std::size_t slot(std::uint64_t key) const {
    key = (key ^ (key >> 32)) * 0x9e3779b97f4a7c15ULL;
    return static_cast<std::size_t>(key >> 20) & (slots_.size() - 1);
  }
  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& s : old) {
      if (s.id_plus_1 == 0) continue;
      std::size_t at = slot(s.key);
      while (slots_[at].id_plus_1 != 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = s;
    }
  }

  std::vector<Slot> slots_;
  std::uint32_t count_ = 0;  // numbers given out
  std::size_t used_ = 0;     // slots taken
};

}  // namespace kvcliff::cache
