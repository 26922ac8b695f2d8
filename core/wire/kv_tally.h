// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "wire/kv_events.h"

namespace kvcliff::wire {

/// What the KV events of one server add up to. Messages go in by their order of arrival.
class KvTally {
 public:
  /// Of one medium ("GPU", "CPU"). Blocks of the GPU, chunks of the host tier.
  struct Medium {
    std::int64_t stored = 0, removed = 0;
    std::int64_t resident = 0, most_resident = 0;   ///< entries at the end; at most. A hash may lie there more than once
    std::int64_t strangers = 0;                     ///< removed without having been stored
  };
  void add(std::uint64_t sequence, const KvEventBatch& batch);
  /// A message that could not be read counts, so that it is not taken for a lost one.
  void add_unreadable(std::uint64_t sequence);

  const std::map<std::string, Medium>& media() const { return media_; }
  Medium of(const std::string& medium) const;
  std::int64_t messages() const { return static_cast<std::int64_t>(seen_.size()); }
  /// Messages that never came: the publisher counts from 0 without a gap. The last ones cannot be missed this way.
  std::int64_t lost() const { return seen_.empty() ? 0 : static_cast<std::int64_t>(*seen_.rbegin()) + 1 - messages(); }
  std::int64_t unreadable() const { return unreadable_; }
  std::int64_t cleared() const { return cleared_; }

 private:
  std::map<std::string, Medium> media_;
  std::map<std::string, std::unordered_map<std::uint64_t, std::int64_t>> held_;
  std::set<std::uint64_t> seen_;
  std::int64_t unreadable_ = 0, cleared_ = 0;
};

}  // namespace kvcliff::wire
