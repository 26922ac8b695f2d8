// SPDX-License-Identifier: GPL-3.0-or-later
#include "cache/simulator.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kvcliff::cache {

void Simulator::Running::clear() {
  ids.clear();
  chunks.clear();
  flags.clear();
  blocks.clear();
  computed = hashed = prompt = tokens = next_chunk = jobs = loading_until = 0;
  prefilling = false;
}

Simulator::Simulator(const Config& config, std::uint64_t seed, JobOrder order)
    : config_(config),
      chunk_tokens_(config.block_size * config.blocks_per_chunk),
      gpu_(config.gpu_blocks, config.free_order),
      host_(config, seed, order) {}

// FreeOrder::none models caches that keep no partial block at all.
std::int64_t Simulator::blocks_for(std::int64_t tokens) const {
  return config_.free_order == FreeOrder::none ? tokens / config_.block_size
                                               : (tokens + config_.block_size - 1) / config_.block_size;
}

void Simulator::grow_chunks(Running& r) {
  const auto step = static_cast<std::size_t>(config_.blocks_per_chunk);
  if (config_.host_chunks > 0)
    while ((r.chunks.size() + 1) * step <= r.ids.size()) r.chunks.push_back(r.ids[(r.chunks.size() + 1) * step - 1]);
  r.flags.resize(r.chunks.size(), 0);
}

void Simulator::learn(Running& r, std::span<const Key> keys) {
  constexpr std::size_t ahead = 8;
  for (std::size_t i = r.ids.size(); i < keys.size(); ++i) {
    if (i + ahead < keys.size()) ids_.prefetch(keys[i + ahead]);
    r.ids.push_back(ids_.intern(keys[i]));
  }
  grow_chunks(r);
}

void Simulator::learn_anonymous(Running& r, std::size_t blocks) {
  while (r.ids.size() < blocks) r.ids.push_back(ids_.anonymous());
  grow_chunks(r);
}

void Simulator::take(Running& r, std::int64_t blocks) {
  while (static_cast<std::int64_t>(r.blocks.size()) < blocks) {
    std::int64_t evicted = -1;
    r.blocks.push_back(gpu_.take(evicted));
    if (evicted >= 0 && events_ && events_->gpu_evicted) events_->gpu_evicted(static_cast<KeyTable::Id>(evicted));
  }
}

void Simulator::publish(Running& r, std::int64_t tokens) {
  const std::int64_t full = std::min(tokens / config_.block_size, static_cast<std::int64_t>(r.ids.size()));
  for (; r.hashed < full; ++r.hashed) {
    const auto i = static_cast<std::size_t>(r.hashed);
    if (gpu_.has_key(r.blocks[i])) continue;
    gpu_.publish(r.blocks[i], r.ids[i]);
    if (events_ && events_->gpu_stored) events_->gpu_stored(r.ids[i]);
  }
}

// Tokens that the host can add behind `gpu_blocks` hits. The first chunk looked at is the one the GPU prefix ends in.
std::int64_t Simulator::host_hits(Running& r, std::int64_t gpu_blocks, std::int64_t tokens, bool& deferred) {
  const std::int64_t have = gpu_blocks * config_.block_size;
  const std::int64_t chunks = std::min(tokens / chunk_tokens_, static_cast<std::int64_t>(r.chunks.size()));
  if (chunks * chunk_tokens_ - have < chunk_tokens_) return 0;
  const std::int64_t start = have / chunk_tokens_;
  std::int64_t hits = 0;
  bool writing = false;
  for (std::int64_t c = start; c < chunks; ++c, ++hits) {
    const auto found = host_.look_up(r.chunks[static_cast<std::size_t>(c)]);
    if (found == HostTier::Found::miss) break;
    if (found == HostTier::Found::writing) {
      if (config_.in_flight == InFlight::miss) break;
      writing = true;
    }
  }
  if (writing) {
    deferred = true;
    return 0;
  }
  if (config_.eagle && hits > 0) --hits;
  const std::int64_t gain = (start + hits) * chunk_tokens_ - have;
  if (hits == 0 || gain < chunk_tokens_) return 0;
  for (std::int64_t c = start; c < start + hits; ++c)
    if (host_.loading(r.chunks[static_cast<std::size_t>(c)])) {
      deferred = true;  // another request is loading it; afterwards it is found on the GPU
      return 0;
    }
  return gain;
}

// Blocks that prefills in flight still need: an asynchronous load may not take them.
std::int64_t Simulator::reserved() const {
  std::int64_t sum = 0;
  for (const auto& [id, r] : requests_)
    if (r.prefilling) sum += std::max<std::int64_t>(0, blocks_for(r.tokens) - static_cast<std::int64_t>(r.blocks.size()));
  return sum;
}

Simulator::Admission Simulator::admit(Running& r, bool read, std::vector<KeyTable::Id>& load) {
  Admission out;
  std::int64_t hits = 0;
  if (read) {
    const std::int64_t most = std::min((r.tokens - 1) / config_.block_size, static_cast<std::int64_t>(r.ids.size()));
    while (hits < most && gpu_.find(r.ids[static_cast<std::size_t>(hits)]) != GpuPool::none) ++hits;
    if (config_.eagle && hits > 0) --hits;
  }
  out.gpu_tokens = hits * config_.block_size;
  bool deferred = false;
  if (config_.host_chunks > 0) {
    if (read) out.host_tokens = host_hits(r, hits, r.tokens, deferred);
    host_.touch(r.chunks);
  }
  if (deferred) {
    out.verdict = Admission::Verdict::deferred;
    return out;
  }
  std::int64_t returning = 0;  // hits that are free now: holding them takes them out of the free count
  for (std::int64_t i = 0; i < hits; ++i) returning += gpu_.is_free(gpu_.find(r.ids[static_cast<std::size_t>(i)]));
  const std::int64_t known = out.gpu_tokens + out.host_tokens;
  const std::int64_t budget = config_.max_batched_tokens > 0 ? config_.max_batched_tokens : r.tokens;
  const std::int64_t now = out.host_tokens > 0 ? known : std::min(r.tokens, known + budget);
  const std::int64_t free = gpu_.free_count() - returning;
  if ((config_.full_sequence_must_fit && blocks_for(r.tokens) - hits > free) ||
      blocks_for(now) - hits > free - (out.host_tokens > 0 ? reserved() : 0))
    return out;

  out.verdict = Admission::Verdict::admitted;
  for (std::int64_t i = 0; i < hits; ++i) {
    const auto b = gpu_.find(r.ids[static_cast<std::size_t>(i)]);
    gpu_.hold(b);
    r.blocks.push_back(b);
  }
  r.hashed = hits;
  r.computed = known;
  r.prefilling = true;
  if (out.host_tokens == 0) return out;
  take(r, blocks_for(known));
  const std::int64_t first = hits / config_.blocks_per_chunk;
  const std::int64_t end = (known + chunk_tokens_ - 1) / chunk_tokens_;
  for (std::int64_t c = first; c < end; ++c) {
    load.push_back(r.chunks[static_cast<std::size_t>(c)]);
    r.flags[static_cast<std::size_t>(c)] |= HostTier::recorded | HostTier::reused;
  }
  host_.begin_load(load);
  r.next_chunk = end;
  r.loading_until = known;
  return out;
}

void Simulator::end_load(Running& r, std::vector<KeyTable::Id>& chunks) {
  host_.end_load(chunks);
  publish(r, r.loading_until);
  r.computed = std::min(r.loading_until, r.tokens - 1);  // after a full hit the last token runs again
  r.loading_until = 0;
}

bool Simulator::advance(Running& r, std::int64_t tokens) {
  const std::int64_t blocks = blocks_for(r.computed + tokens);
  if (blocks - static_cast<std::int64_t>(r.blocks.size()) > gpu_.free_count()) return false;
  take(r, blocks);
  r.computed += tokens;
  publish(r, r.computed);
  if (r.computed >= r.tokens) r.prefilling = false;
  return true;
}

// Offers what is complete after this step. True when something was stored.
bool Simulator::offer(Running& r, std::int64_t tokens, bool at_end, std::vector<KeyTable::Id>& stored, Step& out) {
  if (config_.host_chunks == 0) return false;
  if (config_.offload_prompt_only) tokens = std::min(tokens, r.prompt);
  std::int64_t chunks = std::min(tokens / chunk_tokens_, static_cast<std::int64_t>(r.chunks.size()));
  if (config_.eagle && tokens > r.prompt && !at_end) --chunks;
  if (chunks <= r.next_chunk) return false;
  const auto from = static_cast<std::size_t>(r.next_chunk), count = static_cast<std::size_t>(chunks - r.next_chunk);
  evicted_.clear();
  const auto result = host_.offer(std::span(r.chunks).subspan(from, count), std::span(r.flags).subspan(from, count), stored, evicted_);
  out.skipped += result.skipped;
  if (events_ && events_->host_evicted)
    for (const auto id : evicted_) events_->host_evicted(id);
  if (result.failed) {
    out.store_failed = true;
    return false;
  }
  r.next_chunk = chunks;
  if (!result.stored) return false;
  host_.touch(r.chunks);
  if (events_ && events_->host_stored)
    for (const auto id : stored) events_->host_stored(id);
  return true;
}

std::int64_t Simulator::last_offer_tokens(const Running& r, std::int64_t known) const {
  const bool last = config_.offers_last_token.value_or(config_.host_touch == HostTouch::unordered);
  return last ? known : std::max(r.prompt, known - 1);
}

std::optional<Error> Simulator::misfit(const Request& q) const {
  const std::int64_t most = q.prompt_tokens + std::max<std::int64_t>(q.output_tokens, 1) - 1;
  if (q.prompt_tokens < 1)
    return Error{ErrorCode::bad_usage, "The request has no prompt", {}, fmt::format("{} tokens", q.prompt_tokens),
                 "Give at least one token"};
  if (blocks_for(most) <= gpu_.capacity()) return std::nullopt;
  return Error{ErrorCode::bad_usage, "The request cannot run on this GPU cache", {},
               fmt::format("{} prompt and {} output tokens need {} blocks of {} tokens, {} are usable", q.prompt_tokens,
                           q.output_tokens, blocks_for(most), config_.block_size, gpu_.capacity()),
               "Give the GPU cache more blocks, or shorten the request"};
}

Result<Outcome> Simulator::run(const Request& q) {
  if (auto why = misfit(q)) return fail(std::move(*why));
  return run_fitting(q);
}

// Store jobs of step k are copied during step k + 1 and are over when step k + 2 is scheduled: until then their chunks
// can be neither read nor evicted. Only prompts of several prefill steps notice.
Outcome Simulator::run_fitting(const Request& q) {
  Running& r = alone_;
  r.clear();
  r.prompt = r.tokens = q.prompt_tokens;
  const std::int64_t outputs = std::max<std::int64_t>(q.output_tokens, 1);
  const std::int64_t last = r.prompt + outputs - 1;  // tokens that get KV
  learn(r, std::span(q.keys).first(std::min(q.keys.size(), static_cast<std::size_t>(r.prompt / config_.block_size))));

  Outcome out;
  scratch_.clear();
  const Admission admission = admit(r, true, scratch_);
  out.gpu_hit = admission.gpu_tokens;
  out.host_loaded = admission.host_tokens;
  if (admission.host_tokens > 0) end_load(r, scratch_);
  out.computed = r.tokens - r.computed;

  std::size_t in_flight = 0;  // used entries of stores_
  std::int64_t step_number = 0, oldest_step = 0;
  const auto settle = [&](std::int64_t before) {
    std::size_t done = 0;
    while (done < in_flight && oldest_step + static_cast<std::int64_t>(done) < before) host_.end_store(stores_[done++]);
    if (done == 0) return;
    std::rotate(stores_.begin(), stores_.begin() + static_cast<std::ptrdiff_t>(done),
                stores_.begin() + static_cast<std::ptrdiff_t>(in_flight));
    in_flight -= done;
    oldest_step += static_cast<std::int64_t>(done);
  };
  // One (possibly empty) job per step, so that the position in the queue tells the step.
  const auto offer_step = [&](std::int64_t tokens, bool at_end) {
    if (in_flight == 0) oldest_step = step_number;
    if (stores_.size() == in_flight) stores_.emplace_back();
    auto& job = stores_[in_flight++];
    job.clear();
    Step report;
    offer(r, tokens, at_end, job, report);
    out.stored_chunks += static_cast<std::int64_t>(job.size());
    out.failed_stores += report.store_failed;
    out.skipped_chunks += report.skipped;
    ++step_number;
  };

  const std::int64_t budget = config_.max_batched_tokens > 0 ? config_.max_batched_tokens : r.tokens;
  while (r.computed < r.tokens) {
    settle(step_number - 1);
    advance(r, std::min(budget, r.tokens - r.computed));
    offer_step(r.computed, false);
  }
  const auto know = [&](std::int64_t tokens) {
    const auto blocks = static_cast<std::size_t>(tokens / config_.block_size);
    learn(r, std::span(q.keys).first(std::min(q.keys.size(), blocks)));
    learn_anonymous(r, blocks);
  };
  while (r.computed < last) {
    // Steps in which nothing can be offered only take blocks, and are taken together.
    const bool quiet = config_.host_chunks == 0 || (config_.offload_prompt_only && r.next_chunk >= r.prompt / chunk_tokens_);
    const std::int64_t tokens = quiet ? last - r.computed : 1;
    know(r.computed + tokens);
    if (!quiet) settle(step_number - 1);
    advance(r, tokens);
    if (!quiet) offer_step(r.computed, false);
  }
  know(r.prompt + outputs);
  settle(step_number - 1);
  offer_step(last_offer_tokens(r, r.prompt + outputs), true);
  host_.finish(r.chunks, r.flags);
  gpu_.release(r.blocks);
  settle(step_number);
  return out;
}

}  // namespace kvcliff::cache
