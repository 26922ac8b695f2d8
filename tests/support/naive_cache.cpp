// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/naive_cache.h"

#include <algorithm>
#include <stdexcept>

namespace kvcliff::test {
using cache::FreeOrder;
using cache::HostTouch;
using cache::Policy;

namespace {
bool erase_from(std::list<std::uint64_t>& list, std::uint64_t key) {
  const auto at = std::find(list.begin(), list.end(), key);
  if (at == list.end()) return false;
  list.erase(at);
  return true;
}
bool contains(const std::list<std::uint64_t>& list, std::uint64_t key) {
  return std::find(list.begin(), list.end(), key) != list.end();
}
}  // namespace

NaiveCache::NaiveCache(const cache::Config& config, std::uint64_t seed) : config_(config), rng_(seed) {
  blocks_.resize(static_cast<std::size_t>(config.gpu_blocks));
  for (int b = 0; b < config.gpu_blocks; ++b) blocks_[b].place = free_.insert(free_.end(), b);
}

// ---- GPU pool -------------------------------------------------------------------------------------------------

int NaiveCache::take_block() {
  const int b = free_.front();
  free_.pop_front();
  Block& block = blocks_[b];
  if (block.key) {  // eviction happens here and only here
    auto& same = table_[*block.key];
    same.erase(std::find(same.begin(), same.end(), b));
    if (same.empty()) table_.erase(*block.key);
    block.key.reset();
  }
  block.refs = 1;
  return b;
}

void NaiveCache::touch_block(int b) {
  if (blocks_[b].refs++ == 0) free_.erase(blocks_[b].place);
}

void NaiveCache::release(Running& r) {
  auto front = free_.begin();  // unhashed blocks go before what was first, tail first among themselves
  for (auto it = r.blocks.rbegin(); it != r.blocks.rend(); ++it) {
    Block& block = blocks_[*it];
    if (--block.refs > 0) continue;
    const bool first = !block.key && config_.free_order == FreeOrder::prepend;
    block.place = free_.insert(first ? front : free_.end(), *it);
  }
  r.blocks.clear();
}

void NaiveCache::publish(Running& r, std::int64_t tokens) {
  const auto full = std::min<std::int64_t>(tokens / config_.block_size, static_cast<std::int64_t>(r.known.size()));
  for (; r.hashed < full; ++r.hashed) {
    const int b = r.blocks[r.hashed];
    if (blocks_[b].key) continue;
    blocks_[b].key = r.known[r.hashed];
    table_[r.known[r.hashed]].push_back(b);
  }
}

bool NaiveCache::reset_gpu() {
  if (gpu_used() != 0) return false;
  table_.clear();
  for (Block& block : blocks_) block.key.reset();
  return true;
}

// ---- host tier ------------------------------------------------------------------------------------------------

std::vector<NaiveCache::Key> NaiveCache::chunk_keys(std::span<const Key> keys) const {
  std::vector<Key> out;
  const auto n = static_cast<std::size_t>(config_.blocks_per_chunk);
  for (std::size_t i = n; i <= keys.size(); i += n) out.push_back(keys[i - 1]);
  return out;
}

void NaiveCache::to_newest(Key k) {
  if (erase_from(old_to_new_, k)) old_to_new_.push_back(k);
}

void NaiveCache::host_touch(std::span<const Key> keys) {
  for (auto it = keys.rbegin(); it != keys.rend(); ++it) {
    const Key k = *it;
    if (config_.policy == Policy::lru) {
      to_newest(k);
    } else if (contains(old_to_new_, k)) {
      erase_from(old_to_new_, k);
      (host_.at(k).ready ? frequent_ : old_to_new_).push_back(k);
    } else if (erase_from(frequent_, k)) {
      frequent_.push_back(k);
    } else if (contains(ghosts1_, k)) {
      target_ = std::min(target_ + std::max(1.0, double(ghosts2_.size()) / double(ghosts1_.size())),
                         double(config_.host_chunks));
      erase_from(ghosts1_, k);
      ghosts1_.push_back(k);
    } else if (contains(ghosts2_, k)) {
      target_ = std::max(target_ - std::max(1.0, double(ghosts1_.size()) / double(ghosts2_.size())), 0.0);
      erase_from(ghosts2_, k);
      ghosts2_.push_back(k);
    }
  }
}

bool NaiveCache::make_room(std::size_t wanted, const std::set<Key>& protect) {
  const auto capacity = static_cast<std::size_t>(config_.host_chunks);
  if (host_.size() + wanted <= capacity) return true;
  std::size_t missing = host_.size() + wanted - capacity;
  const auto evictable = [&](Key k) {
    const Entry& e = host_.at(k);
    return e.ready && e.readers == 0 && !protect.count(k);
  };
  // All or nothing: the victims are chosen on copies first.
  auto t1 = old_to_new_, t2 = frequent_;
  std::vector<std::pair<Key, int>> victims;
  for (; missing > 0; --missing) {
    const auto from = [&](std::list<Key>& list, int which) {
      const auto at = std::find_if(list.begin(), list.end(), evictable);
      if (at == list.end()) return false;
      victims.emplace_back(*at, which);
      list.erase(at);
      return true;
    };
    if (config_.policy == Policy::lru) {
      if (!from(t1, 0)) return false;
    } else {
      const bool first = t1.size() >= static_cast<std::size_t>(target_);
      if (!((first && from(t1, 1)) || from(t2, 2))) return false;
    }
  }
  for (const auto& [key, which] : victims) {
    host_.erase(key);
    if (which == 1) ghosts1_.push_back(key);
    if (which == 2) ghosts2_.push_back(key);
  }
  for (auto* ghosts : {&ghosts1_, &ghosts2_})
    while (ghosts->size() > capacity) ghosts->pop_front();
  old_to_new_ = t1;
  frequent_ = t2;
  return true;
}

void NaiveCache::insert(const std::vector<Key>& keys) {
  for (const Key k : keys) {
    host_[k] = Entry{};
    erase_from(ghosts1_, k);
    erase_from(ghosts2_, k);
    old_to_new_.push_back(k);
  }
}

void NaiveCache::offer(Running& r, Id id, std::int64_t tokens, Step& out) {
  if (config_.host_chunks == 0) return;
  const std::int64_t chunk_tokens = config_.block_size * config_.blocks_per_chunk;
  if (config_.offload_prompt_only) tokens = std::min(tokens, r.prompt);
  const auto chunks = chunk_keys(r.known);
  const auto until = std::min<std::int64_t>(tokens / chunk_tokens, static_cast<std::int64_t>(chunks.size()));
  if (until <= r.next_chunk) return;
  std::vector<Key> offered(chunks.begin() + r.next_chunk, chunks.begin() + until);
  const std::set<Key> input(offered.begin(), offered.end());
  std::vector<Key> eligible, fresh;
  for (const Key k : offered) {
    if (config_.store_threshold >= 2) {
      if (config_.threshold_counts_offers) ++seen_[k];
      if (seen_[k] < config_.store_threshold) {
        if (!host_.count(k)) ++out.skipped;
        continue;
      }
    }
    eligible.push_back(k);
  }
  for (const Key k : eligible)
    if (!host_.count(k)) fresh.push_back(k);
  for (const Key k : eligible) r.recent.push_back(k);  // also when there is no room for what is new
  if (!make_room(fresh.size(), config_.protect_input_keys ? input : std::set<Key>{})) {
    out.store_failed = true;
    return;  // offered again with the next step, with a longer range
  }
  r.next_chunk = until;
  if (fresh.empty()) return;
  insert(fresh);
  const std::uint64_t job = next_job_++;
  jobs_[job] = Job{id, false, fresh};
  out.store = Transfer{job, static_cast<std::int64_t>(fresh.size())};
  if (config_.host_touch != HostTouch::finish) host_touch(chunks);
}

void NaiveCache::store_done(std::uint64_t job) {
  const auto at = jobs_.find(job);
  if (at == jobs_.end()) return;  // a reset threw it away
  auto keys = at->second.keys;
  jobs_.erase(at);
  if (config_.host_touch == HostTouch::unordered) {
    for (std::size_t i = keys.size(); i > 1; --i) std::swap(keys[i - 1], keys[rng_.below(i)]);
    if (config_.policy == Policy::lru)
      for (const Key k : keys) to_newest(k);
  }
  for (const Key k : keys) host_.at(k).ready = true;
}

void NaiveCache::reset_host() {
  host_.clear();
  jobs_.clear();
  seen_.clear();
  old_to_new_.clear();
  frequent_.clear();
  ghosts1_.clear();
  ghosts2_.clear();
  target_ = 0;
}

std::int64_t NaiveCache::host_reading() const {
  return std::count_if(host_.begin(), host_.end(), [](const auto& e) { return e.second.readers > 0; });
}
std::int64_t NaiveCache::host_writing() const {
  return std::count_if(host_.begin(), host_.end(), [](const auto& e) { return !e.second.ready; });
}

}  // namespace kvcliff::test
