// SPDX-License-Identifier: GPL-3.0-or-later
#include "cache/predict.h"

#include <fmt/format.h>

#include <algorithm>

#include "cache/lazy_tier.h"
#include "cache/other_tiers.h"
#include "cache/simulator.h"

namespace kvcliff::cache {
namespace {

/// A request in one drawn order.
struct Drawn {
  Outcome outcome;
  std::int64_t resident = 0;  // its chunks on the host at look-up, from where the GPU prefix ends
};

struct Pass {
  std::vector<Drawn> requests;
  bool evicted = false;       // the host tier had to drop something
};

Pass simulate(const Config& config, std::span<const Input> inputs, std::uint64_t seed, JobOrder order, bool count) {
  Simulator simulator(config, seed, order);
  Pass pass;
  Events events;
  events.host_evicted = [&pass](KeyTable::Id) { pass.evicted = true; };
  simulator.listen(&events);
  pass.requests.reserve(inputs.size());
  const auto per_chunk = static_cast<std::size_t>(config.blocks_per_chunk);
  std::vector<char> there;
  for (const Input& i : inputs) {
    if (i.reset_gpu) simulator.reset_gpu();
    if (i.reset_host) simulator.reset_host();
    there.clear();
    if (count)
      for (std::size_t c = 1; c * per_chunk <= std::min(i.request.keys.size(), static_cast<std::size_t>(i.request.prompt_tokens / config.block_size)); ++c)
        there.push_back(simulator.on_host(simulator.id_of(i.request.keys[c * per_chunk - 1])));
    Drawn d{simulator.run_fitting(i.request), 0};
    const auto first = static_cast<std::size_t>(d.outcome.gpu_hit / config.block_size) / per_chunk;
    for (std::size_t c = first; c < there.size(); ++c) d.resident += there[c];
    pass.requests.push_back(d);
  }
  return pass;
}

/// What differs between drawn orders, and its mean.
struct Spread {
  std::int64_t low = 0, high = 0;
  double sum = 0;
  void first(std::int64_t v) { low = high = v; }
  void see(std::int64_t v) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
  bool one() const { return low == high; }
};

constexpr const char* random_order =
    "vLLM 0.26 returns the chunks of a transfer to its host LRU in random order, so which chunks of this prompt were "
    "dropped is chance; the first one missing ends the usable prefix";

// Exact counts where all orders agree. Where they differ, min and max are bounds for every order: at worst the first
// chunk behind the GPU prefix is gone, at best all chunks left are in front.
std::vector<PredictedSources> over_orders(const Config& c, std::span<const Input> inputs, const PredictOptions& options, const Pass& one) {
  struct Spreads {
    Spread loaded, computed, stored, resident;
  };
  std::vector<Spreads> all(inputs.size());
  const auto see = [&](const Pass& p, bool first, bool mean) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Drawn& d = p.requests[i];
      const auto add = [&](Spread& s, std::int64_t v) {
        if (first) s.first(v);
        s.see(v);
        if (mean) s.sum += static_cast<double>(v);
      };
      add(all[i].loaded, d.outcome.host_loaded);
      add(all[i].computed, d.outcome.computed);
      add(all[i].stored, d.outcome.stored_chunks);
      add(all[i].resident, d.resident);
    }
  };
  see(simulate(c, inputs, 0, JobOrder::head_newest, true), true, false);
  see(simulate(c, inputs, 0, JobOrder::head_oldest, true), false, false);
  std::int64_t blocks = 1;
  for (const Input& i : inputs) blocks += static_cast<std::int64_t>(i.request.keys.size()) + 8;
  const auto seeds = static_cast<int>(std::clamp<std::int64_t>(60'000'000 / blocks, 16, std::max(1, options.seeds)));
  for (int k = 0; k < seeds; ++k) see(simulate(c, inputs, options.seed + static_cast<std::uint64_t>(k), JobOrder::random, true), false, true);

  std::vector<PredictedSources> out;
  const std::int64_t chunk = c.block_size * c.blocks_per_chunk;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Outcome& o = one.requests[i].outcome;
    const std::int64_t n = inputs[i].request.prompt_tokens;
    const Spreads& s = all[i];
    PredictedSources p{PredictedCount::exact(o.computed), PredictedCount::exact(o.gpu_hit), PredictedCount::exact(o.host_loaded),
                       PredictedCount::exact(o.stored_chunks)};
    if (!s.loaded.one()) {
      const std::int64_t start = o.gpu_hit / chunk, full = n / chunk;
      // The number of chunks left does not depend on the order as a rule; where it does, nothing is assumed about it.
      const std::int64_t left = s.resident.one() ? s.resident.high : full - start;
      const std::int64_t most = std::max(s.loaded.high, std::max<std::int64_t>(0, (start + std::min(left, full - start)) * chunk - o.gpu_hit));
      const double mean = s.loaded.sum / seeds;
      p.host_loaded = {0, most, mean, random_order};
      // After a full host hit one token runs again, so that at least one is computed.
      const std::int64_t fewest = std::max<std::int64_t>(1, n - o.gpu_hit - most);
      p.computed = {fewest, n - o.gpu_hit, s.computed.sum / seeds, random_order};
    }
    if (!s.stored.one()) p.stored_blocks = {0, n / chunk, s.stored.sum / seeds, random_order};
    out.push_back(p);
  }
  return out;
}

}  // namespace

std::optional<Error> check(const Config& c) {
  const auto bad = [](const char* field, const std::string& why) {
    return Error{ErrorCode::bad_usage, "The cache cannot be simulated", field, why, "Correct the configuration"};
  };
  if (c.block_size < 1) return bad("block_size", fmt::format("blocks of {} tokens hold nothing", c.block_size));
  if (c.gpu_blocks < 0) return bad("gpu_blocks", fmt::format("{} blocks", c.gpu_blocks));
  if (c.host_chunks < 0) return bad("host_chunks", fmt::format("{} chunks", c.host_chunks));
  if (c.blocks_per_chunk < 1) return bad("blocks_per_chunk", fmt::format("{} blocks make no chunk", c.blocks_per_chunk));
  if (c.tier == Tier::lmcache && (c.lmcache_chunk_tokens < c.block_size || c.lmcache_chunk_tokens % c.block_size != 0))
    return bad("lmcache_chunk_tokens", fmt::format("chunks of {} tokens are not whole blocks of {}", c.lmcache_chunk_tokens, c.block_size));
  if (c.page_size < 0 || (c.tier == Tier::hicache && c.page_size % c.block_size != 0))
    return bad("page_size", fmt::format("pages of {} tokens with keys for blocks of {}: give blocks that divide the page", c.page_size, c.block_size));
  if (c.tier == Tier::simple && c.lazy_store && std::max(c.gpu_blocks, c.host_chunks) > LazyTier::most_blocks)
    return bad(c.gpu_blocks > LazyTier::most_blocks ? "gpu_blocks" : "host_chunks",
               fmt::format("the lazy mode is followed block by block, in tiers of up to {}", LazyTier::most_blocks));
  if (c.max_batched_tokens < 0) return bad("max_batched_tokens", fmt::format("{} tokens", c.max_batched_tokens));
  return std::nullopt;
}

std::optional<Error> check(const Config& config, std::span<const Input> inputs) {
  if (auto why = check(config)) return why;
  const Simulator probe(config);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (auto why = probe.misfit(inputs[i].request)) {
      why->where = fmt::format("request {}", i);
      return why;
    }
  return std::nullopt;
}

std::string verified(const Config& c) {
  if (c.tier == Tier::hicache) return "SGLang HiCache: from source, not verified live";
  if (c.tier == Tier::lmcache) return "LMCache: from source, not verified live";
  if (c.eagle) return "EAGLE: from source, not verified live";
  if (c.store_threshold >= 2) return "store threshold: from source, not verified live with evictions";
  if (c.tier == Tier::simple && c.lazy_store) return "SimpleCPUOffloadConnector, lazy: from source, not verified live";
  if (c.tier == Tier::simple) return "SimpleCPUOffloadConnector: live on an H200 with vLLM 0.26, without evictions";
  switch (c.host_touch) {
    case HostTouch::finish: return "live on a CPU with vLLM 0.32";
    case HostTouch::unordered: return "live on an H200 with vLLM 0.26";
    case HostTouch::lookup: return "from source; live where the host evicts nothing";
  }
  return {};
}

Result<std::vector<PredictedSources>> predict(const Config& config, std::span<const Input> inputs, const PredictOptions& options) {
  if (auto why = check(config, inputs)) return fail(std::move(*why));
  if (const auto other = make_other_tier(config)) {
    std::vector<PredictedSources> out;
    for (const Input& i : inputs) {
      if (i.reset_gpu) other->reset_gpu();
      if (i.reset_host) other->reset_host();
      const Outcome o = other->run(i.request);
      out.push_back({PredictedCount::exact(o.computed), PredictedCount::exact(o.gpu_hit), PredictedCount::exact(o.host_loaded),
                     PredictedCount::exact(o.stored_chunks)});
    }
    return out;
  }
  const Pass one = simulate(config, inputs, options.seed, JobOrder::random, false);
  if (config.policy == Policy::lru && config.host_touch == HostTouch::unordered && one.evicted)
    return over_orders(config, inputs, options, one);
  std::vector<PredictedSources> out;
  for (const Drawn& d : one.requests) {
    const Outcome& o = d.outcome;
    out.push_back({PredictedCount::exact(o.computed), PredictedCount::exact(o.gpu_hit), PredictedCount::exact(o.host_loaded),
                   PredictedCount::exact(o.stored_chunks)});
  }
  return out;
}

}  // namespace kvcliff::cache
