// SPDX-License-Identifier: GPL-3.0-or-later
#include "cache/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/hash.h"
#include "cache/explain_other.h"
#include "cache/simulator.h"
#include "workload/distance.h"

namespace kvcliff::cache {

void to_json(Json& j, const Because& b) {
  j = Json{{"tokens", b.tokens}, {"source", to_string(b.source)}, {"reason", b.reason}};
}

namespace {

/// What is remembered of one block's key.
struct Past {
  int used_by = -1;        // last request that had it
  int gpu_lost_to = -1;    // request whose allocation evicted it; -2: a reset
  int host_lost_to = -1;   // request whose store evicted it
  bool was_stored = false; // it was on the host at some time
};

class Story {
 public:
  Story(const Config& config, std::span<const Input> inputs, std::span<const std::string> names, int warmups)
      : config_(config), inputs_(inputs), names_(names), warmups_(warmups), simulator_(config) {
    events_.gpu_evicted = [this](KeyTable::Id id) { past(id).gpu_lost_to = now_; };
    events_.host_evicted = [this](KeyTable::Id id) { past(id).host_lost_to = now_; };
    events_.host_stored = [this](KeyTable::Id id) {
      past(id).was_stored = true;
      past(id).host_lost_to = -1;
    };
    simulator_.listen(&events_);
  }

  std::vector<std::vector<Because>> tell() {
    std::vector<std::vector<Because>> out;
    for (now_ = 0; now_ < static_cast<int>(inputs_.size()); ++now_) out.push_back(one(inputs_[static_cast<std::size_t>(now_)]));
    return out;
  }

 private:
  Past& past(KeyTable::Id id) {
    if (id >= past_.size()) past_.resize(std::max<std::size_t>(id + 1, past_.size() * 2));
    return past_[id];
  }
  std::string who(int request) const { return cache::who(request, names_, warmups_); }

  std::vector<Because> one(const Input& input) {
    if (input.reset_gpu && simulator_.reset_gpu())
      for (Past& p : past_)
        if (p.used_by >= 0) p.gpu_lost_to = -2;
    if (input.reset_host) {
      simulator_.reset_host();
      for (Past& p : past_)
        if (p.was_stored) p.host_lost_to = -2;
    }
    const Request& q = input.request;
    const std::int64_t B = config_.block_size, n = q.prompt_tokens;
    const auto full = std::min(static_cast<std::size_t>(n / B), q.keys.size());
    std::vector<KeyTable::Id> ids;
    std::vector<char> gpu, host;
    const auto k = static_cast<std::size_t>(config_.blocks_per_chunk);
    for (std::size_t b = 0; b < full; ++b) {
      ids.push_back(simulator_.id_of(q.keys[b]));
      past(ids[b]);
      gpu.push_back(simulator_.on_gpu(ids[b]));
    }
    for (std::size_t b = 0; b < full; ++b) {
      const std::size_t last = b / k * k + k - 1;
      host.push_back(last < full && config_.host_chunks > 0 && simulator_.on_host(ids[last]));
    }
    std::vector<Past> before;
    for (const auto id : ids) before.push_back(past_[id]);
    std::vector<std::int64_t> distance(full, -1);
    for (std::size_t b = full; b-- > 0;) distance[b] = meter_.reference(q.keys[b]);

    const Outcome o = simulator_.run_fitting(q);
    std::vector<Because> out;
    const auto g = static_cast<std::size_t>(o.gpu_hit / B), h = static_cast<std::size_t>(o.host_loaded / B);
    const auto add = [&](std::int64_t tokens, Source s, std::string reason) {
      if (tokens <= 0) return;
      if (!out.empty() && out.back().source == s && out.back().reason == reason)
        out.back().tokens += tokens;
      else
        out.push_back({tokens, s, std::move(reason)});
    };
    if (g > 0)
      add(o.gpu_hit, Source::gpu_hit,
          fmt::format("on the GPU since {}: distance {} <= {} blocks", who(before[g - 1].used_by), distance[g - 1], config_.gpu_blocks));
    for (std::size_t b = g; b < g + h; ++b) add(B, Source::host_loaded, why_loaded(b, gpu[b], before[b], distance[b], n));
    for (std::size_t b = g + h; b < full; ++b)
      add(B, Source::computed, why_computed(b, g, h, gpu[b], host[b], before[b], distance[b], n, full));
    add(n - static_cast<std::int64_t>(full) * B, Source::computed,
        fmt::format("below one block: what follows the last full block of {} tokens is never cached", B));
    if (o.gpu_hit + o.host_loaded == n)
      add(o.computed, Source::computed, "last-token rule: the last token runs again, although it was loaded, to give the first output");
    for (const auto id : ids) {
      Past& p = past_[id];
      p.used_by = now_;
      if (simulator_.on_gpu(id)) p.gpu_lost_to = -1;
    }
    return out;
  }

  std::string gpu_loss(const Past& p) const {
    return p.gpu_lost_to == -1 ? "it is not on the GPU" : "the GPU's copy was evicted by " + who(p.gpu_lost_to);
  }
  std::string why_loaded(std::size_t b, bool on_gpu, const Past& p, std::int64_t d, std::int64_t n) const {
    if (on_gpu && static_cast<std::int64_t>(b + 1) * config_.block_size == n)
      return "last-token rule: a GPU hit ends before the last token, so the host supplies the last block, although the GPU holds it";
    if (on_gpu) return "the GPU's copy cannot be used, because its prefix ended earlier; the host still holds it";
    return fmt::format("{}; the host still holds it (distance {}, room for {} blocks)", gpu_loss(p), d, config_.host_chunks * config_.blocks_per_chunk);
  }
  std::string why_computed(std::size_t b, std::size_t g, std::size_t h, bool on_gpu, bool on_host, const Past& p, std::int64_t d,
                           std::int64_t n, std::size_t full) const {
    const bool last_block = static_cast<std::int64_t>(b + 1) * config_.block_size == n;
    if (p.used_by < 0) return "first visit: no earlier prompt has this block";
    if (on_gpu && last_block && b == g + h) return "last-token rule: the block on the GPU holds the last token, which must run";
    if (on_host && b == g + h) {
      const auto k = static_cast<std::size_t>(config_.blocks_per_chunk);
      if (full / k * k < g + k) return "the host holds it, but less than one chunk could be gained, so nothing is loaded";
      if (config_.eagle) return "the last matched block is dropped for speculative decoding (from source, not verified live)";
      return "the host holds it, but the look-up by whole chunks could not use it";
    }
    if (on_gpu) return "on the GPU, but the look-up ended earlier, at the first block missing";
    if (on_host) return "on the host, but the look-up ended earlier, at the first chunk missing";
    std::string s = gpu_loss(p);
    if (p.gpu_lost_to >= 0) s += fmt::format(" (distance {}, room for {} blocks less those of running requests)", d, config_.gpu_blocks);
    if (config_.host_chunks == 0) return s + "; there is no host tier";
    if (p.was_stored) return s + (p.host_lost_to == -1 ? "; the host keeps whole chunks only" : (p.host_lost_to < 0 ? "; the host tier was emptied" : "; the host dropped it when " + who(p.host_lost_to) + " was stored"));
    if (config_.store_threshold >= 2) return s + "; it was not stored, because it had not been seen often enough";
    return s + "; it was never stored on the host";
  }

  const Config& config_;
  std::span<const Input> inputs_;
  std::span<const std::string> names_;
  int warmups_;
  Simulator simulator_;
  Events events_;
  workload::DistanceMeter meter_;
  std::vector<Past> past_;
  int now_ = 0;
};

}  // namespace

Result<std::vector<std::vector<Because>>> explain(const Config& config, std::span<const Input> inputs,
                                                  std::span<const std::string> names, int warmups) {
  if (auto why = check(config, inputs)) return fail(std::move(*why));
  if (config.tier != Tier::native) return explain_other(config, inputs, names, warmups);
  return Story(config, inputs, names, warmups).tell();
}

std::vector<Nearest> nearest_prompts(std::span<const std::vector<std::uint64_t>> prompts, std::int64_t block_size, int warmups) {
  constexpr std::size_t looked_back = 512;  // prompts compared token by token when no block is shared
  std::vector<Nearest> out;
  std::unordered_map<std::uint64_t, int> newest;  // chained key of a block -> newest prompt that has it
  const auto step = static_cast<std::size_t>(block_size);
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    const auto& p = prompts[i];
    Nearest near;
    const auto compare = [&](int candidate) {
      const auto& other = prompts[static_cast<std::size_t>(candidate)];
      const auto end = std::mismatch(p.begin(), p.end(), other.begin(), other.end()).first;
      const auto common = end - p.begin();
      if (common > near.common_tokens) near = {candidate, common, {}};
    };
    std::uint64_t parent = 0;
    bool matching = true;
    int candidate = -1;
    std::vector<std::uint64_t> keys;
    for (std::size_t at = 0; at + step <= p.size(); at += step) {
      keys.push_back(parent = hash64(&p[at], step * sizeof p[0], parent ^ 0x6e656172ULL));
      const auto it = matching ? newest.find(parent) : newest.end();
      if (it == newest.end()) matching = false;
      else candidate = it->second;
    }
    if (candidate >= 0)
      compare(candidate);
    else
      for (std::size_t back = 1; back <= std::min(i, looked_back); ++back) compare(static_cast<int>(i - back));
    for (const auto key : keys) newest[key] = static_cast<int>(i);
    const auto size = static_cast<std::int64_t>(p.size());
    const std::string other = near.request < warmups ? "the warm-up" : fmt::format("request {}", near.request - warmups);
    if (near.common_tokens == 0)
      near.why = i == 0 ? "it is the first prompt" : "unique: its first token differs from that of every earlier prompt";
    else if (near.common_tokens < block_size)
      near.why = fmt::format("below one block: {} shares {} tokens, and only blocks of {} can be reused", other, near.common_tokens, block_size);
    else if (near.common_tokens < size)
      near.why = fmt::format("{} shares {} tokens ({} full blocks); token {} is the first that differs", other, near.common_tokens,
                             near.common_tokens / block_size, near.common_tokens);
    else
      near.why = other + " begins with the whole prompt";
    out.push_back(std::move(near));
  }
  return out;
}

std::string why_no_reuse(const Config& c, const Nearest& near, std::int64_t n, std::int64_t distance, const PredictedSources& p) {
  const std::int64_t usable = std::min(near.common_tokens / c.block_size, n / c.block_size) * c.block_size;
  const std::int64_t reused = p.gpu_hit.min + p.host_loaded.min;
  if (usable == 0) return near.why;
  if (reused >= std::min(usable, std::max<std::int64_t>(0, (n - 1) / c.block_size * c.block_size))) return {};
  const std::int64_t host = c.host_chunks * (c.tier == Tier::lmcache ? c.lmcache_chunk_tokens / c.block_size : c.tier == Tier::native ? c.blocks_per_chunk : 1);
  if (distance > std::max(c.gpu_blocks, host))
    return fmt::format("thrashing: {}; {} distinct blocks were used since, and the larger tier holds {}", near.why, distance, std::max(c.gpu_blocks, host));
  if (usable == c.block_size * (n / c.block_size) && n % c.block_size == 0 && usable - reused == c.block_size)
    return "unusable by the look-up rule: the last block holds the last token, which must run";
  return fmt::format("{}, so that {} tokens could be reused, but only {} are: the reasons of its tokens say what was lost or could not be used",
                     near.why, usable, reused);
}

}  // namespace kvcliff::cache
