// SPDX-License-Identifier: GPL-3.0-or-later
// Scheduling: who runs in a step, and for how long. Booking of counters is in engine_book.cpp.
#include "emulator/engine.h"

#include <algorithm>
#include <boost/asio/post.hpp>

#include "base/clock.h"
#include "emulator/text.h"

namespace kvcliff::emulator {

Engine::Engine(boost::asio::io_context& io, const Options& options, const Setup& setup, CacheModel& cache, TimeModel& time, Metrics& metrics)
    : io_(io), options_(options), setup_(setup), cache_(cache), time_(time), metrics_(metrics), rng_(options.seed + 17) {}

double Engine::now() const { return static_cast<double>(mono_now()) / 1e9; }

void Engine::after(TimeModel::Duration d, std::function<void()> then) {
  auto timer = std::make_shared<boost::asio::steady_timer>(io_, d);
  timer->async_wait([timer, then = std::move(then)](const boost::system::error_code& ec) {
    if (!ec) then();
  });
}

void Engine::submit(std::shared_ptr<Job> job) {
  job->arrived = now();
  job->prompt_hash = hash64(job->tokens.data(), job->tokens.size() * sizeof(std::int32_t));
  arriving_.insert(job);
  time_.next_request();
  after(time_.front_end(job->prompt), [this, job] { arrive(job); });
}

void Engine::arrive(const std::shared_ptr<Job>& job) {
  if (!arriving_.erase(job) || dead_) return;  // aborted on the way
  if (options_.lies.on(Lie::stuck_request, job->ordinal) && !job->foreign) {
    job->loading = true;  // waits for a transfer that never comes
    waiting_.push_back(job);
    update_gauges();
    return;
  }
  if (options_.prefix_caching) extend_keys(job->keys, job->tokens, setup_.cache.block_size, job->salt);
  waiting_.push_back(job);
  kick();
}

void Engine::kick() {
  if (stepping_ || kicked_ || dead_) return;
  kicked_ = true;
  boost::asio::post(io_, [this] {
    kicked_ = false;
    if (!stepping_) schedule();
  });
}

bool Engine::step_one(const std::shared_ptr<Job>& job, std::int64_t tokens) {
  const bool prefill = job->computed < job->prompt;
  const auto s = cache_.step(job->id, tokens, job->keys);
  if (!s.scheduled) return false;
  note(s, *job);
  if (job->scheduled == 0) job->scheduled = now();
  if (prefill || tokens > 1) {
    parts_.push_back({tokens, job->computed});
    if (job->booked_compute > 0) parts_.push_back({std::exchange(job->booked_compute, 0), 0});
  } else {
    ++decoding_;
  }
  in_step_.push_back({job, tokens});
  return true;
}

void Engine::schedule() {
  if (dead_) return;
  in_step_.clear();
  parts_.clear();
  stores_of_step_.clear();
  decoding_ = 0;
  std::int64_t budget = setup_.cache.max_batched_tokens;
  bool preempted = false;

  // Running requests first, in their order; the last one gives way when no block is free.
  for (std::size_t i = 0; i < running_.size() && budget > 0; ++i) {
    const auto job = running_[i];
    if (job->loading) continue;
    const std::int64_t tokens = std::min<std::int64_t>(budget, static_cast<std::int64_t>(job->tokens.size()) - job->computed);
    if (tokens <= 0) continue;
    if (options_.lies.on(Lie::preemption, job->ordinal) && !forced_preemption_done_ && job->output() == 2) {
      forced_preemption_done_ = true;
      preempt(job);
      preempted = true;
      --i;
      continue;
    }
    bool done = step_one(job, tokens);
    while (!done) {
      const auto victim = running_.back();
      preempt(victim);
      preempted = true;
      if (victim == job) break;
      std::erase_if(in_step_, [&](const Scheduled& s) { return s.job == victim; });
      done = step_one(job, tokens);
    }
    if (done) budget -= tokens;
    else break;
  }

  // Then waiting ones; one that does not fit holds up those behind it, one that waits for a transfer does not.
  for (std::size_t i = 0; !preempted && i < waiting_.size() && budget > 0;) {
    if (static_cast<std::int64_t>(running_.size()) >= options_.max_num_seqs) break;
    const auto job = waiting_[i];
    if (job->loading) {
      ++i;
      continue;
    }
    if (!job->loaded) {
      const Admitted a = try_admit(job);
      if (a == Admitted::no) break;
      if (a == Admitted::deferred || a == Admitted::loading) {
        ++i;
        continue;
      }
    }
    const std::int64_t tokens = std::min<std::int64_t>(budget, static_cast<std::int64_t>(job->tokens.size()) - job->computed);
    if (!step_one(job, tokens)) {
      if (job->loaded) break;  // keeps the blocks that were loaded for it
      cache_.preempt(job->id);
      job->in_cache = false;
      job->computed = 0;
      break;
    }
    budget -= tokens;
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
    running_.push_back(job);
  }
  update_gauges();
  if (in_step_.empty()) return;
  std::int64_t total = 0;
  for (const auto& s : in_step_) total += s.tokens;
  metrics_.iteration.observe(double(total));
  stepping_ = true;
  after(time_.step(parts_, decoding_, storing_ > 0), [this] { step_over(); });
}

Engine::Admitted Engine::try_admit(const std::shared_ptr<Job>& job) {
  auto a = cache_.admit(job->id, job->keys, static_cast<std::int64_t>(job->tokens.size()), job->prompt,
                              options_.prefix_caching && !job->skip_reading);
  const bool admitted = a.verdict == CacheModel::Admission::Verdict::admitted;
  job->was_deferred = a.verdict == CacheModel::Admission::Verdict::deferred;
  job->computed = admitted ? a.gpu_tokens : 0;
  if (admitted && options_.lies.has(Lie::warm_cache) && a.gpu_tokens + a.host_tokens == 0 && seen_prompts_.insert(job->prompt_hash).second)
    a.gpu_tokens = (job->prompt - 1) / setup_.cache.block_size * setup_.cache.block_size;  // booked as if the blocks had been there
  if (!job->admitted_once) book_lookup(*job, a, admitted);
  if (!admitted) return job->was_deferred ? Admitted::deferred : Admitted::no;
  job->in_cache = true;
  if (!job->admitted_once) {
    job->admitted_once = true;
    job->gpu_hit = a.gpu_tokens;
    job->host_loaded = a.host_tokens;
    job->cached = a.gpu_tokens + a.host_tokens;
    if (options_.lies.has(Lie::hit_without_speed)) job->booked_compute = job->cached;
    if (options_.lies.on(Lie::external_not_loaded, job->ordinal)) job->booked_compute = a.host_tokens;
    // The answer would show it if a loaded block were another one.
    if (a.host_tokens > 0 && options_.lies.on(Lie::output_changed, job->ordinal)) job->prompt_hash ^= 0x9e3779b97f4a7c15ull;
  }
  if (!a.load) return Admitted::yes;
  job->loading = true;
  start_load(job, *a.load, a.host_tokens);
  return Admitted::loading;
}

void Engine::preempt(const std::shared_ptr<Job>& job) {
  cache_.preempt(job->id);
  std::erase(running_, job);
  job->computed = 0;
  job->in_cache = job->loaded = false;
  ++job->preemptions;
  metrics_.preemptions += 1;
  waiting_.push_front(job);
}

void Engine::step_over() {
  stepping_ = false;
  if (dead_) return;
  // The copies of this step start with the next one.
  for (const auto& s : stores_of_step_) start_store(s);
  stores_of_step_.clear();
  const auto done = std::exchange(in_step_, {});
  for (const auto& s : done) {
    if (s.job->finished) continue;  // aborted during the step
    s.job->computed += s.tokens;
    if (s.job->computed >= static_cast<std::int64_t>(s.job->tokens.size())) sample(s.job);
    if (dead_) return;
  }
  if (open() == 0 && on_idle) on_idle();
  kick();
}

void Engine::sample(const std::shared_ptr<Job>& job) {
  const double t = now();
  const std::int32_t token = output_token(job->prompt_hash, job->output());
  job->tokens.push_back(token);
  if (options_.prefix_caching) extend_keys(job->keys, job->tokens, setup_.cache.block_size, job->salt);
  ++generated_;
  metrics_.generation += options_.lies.on(Lie::generation_wrong, job->ordinal) && job->output() == 1 ? 2 : 1;
  if (!job->first_token) {
    job->first_token = true;
    job->first = t;
    book_first_token(*job);
  } else {
    metrics_.itl.observe(t - job->last);
  }
  job->last = t;
  const bool stop = std::find(job->stop_ids.begin(), job->stop_ids.end(), token) != job->stop_ids.end();
  const bool end = stop || job->output() >= job->max_tokens ||
                   static_cast<std::int64_t>(job->tokens.size()) >= setup_.max_model_len;
  job->held.push_back(token);
  // Events are not tokens: now and then two come in one event, mostly the last two.
  const std::int64_t left = job->max_tokens - job->output();
  const bool hold = !end && job->output() > 1 && job->held.size() < 2 &&
                    rng_.unit() < (left == 1 ? options_.merge_tokens : options_.merge_tokens / 50);
  const bool all = !end && options_.lies.on(Lie::stream_coalesced, job->ordinal);
  if (end) {
    finish(job, stop ? "stop" : "length");
  } else if (!hold && !all && job->on_delta) {
    job->on_delta({std::exchange(job->held, {}), ""});
  }
  if (options_.fault == Fault::kill_core && generated_ >= options_.fault_at && !dead_) die();
}

void Engine::finish(const std::shared_ptr<Job>& job, const std::string& reason) {
  job->finished = true;
  std::erase(running_, job);
  const auto s = cache_.finish(job->id, job->keys, static_cast<std::int64_t>(job->tokens.size()));
  note(s, *job);
  for (const auto& store : stores_of_step_) start_store(store);
  stores_of_step_.clear();
  metrics_.success[reason] += 1;
  metrics_.e2e.observe(job->last - job->arrived);
  metrics_.prompt_tokens.observe(double(job->prompt));
  metrics_.generation_tokens.observe(double(job->output()));
  metrics_.max_generation.observe(double(job->output()));
  metrics_.params_n.observe(1);
  metrics_.params_max.observe(double(job->max_tokens));
  metrics_.queue.observe(job->scheduled - job->arrived);
  metrics_.prefill.observe(job->first - job->scheduled);
  metrics_.decode.observe(job->last - job->first);
  metrics_.inference.observe(job->last - job->scheduled);
  if (job->output() > 1) metrics_.tpot.observe((job->last - job->first) / double(job->output() - 1));
  metrics_.preempted.observe(double(job->preemptions));
  metrics_.prefill_computed.observe(double(job->prompt - job->cached));
  update_gauges();
  if (job->on_delta) job->on_delta({std::exchange(job->held, {}), reason});
}

void Engine::abort(const std::shared_ptr<Job>& job) {
  if (job->finished || dead_) return;
  job->finished = true;
  job->on_delta = nullptr;
  job->on_dead = nullptr;
  std::erase(running_, job);
  std::erase(waiting_, job);
  arriving_.erase(job);
  if (job->in_cache) note(cache_.finish(job->id, job->keys, job->computed), *job);
  update_gauges();
  if (open() == 0 && on_idle) on_idle();
  kick();
}

bool Engine::reset(bool external, bool running_too) {
  if (options_.lies.has(Lie::reset_ignored)) return true;
  if (running_too && open() > 0 && setup_.tier) {
    die();
    return true;
  }
  const bool done = cache_.reset(external);
  if (done && on_cleared) on_cleared();
  return done;
}

void Engine::die() {
  if (dead_) return;
  fall_silent();
  std::vector<std::shared_ptr<Job>> all(running_.begin(), running_.end());
  all.insert(all.end(), waiting_.begin(), waiting_.end());
  all.insert(all.end(), arriving_.begin(), arriving_.end());
  running_.clear();
  waiting_.clear();
  arriving_.clear();
  for (const auto& job : all) {
    job->finished = true;
    if (job->on_dead) job->on_dead();
  }
  if (on_death) on_death();
}

void Engine::fall_silent() { dead_ = true; }

}  // namespace kvcliff::emulator
