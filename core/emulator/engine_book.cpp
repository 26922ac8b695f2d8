// SPDX-License-Identifier: GPL-3.0-or-later
// Which counter moves when: look-ups at admission, prompt tokens at the first token, bytes when a transfer job ends.
#include <algorithm>
#include <chrono>

#include "emulator/engine.h"

namespace kvcliff::emulator {
namespace {
double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}
}  // namespace

void Engine::book_lookup(Job& job, const CacheModel::Admission& a, bool admitted) {
  const Generation& g = options_.generation;
  const double n = double(job.tokens.size()), local = double(a.gpu_tokens), host = double(a.host_tokens);
  // Before look-ups were counted at admission only, each retry of a waiting request counted again.
  if ((admitted || !g.queries_once()) && !job.skip_reading && options_.prefix_caching) {
    metrics_.queries += n + (options_.lies.on(Lie::queries_wrong, job.ordinal) ? double(setup_.cache.block_size) : 0);
    metrics_.hits += local;
  }
  if (!admitted) return;
  metrics_.cached_device += local;
  metrics_.cached_host += host;
  if (!setup_.tier || !g.external_counters() || options_.lies.has(Lie::tier_off)) return;
  metrics_.external_queries += g.external_queries_whole() ? n : n - local;
  metrics_.external_hits += host;
  if (g.load_store_bytes()) metrics_.lookup_delay.observe(3e-5);
}

void Engine::book_first_token(Job& job) {
  const double n = double(job.prompt);
  double local = double(job.gpu_hit), external = double(job.host_loaded), cached = double(job.cached);
  double computed = n - cached, recomputed = 0;
  if (options_.generation.recomputed()) {
    // Any request with one token left counts as "all cached": one of them is shown as recomputed.
    cached = std::min(cached, n - 1);
    recomputed = cached + 1 == n ? 1 : 0;
    local = cached + recomputed - external;
    computed = n - cached;
  }
  if (options_.lies.on(Lie::misbooked_source, job.ordinal)) {
    local += external;
    external = 0;
  }
  const double times = options_.lies.on(Lie::double_count, job.ordinal) ? 2 : 1;
  metrics_.prompt += n;
  metrics_.computed += computed * times;
  metrics_.local += local * times;
  metrics_.external += external * times;
  metrics_.cached += cached * times;
  metrics_.recomputed += recomputed;
  metrics_.ttft.observe(job.first - job.arrived);
  if (options_.lies.on(Lie::foreign_request, job.ordinal) && !job.foreign) inject_foreign();
  if (options_.lies.on(Lie::counter_reset, job.ordinal) && !job.foreign) metrics_.zero();
  if (options_.lies.on(Lie::process_restarted, job.ordinal) && !job.foreign) {
    metrics_.zero();
    metrics_.start_time = metrics_.created = wall_seconds();
  }
}

void Engine::note(const CacheModel::Step& step, const Job& job) {
  if (step.skipped > 0 || options_.lies.on(Lie::skipped_stores, job.ordinal)) {
    if (metrics_.skipped_created == 0) metrics_.skipped_created = wall_seconds();
    metrics_.stores_skipped += double(step.skipped);
  }
  const bool lied = step.store && options_.lies.on(Lie::failed_stores, job.ordinal);
  if (step.store_failed || lied) {
    if (metrics_.failures_created == 0) metrics_.failures_created = wall_seconds();
    metrics_.allocation_failures += 1;
  }
  if (!step.store) return;
  if (lied || options_.lies.on(Lie::skipped_stores, job.ordinal)) {
    if (!lied) metrics_.stores_skipped += double(step.store->chunks);
    cache_.store_done(step.store->job);  // nothing moved, nothing counted
    return;
  }
  metrics_.allocation.observe(double(step.store->chunks));
  stores_of_step_.push_back({*step.store, job.ordinal});
  update_gauges();
}

void Engine::start_store(StoreJob store) {
  const std::int64_t block_bytes = setup_.cache.block_size * setup_.kv_bytes_per_token;
  const std::int64_t bytes = store.transfer.chunks * setup_.cache.blocks_per_chunk * block_bytes;
  ++storing_;
  const double begun = now();
  after(time_.store(bytes), [this, store, bytes, begun, block_bytes] {
    --storing_;
    cache_.store_done(store.transfer.job);
    update_gauges();
    const double shown = double(bytes) - (options_.lies.on(Lie::store_bytes_short, store.ordinal) ? double(block_bytes) : 0);
    publish_bytes(false, shown, now() - begun, store.ordinal);
    kick();
  });
}

void Engine::start_load(const std::shared_ptr<Job>& job, CacheModel::Transfer load, std::int64_t host_tokens) {
  const std::int64_t block_bytes = setup_.cache.block_size * setup_.kv_bytes_per_token;
  const std::int64_t bytes = load.chunks * setup_.cache.blocks_per_chunk * block_bytes;
  const double begun = now();
  const bool announced_only = options_.lies.on(Lie::external_not_loaded, job->ordinal);
  update_gauges();
  after(announced_only ? time_.scaled(0.1) : time_.load(bytes), [this, job, load, host_tokens, bytes, begun, block_bytes, announced_only] {
    if (dead_) return;
    cache_.load_done(load.job);
    job->loading = false;
    job->loaded = true;
    // Everything loaded: the last token is recomputed all the same.
    job->computed = std::min<std::int64_t>(job->computed + host_tokens, static_cast<std::int64_t>(job->tokens.size()) - 1);
    double shown = double(bytes);
    if (options_.lies.on(Lie::bytes_short, job->ordinal)) shown -= double(block_bytes);
    if (options_.lies.on(Lie::bytes_long, job->ordinal)) shown += double(block_bytes);
    if (!announced_only) publish_bytes(true, shown, now() - begun, job->ordinal);
    update_gauges();
    kick();
  });
}

void Engine::publish_bytes(bool load, double bytes, double seconds, std::int64_t ordinal) {
  const auto publish = [this, load, bytes, seconds, ordinal] {
    const double old = load && options_.lies.on(Lie::generations_differ, ordinal) ? bytes * 0.9 : bytes;
    if (load) {
      if (metrics_.load_created == 0) metrics_.load_created = wall_seconds();
      metrics_.load_bytes += bytes;
      metrics_.old_load_bytes += old;
      metrics_.load_time += seconds;
      metrics_.load_size.observe(bytes);
      metrics_.old_load_size.observe(old);
    } else {
      if (metrics_.store_created == 0) metrics_.store_created = wall_seconds();
      metrics_.store_bytes += bytes;
      metrics_.old_store_bytes += old;
      metrics_.store_time += seconds;
      metrics_.store_size.observe(bytes);
      metrics_.old_store_size.observe(old);
    }
  };
  if (options_.lies.on(Lie::late_counters, ordinal)) after(time_.scaled(3000), publish);
  else publish();
}

void Engine::inject_foreign() {
  auto job = std::make_shared<Job>();
  job->id = next_id();
  job->ordinal = -1;
  job->foreign = true;
  job->prompt = std::min<std::int64_t>(100, setup_.max_model_len - 2);
  for (std::int64_t i = 0; i < job->prompt; ++i) job->tokens.push_back(static_cast<std::int32_t>(300 + i * 7 % 1700));
  job->max_tokens = 1;
  submit(job);
}

void Engine::update_gauges() {
  const auto g = cache_.gauges();
  metrics_.running = double(running_.size());
  metrics_.waiting = double(waiting_.size());
  metrics_.deferred = double(std::count_if(waiting_.begin(), waiting_.end(), [](const auto& j) { return j->loading || j->was_deferred; }));
  metrics_.loading = double(std::count_if(waiting_.begin(), waiting_.end(), [](const auto& j) { return j->loading; }));
  metrics_.gpu_usage = setup_.cache.gpu_blocks > 0 ? double(g.gpu_used) / double(setup_.cache.gpu_blocks) : 0;
  if (setup_.cache.host_chunks > 0) {
    metrics_.pinned_read = double(g.host_reading) / double(setup_.cache.host_chunks);
    metrics_.pinned_write = double(g.host_writing) / double(setup_.cache.host_chunks);
    if (g.host_reading + g.host_writing > 0) metrics_.pins_seen = true;
  }
  publish_changes();
}

void Engine::publish_changes() {
  if (!on_changes) return;
  auto changes = cache_.take_changes();
  if (changes.empty()) return;
  const auto leave_out = [&](bool host) {
    const auto it = std::find_if(changes.begin(), changes.end(), [host](const auto& c) { return c.stored && c.host == host; });
    if (it != changes.end()) changes.erase(it);
  };
  const std::int64_t newest = ordinals_ - 1;  // these lies are told of requests one after another
  if (options_.lies.on(Lie::gpu_store_unannounced, newest)) leave_out(false);
  if (options_.lies.on(Lie::host_store_unannounced, newest)) leave_out(true);
  if (options_.lies.on(Lie::removal_invented, newest)) changes.push_back({false, false, ~std::uint64_t{0}});
  if (!changes.empty()) on_changes(std::move(changes));
}

}  // namespace kvcliff::emulator
