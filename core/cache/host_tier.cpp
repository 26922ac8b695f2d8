// SPDX-License-Identifier: GPL-3.0-or-later
#include "cache/host_tier.h"

#include <algorithm>
#include <utility>

namespace kvcliff::cache {

HostTier::HostTier(const Config& config, std::uint64_t seed, JobOrder order)
    : config_(config), rng_(seed), job_order_(order),
      pinned_leave_(config.policy == Policy::lru && config.host_touch == HostTouch::unordered) {}

void HostTier::grow(Id id) {
  if (id >= nodes_.size()) nodes_.resize(std::max<std::size_t>(id + 1, nodes_.size() * 2));
}

void HostTier::push(List list, Id id) {
  Node& n = nodes_[id];
  Ends& e = lists_[list];
  n.list = list;
  n.linked = true;
  n.before = e.newest;
  n.after = nil;
  (e.newest == nil ? e.oldest : nodes_[e.newest].after) = id;
  e.newest = id;
  ++e.size;
}

void HostTier::unlink(Id id) {
  Node& n = nodes_[id];
  Ends& e = lists_[n.list];
  (n.before == nil ? e.oldest : nodes_[n.before].after) = n.after;
  (n.after == nil ? e.newest : nodes_[n.after].before) = n.before;
  n.linked = false;
  --e.size;
}

void HostTier::to_newest(Id id) {
  const List list = nodes_[id].list;
  if (lists_[list].newest == id) return;
  unlink(id);
  push(list, id);
}

HostTier::Found HostTier::find(Id id) const {
  if (id >= nodes_.size() || nodes_[id].list > t2) return Found::miss;
  return nodes_[id].users < 0 ? Found::writing : Found::ready;
}

HostTier::Found HostTier::look_up(Id id) {
  if (config_.store_threshold >= 2 && !config_.threshold_counts_offers) count_key(id);
  return find(id);
}

void HostTier::count_key(Id id) {
  const auto it = counted_.find(id);
  if (it != counted_.end()) {
    ++it->second->second;
    counts_.splice(counts_.end(), counts_, it->second);
    return;
  }
  if (counts_.size() >= most_counted) {
    counted_.erase(counts_.front().first);
    counts_.pop_front();
  }
  counted_[id] = counts_.insert(counts_.end(), {id, 1});
}

// ARC learns where it evicted too early: a key met again among the ghosts moves the wished size of t1.
void HostTier::adapt(Id id) {
  const List list = nodes_[id].list;
  if (list != b1 && list != b2) return;
  const auto ones = static_cast<double>(lists_[b1].size), twos = static_cast<double>(lists_[b2].size);
  if (list == b1)
    target_ = std::min(target_ + std::max(1.0, twos / ones), static_cast<double>(config_.host_chunks));
  else
    target_ = std::max(target_ - std::max(1.0, ones / twos), 0.0);
  to_newest(id);
}

void HostTier::touch(std::span<const Id> chunks) {
  if (config_.host_touch == HostTouch::finish) return;
  for (std::size_t i = chunks.size(); i-- > 0;) {
    const Id id = chunks[i];
    if (id >= nodes_.size() || nodes_[id].list == nowhere) continue;
    Node& n = nodes_[id];
    if (config_.policy == Policy::lru) {
      if (n.linked) to_newest(id);
    } else if (n.list == t1 && n.users >= 0) {
      unlink(id);
      push(t2, id);
    } else if (n.list <= t2) {
      to_newest(id);  // a chunk that is only just being stored was not used twice
    } else {
      adapt(id);
    }
  }
}

void HostTier::begin_load(std::span<const Id> chunks) {
  for (const Id id : chunks) {
    Node& n = nodes_[id];
    if (n.users++ > 0) continue;
    ++reading_;
    if (pinned_leave_) unlink(id);
  }
}

// The engine keeps a job's keys in a set of hashes, so they come back in no particular order.
void HostTier::mix(std::vector<Id>& job) {
  if (job_order_ == JobOrder::head_newest)
    std::reverse(job.begin(), job.end());
  else if (job_order_ == JobOrder::random)
    for (std::size_t i = job.size(); i > 1; --i) std::swap(job[i - 1], job[rng_.below(i)]);
}

void HostTier::end_load(std::vector<Id>& chunks) {
  if (pinned_leave_) mix(chunks);
  for (const Id id : chunks) {
    if (find(id) != Found::ready || nodes_[id].users == 0) continue;  // the tier was emptied meanwhile
    Node& n = nodes_[id];
    if (--n.users > 0) continue;
    --reading_;
    if (pinned_leave_) push(t1, id);
  }
}

HostTier::Offer HostTier::offer(std::span<const Id> chunks, std::span<std::uint8_t> flags, std::vector<Id>& stored,
                                std::vector<Id>& evicted) {
  Offer out;
  ++offer_;
  const bool threshold = config_.store_threshold >= 2;
  const bool at_finish = config_.host_touch == HostTouch::finish;
  const std::size_t first_new = stored.size();
  for (const Id id : chunks) {
    grow(id);
    if (threshold && config_.threshold_counts_offers) count_key(id);
  }
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const Id id = chunks[i];
    Node& n = nodes_[id];
    const bool resident = n.list <= t2;
    if (threshold && (!resident || !config_.threshold_counts_offers)) {
      const auto it = counted_.find(id);
      if (it == counted_.end() || it->second->second < config_.store_threshold) {
        ++out.skipped;
        if (!resident || !config_.threshold_counts_offers) continue;
      }
    }
    if (config_.protect_input_keys) n.protected_in = offer_;
    if (!resident) {
      stored.push_back(id);
      flags[i] |= recorded;
    } else if (n.users >= 0) {
      flags[i] |= static_cast<std::uint8_t>((flags[i] & inserted) ? recorded : recorded | reused);
    }
  }
  if (at_finish && config_.policy == Policy::arc)  // once per request and key, before the ghost is forgotten
    for (std::size_t i = chunks.size(); i-- > 0;)
      if (nodes_[chunks[i]].list > t2 && (flags[i] & recorded) && !(flags[i] & missed)) {
        adapt(chunks[i]);
        flags[i] |= missed;
      }
  const auto fresh = static_cast<std::int64_t>(stored.size() - first_new);
  if (fresh == 0) return out;
  const std::int64_t need = fresh - (config_.host_chunks - resident_);
  if (need > 0 && (need > resident_ - reading_ - writing_ ||
                   !(config_.policy == Policy::lru ? evict(need, evicted) : evict_arc(need, evicted)))) {
    stored.resize(first_new);
    out.failed = true;
    return out;
  }
  for (std::size_t k = first_new; k < stored.size(); ++k) {
    Node& n = nodes_[stored[k]];
    if (n.list != nowhere) unlink(stored[k]);
    push(t1, stored[k]);
    if (pinned_leave_) unlink(stored[k]);
    n.users = -1;
  }
  if (at_finish)
    for (std::size_t i = 0; i < chunks.size(); ++i)
      if (nodes_[chunks[i]].users < 0 && (flags[i] & recorded) && !(flags[i] & reused)) flags[i] |= inserted;
  resident_ += fresh;
  writing_ += fresh;
  out.stored = true;
  return out;
}

bool HostTier::evict(std::int64_t count, std::vector<Id>& evicted) {
  const std::size_t first = evicted.size();
  for (std::uint32_t id = lists_[t1].oldest; id != nil && count > 0; id = nodes_[id].after)
    if (free_to_go(id)) {
      evicted.push_back(id);
      --count;
    }
  if (count > 0) {
    evicted.resize(first);
    return false;
  }
  for (std::size_t k = first; k < evicted.size(); ++k) {
    unlink(evicted[k]);
    nodes_[evicted[k]].list = nowhere;
    --resident_;
  }
  return true;
}

bool HostTier::evict_arc(std::int64_t count, std::vector<Id>& evicted) {
  const std::size_t first = evicted.size();
  std::int64_t size = lists_[t1].size;
  std::uint32_t at[2]{lists_[t1].oldest, lists_[t2].oldest};
  const auto next = [&](int which) {
    while (at[which] != nil && !free_to_go(at[which])) at[which] = nodes_[at[which]].after;
    if (at[which] == nil) return false;
    evicted.push_back(at[which]);
    at[which] = nodes_[at[which]].after;
    return true;
  };
  for (; count > 0; --count) {
    if (size >= static_cast<std::int64_t>(target_) && next(t1)) {
      --size;
      continue;
    }
    if (next(t2)) continue;
    // Releases before recency moved to the finish give up here, although t1 may still hold something.
    if (config_.host_touch != HostTouch::finish || !next(t1)) {
      evicted.resize(first);
      return false;
    }
    --size;
  }
  for (std::size_t k = first; k < evicted.size(); ++k) {
    const List ghost = nodes_[evicted[k]].list == t1 ? b1 : b2;
    unlink(evicted[k]);
    push(ghost, evicted[k]);
    --resident_;
  }
  for (const List ghost : {b1, b2})
    while (lists_[ghost].size > config_.host_chunks) {
      const Id id = lists_[ghost].oldest;
      unlink(id);
      nodes_[id].list = nowhere;
    }
  return true;
}

void HostTier::end_store(std::vector<Id>& chunks) {
  if (pinned_leave_) mix(chunks);
  for (const Id id : chunks) {
    if (find(id) != Found::writing) continue;  // the tier was emptied meanwhile
    Node& n = nodes_[id];
    n.users = 0;
    --writing_;
    if (pinned_leave_) push(t1, id);
  }
}

void HostTier::finish(std::span<const Id> chunks, std::span<const std::uint8_t> flags) {
  if (config_.host_touch != HostTouch::finish) return;
  for (std::size_t i = std::min(chunks.size(), flags.size()); i-- > 0;) {
    const Id id = chunks[i];
    if (!(flags[i] & recorded) || id >= nodes_.size() || nodes_[id].list > t2) continue;
    if (config_.policy == Policy::lru) {
      to_newest(id);
    } else if ((flags[i] & inserted) && !(flags[i] & reused)) {
      to_newest(id);
    } else if (flags[i] & reused) {
      unlink(id);
      push(t2, id);
    }
  }
}

void HostTier::reset() {
  nodes_.clear();
  for (Ends& e : lists_) e = {};
  target_ = 0;
  resident_ = reading_ = writing_ = 0;
}

}  // namespace kvcliff::cache
