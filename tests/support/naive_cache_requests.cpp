// SPDX-License-Identifier: GPL-3.0-or-later
// The life of a request in the naive cache: look-up, steps, finish.
#include <algorithm>
#include <stdexcept>

#include "support/naive_cache.h"

namespace kvcliff::test {
using cache::HostTouch;
using cache::Policy;

NaiveCache::Admission NaiveCache::admit(Id id, std::span<const Key> keys, std::int64_t tokens,
                                        std::int64_t prompt_tokens, bool read) {
  const std::int64_t B = config_.block_size, T = B * config_.blocks_per_chunk;
  Admission out;
  // GPU: longest cached prefix, the last token is always recomputed.
  std::vector<int> hit;
  const std::int64_t most = (tokens - 1) / B;
  for (std::int64_t i = 0; read && i < most && i < std::int64_t(keys.size()); ++i) {
    const auto at = table_.find(keys[i]);
    if (at == table_.end()) break;
    hit.push_back(at->second.front());
  }
  if (config_.eagle && !hit.empty()) hit.pop_back();
  const std::int64_t g = std::int64_t(hit.size()) * B;
  out.gpu_tokens = g;

  // Host: contiguous chunks from where the GPU ends; not limited to n - 1.
  std::vector<Key> load;
  const std::vector<Key> chunks = chunk_keys(keys);
  const std::int64_t whole = std::min<std::int64_t>(tokens / T, std::int64_t(chunks.size()));
  std::int64_t end = g / T;
  const std::span<const Key> mine(chunks.data(), std::size_t(whole));
  const bool look = read && config_.host_chunks > 0;
  if (look && whole * T - g >= T) {
    bool pending = false;
    for (; end < whole; ++end) {
      if (config_.store_threshold >= 2 && !config_.threshold_counts_offers) ++seen_[chunks[end]];
      const auto at = host_.find(chunks[end]);
      if (at == host_.end()) break;
      if (!at->second.ready) {
        pending = config_.in_flight == cache::InFlight::defer;
        if (!pending) break;
      } else if (at->second.readers > 0) {
        pending = true;
      }
      load.push_back(chunks[end]);
    }
    out.host_tokens = load.empty() ? 0 : T * end - g;
    if (out.host_tokens < T) {  // less than a chunk is not worth a load
      out.host_tokens = 0;
      load.clear();
    }
    if (pending) {
      if (config_.host_touch != HostTouch::finish) host_touch(mine);
      out.verdict = Admission::Verdict::deferred;
      return out;
    }
  }

  if (look && config_.host_touch != HostTouch::finish) host_touch(mine);  // also what the GPU served

  const std::int64_t idle_hits =
      std::count_if(hit.begin(), hit.end(), [&](int b) { return blocks_[b].refs == 0; });
  const std::int64_t total = (tokens + B - 1) / B;
  if (total - std::int64_t(hit.size()) + idle_hits > std::int64_t(free_.size())) return out;  // the whole must fit

  Running& r = requests_[id];
  r = Running{};
  r.known.assign(keys.begin(), keys.end());
  r.prompt = prompt_tokens;
  r.tokens = tokens;
  for (const int b : hit) touch_block(b);
  r.blocks = hit;
  r.hashed = std::int64_t(hit.size());
  r.computed = g;
  out.verdict = Admission::Verdict::admitted;
  if (!load.empty()) {
    const std::int64_t until = g + out.host_tokens;
    while (std::int64_t(r.blocks.size()) < until / B) r.blocks.push_back(take_block());
    for (const Key k : load) ++host_.at(k).readers;
    r.loading = true;
    r.loaded_until = until;
    r.next_chunk = end;
    r.recent = load;
    const std::uint64_t job = next_job_++;
    jobs_[job] = Job{id, true, load};
    out.load = Transfer{job, std::int64_t(load.size())};
  }
  return out;
}

void NaiveCache::load_done(std::uint64_t job) {
  const auto at = jobs_.find(job);
  if (at == jobs_.end()) return;
  auto keys = at->second.keys;
  const Id id = at->second.id;
  jobs_.erase(at);
  for (const Key k : keys) --host_.at(k).readers;
  if (config_.host_touch == HostTouch::unordered && config_.policy == Policy::lru) {
    for (std::size_t i = keys.size(); i > 1; --i) std::swap(keys[i - 1], keys[rng_.below(i)]);
    for (const Key k : keys)
      if (host_.at(k).readers == 0) to_newest(k);
  }
  const auto found = requests_.find(id);
  if (found == requests_.end() || !found->second.loading) return;  // aborted while loading
  Running& r = found->second;
  r.loading = false;
  publish(r, r.loaded_until);
  r.computed = std::min(r.loaded_until, r.tokens - 1);  // a full host hit recomputes the last token
}

NaiveCache::Step NaiveCache::step(Id id, std::int64_t tokens, std::span<const Key> keys) {
  Running& r = requests_.at(id);
  Step out;
  const std::int64_t after = r.computed + tokens;
  const std::int64_t need = (after + config_.block_size - 1) / config_.block_size - std::int64_t(r.blocks.size());
  if (need > std::int64_t(free_.size())) return out;
  for (std::int64_t i = 0; i < need; ++i) r.blocks.push_back(take_block());
  r.known.assign(keys.begin(), keys.end());
  r.computed = after;
  publish(r, after);
  offer(r, id, after, out);
  out.scheduled = true;
  return out;
}

NaiveCache::Step NaiveCache::finish(Id id, std::span<const Key> keys, std::int64_t known_tokens) {
  const auto at = requests_.find(id);
  Step out;
  if (at == requests_.end()) return out;
  Running& r = at->second;
  r.known.assign(keys.begin(), keys.end());
  // Offered once more: decode blocks up to the last sampled token, and what found no room before.
  if (!r.loading) offer(r, id, known_tokens, out);
  if (config_.host_touch == HostTouch::finish) host_touch(r.recent);
  release(r);
  requests_.erase(at);
  out.scheduled = true;
  return out;
}

void NaiveCache::preempt(Id id) {
  const auto at = requests_.find(id);
  if (at == requests_.end()) return;
  release(at->second);
  requests_.erase(at);
}

NaiveCache::Outcome NaiveCache::run(const cache::Request& request) {
  const std::int64_t B = config_.block_size, n = request.prompt_tokens;
  const Id id = next_id_++;
  std::span<const Key> all(request.keys);
  // Keys of blocks that `tokens` tokens fill.
  const auto known = [&](std::int64_t tokens) {
    return all.first(std::min<std::size_t>(all.size(), std::size_t(tokens / B)));
  };
  Outcome out;
  std::vector<std::uint64_t> stores;
  const auto settle = [&] {
    for (const auto job : stores) store_done(job);
    stores.clear();
  };
  const auto note = [&](const Step& s) {
    if (s.store) {
      stores.push_back(s.store->job);
      out.stored += s.store->chunks;
    }
    out.failed += s.store_failed;
    out.skipped += s.skipped;
  };
  const Admission a = admit(id, known(n), n, n);
  if (a.verdict != Admission::Verdict::admitted) throw std::runtime_error("the prompt can never fit");
  out.gpu_hit = a.gpu_tokens;
  out.host_loaded = a.host_tokens;
  if (a.load) load_done(a.load->job);
  Running& r = requests_.at(id);
  out.computed = n - r.computed;
  const std::int64_t budget = config_.max_batched_tokens > 0 ? config_.max_batched_tokens : n;
  const auto advance = [&](std::int64_t tokens, std::int64_t so_far) {
    const Step s = step(id, tokens, known(so_far));
    if (!s.scheduled) throw std::runtime_error("no free block in a serial run");
    settle();  // copies of the step before are done by now
    note(s);
  };
  while (r.computed < n) advance(std::min(budget, n - r.computed), n);
  for (std::int64_t m = 1; m < request.output_tokens; ++m) advance(1, n + m);
  note(finish(id, known(n + request.output_tokens), n + request.output_tokens));
  settle();
  return out;
}

}  // namespace kvcliff::test
