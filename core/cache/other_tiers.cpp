// SPDX-License-Identifier: GPL-3.0-or-later
#include "cache/other_tiers.h"

#include <algorithm>
#include <list>
#include <unordered_map>

#include "cache/lazy_tier.h"
#include "cache/radix_tier.h"

namespace kvcliff::cache {
namespace {

/// What both vLLM connectors share: the GPU pool and one request's blocks.
class VllmTier : public OtherTier {
 public:
  explicit VllmTier(const Config& c) : config_(c), gpu_(c.gpu_blocks, c.free_order) {}
  void reset_gpu() override { gpu_.reset(); }
  bool on_gpu(std::uint64_t key) const override {
    const auto id = table_.find(key);
    return id && gpu_.find(*id) != GpuPool::none;
  }

 protected:
  // Numbers of all full blocks that get KV; generated tokens without a key have numbers of their own.
  void learn(const Request& q, std::int64_t tokens) {
    ids_.clear();
    for (std::size_t i = 0; i < static_cast<std::size_t>(tokens / config_.block_size); ++i)
      ids_.push_back(i < q.keys.size() ? table_.intern(q.keys[i]) : table_.anonymous());
  }
  std::int64_t gpu_hits(std::int64_t n) {
    std::int64_t g = 0;
    while (g < (n - 1) / config_.block_size && gpu_.find(ids_[static_cast<std::size_t>(g)]) != GpuPool::none) ++g;
    for (std::int64_t i = 0; i < g; ++i) {
      held_.push_back(gpu_.find(ids_[static_cast<std::size_t>(i)]));
      gpu_.hold(held_.back());
    }
    return g;
  }
  void extend(std::int64_t tokens) {
    const std::int64_t want = (tokens + config_.block_size - 1) / config_.block_size;
    std::int64_t evicted = -1;
    while (static_cast<std::int64_t>(held_.size()) < want) held_.push_back(gpu_.take(evicted));
    for (std::size_t i = 0; i < static_cast<std::size_t>(tokens / config_.block_size); ++i)
      if (!gpu_.has_key(held_[i])) gpu_.publish(held_[i], ids_[i]);
  }
  void let_go() {
    gpu_.release(held_);
    held_.clear();
  }

  Config config_;
  KeyTable table_;
  GpuPool gpu_;
  std::vector<KeyTable::Id> ids_;
  std::vector<GpuPool::Block> held_;
};

class SimpleTier final : public VllmTier {
 public:
  explicit SimpleTier(const Config& c) : VllmTier(c), cpu_(c.host_chunks, FreeOrder::prepend) {}

  Outcome run(const Request& q) override {
    const std::int64_t B = config_.block_size, n = q.prompt_tokens, last = n + std::max<std::int64_t>(q.output_tokens, 1) - 1;
    learn(q, last);
    Outcome out;
    const std::int64_t g = gpu_hits(n);
    std::vector<GpuPool::Block> hits;
    while (g + static_cast<std::int64_t>(hits.size()) < (n - 1) / B) {
      const auto b = cpu_.find(ids_[static_cast<std::size_t>(g) + hits.size()]);
      if (b == GpuPool::none) break;
      cpu_.hold(b);
      hits.push_back(b);
    }
    const auto h = static_cast<std::int64_t>(hits.size());
    out.gpu_hit = g * B;
    out.host_loaded = h * B;
    out.computed = n - out.gpu_hit - out.host_loaded;
    std::int64_t computed = out.gpu_hit + out.host_loaded, stored = 0;
    extend(computed);
    head_first(hits);
    const std::int64_t budget = config_.max_batched_tokens > 0 ? config_.max_batched_tokens : n;
    for (bool first = true; computed < last; first = false) {
      if (!first) out.stored_chunks += store(stored, computed / B);
      computed = computed < n ? std::min(n, computed + budget) : computed + 1;
      extend(computed);
    }
    let_go();
    return out;
  }
  void reset_host() override { cpu_.reset(); }
  bool on_host(std::uint64_t key) const override {
    const auto id = table_.find(key);
    return id && cpu_.find(*id) != GpuPool::none;
  }

 private:
  // Released first block first, so that a document's first block is its oldest.
  void head_first(std::vector<GpuPool::Block>& blocks) {
    std::reverse(blocks.begin(), blocks.end());
    cpu_.release(blocks);
  }
  std::int64_t store(std::int64_t& from, std::int64_t to) {
    std::vector<GpuPool::Block> taken;
    std::vector<KeyTable::Id> ids;
    for (; from < to; ++from) {
      const auto id = ids_[static_cast<std::size_t>(from)];
      if (cpu_.find(id) != GpuPool::none) continue;
      if (cpu_.free_count() == 0) break;
      std::int64_t evicted = -1;
      taken.push_back(cpu_.take(evicted));
      ids.push_back(id);
    }
    for (std::size_t i = 0; i < taken.size(); ++i) cpu_.publish(taken[i], ids[i]);
    const auto count = static_cast<std::int64_t>(taken.size());
    head_first(taken);
    return count;
  }

  GpuPool cpu_;
};

class LmCacheTier final : public VllmTier {
 public:
  explicit LmCacheTier(const Config& c) : VllmTier(c) {}

  Outcome run(const Request& q) override {
    const std::int64_t B = config_.block_size, T = config_.lmcache_chunk_tokens, n = q.prompt_tokens;
    const std::int64_t last = n + std::max<std::int64_t>(q.output_tokens, 1) - 1;
    learn(q, last);
    Outcome out;
    const std::int64_t g = gpu_hits(n);
    // A chunk's key is that of the last block inside it: chunks are whole blocks (checked by check()).
    const auto chunk = [&](std::int64_t c) { return ids_[static_cast<std::size_t>((c + 1) * T / B - 1)]; };
    std::int64_t found = 0;
    while (found < n / T && where_.count(chunk(found))) ++found;
    for (std::int64_t c = found; c-- > 0;) order_.splice(order_.end(), order_, where_.at(chunk(c)));
    std::int64_t hit = found * T;
    if (hit == n) --hit;  // the last token must run
    out.gpu_hit = g * B;
    out.host_loaded = std::max<std::int64_t>(0, hit - out.gpu_hit);
    out.computed = n - out.gpu_hit - out.host_loaded;
    extend(last);
    for (std::int64_t c = 0; c < n / T && config_.host_chunks > 0; ++c) {
      const auto id = chunk(c);
      if (where_.count(id)) continue;
      if (static_cast<std::int64_t>(order_.size()) >= config_.host_chunks) {
        where_.erase(order_.front());
        order_.pop_front();
      }
      where_[id] = order_.insert(order_.end(), id);
      ++out.stored_chunks;
    }
    let_go();
    return out;
  }
  void reset_host() override {
    order_.clear();
    where_.clear();
  }
  bool on_host(std::uint64_t key) const override {
    const auto id = table_.find(key);
    return id && where_.count(*id) > 0;
  }

 private:
  std::list<KeyTable::Id> order_;  // oldest first
  std::unordered_map<KeyTable::Id, std::list<KeyTable::Id>::iterator> where_;
};

}  // namespace

std::unique_ptr<OtherTier> make_other_tier(const Config& c) {
  switch (c.tier) {
    case Tier::native: return nullptr;
    case Tier::simple:
      if (c.lazy_store) return std::make_unique<LazyTier>(c);
      return std::make_unique<SimpleTier>(c);
    case Tier::lmcache: return std::make_unique<LmCacheTier>(c);
    case Tier::hicache: return std::make_unique<RadixTier>(c);
  }
  return nullptr;
}

}  // namespace kvcliff::cache
