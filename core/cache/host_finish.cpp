// SPDX-License-Identifier: GPL-3.0-or-later
#include "cache/host_finish.h"

namespace kvcliff::cache {

HostFinish::HostFinish(std::int64_t capacity, std::uint32_t distinct) : capacity_(capacity), nodes_(distinct), protected_(distinct, 0) {}

void HostFinish::push(std::uint32_t id) {
  nodes_[id] = {newest_, nil};
  (newest_ == nil ? oldest_ : nodes_[newest_].after) = id;
  newest_ = id;
}

void HostFinish::unlink(std::uint32_t id) {
  const Node n = nodes_[id];
  (n.before == nil ? oldest_ : nodes_[n.before].after) = n.after;
  (n.after == nil ? newest_ : nodes_[n.after].before) = n.before;
}

// All or nothing: the oldest that this offer does not hold.
bool HostFinish::evict(std::int64_t count) {
  victims_.clear();
  for (std::uint32_t id = oldest_; id != nil && static_cast<std::int64_t>(victims_.size()) < count; id = nodes_[id].after)
    if (protected_[id] != offer_) victims_.push_back(id);
  if (static_cast<std::int64_t>(victims_.size()) < count) return false;
  for (const auto id : victims_) {
    unlink(id);
    nodes_[id].after = absent;
  }
  size_ -= count;
  return true;
}

std::uint32_t HostFinish::request(std::span<const std::uint32_t> ids, std::uint32_t gpu) {
  const auto full = static_cast<std::uint32_t>(ids.size());
  if (capacity_ <= 0) return 0;
  std::uint32_t end = gpu;
  while (end < full && resident(ids[end])) ++end;
  const std::uint32_t loaded = end - gpu;
  // Without a load everything is offered, GPU hits included; after a load only what lies behind it.
  const std::uint32_t offered = loaded > 0 ? end : 0;
  if (offered < full) {
    ++offer_;
    std::int64_t fresh = 0;
    for (std::uint32_t i = offered; i < full; ++i) {
      protected_[ids[i]] = offer_;
      fresh += !resident(ids[i]);
    }
    const std::int64_t need = fresh - (capacity_ - size_);
    if (fresh > 0 && (need <= 0 || (need <= size_ && evict(need)))) {
      for (std::uint32_t i = offered; i < full; ++i)
        if (!resident(ids[i])) push(ids[i]);
      size_ += fresh;
    }
  }
  // Recency at the finish: what was loaded or offered, last to first. What it offered and lost, or could not store, is
  // passed over.
  for (std::uint32_t i = full; i-- > (loaded > 0 ? gpu : 0);) {
    const std::uint32_t id = ids[i];
    if (!resident(id) || newest_ == id) continue;
    unlink(id);
    push(id);
  }
  return loaded;
}

}  // namespace kvcliff::cache
