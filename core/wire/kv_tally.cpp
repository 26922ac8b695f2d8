// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/kv_tally.h"

#include <algorithm>

namespace kvcliff::wire {

KvTally::Medium KvTally::of(const std::string& medium) const {
  const auto it = media_.find(medium);
  return it == media_.end() ? Medium() : it->second;
}

void KvTally::add(std::uint64_t sequence, const KvEventBatch& batch) {
  if (!seen_.insert(sequence).second) return;  // replayed
  for (const auto& e : batch.events) {
    if (e.kind == KvEvent::Kind::cleared) {
      ++cleared_;
      // Said of the GPU's cache; the host tier keeps its entries.
      held_["GPU"].clear();
      media_["GPU"].resident = 0;
      continue;
    }
    auto& m = media_[e.medium];
    auto& held = held_[e.medium];
    for (const auto hash : e.blocks) {
      if (e.kind == KvEvent::Kind::stored) {
        ++m.stored;
        ++held[hash];
        m.most_resident = std::max(m.most_resident, ++m.resident);
        continue;
      }
      ++m.removed;
      const auto it = held.find(hash);
      if (it == held.end()) {
        ++m.strangers;
        continue;
      }
      if (--it->second == 0) held.erase(it);
      --m.resident;
    }
  }
}

void KvTally::add_unreadable(std::uint64_t sequence) {
  if (seen_.insert(sequence).second) ++unreadable_;
}

}  // namespace kvcliff::wire
