// SPDX-License-Identifier: GPL-3.0-or-later
#include "cache/engine_loop.h"

#include <algorithm>

#include "base/hash.h"

namespace kvcliff::cache {

EngineLoop::EngineLoop(const Config& config, const LoopOptions& options, std::uint64_t seed)
    : config_(config), options_(options), cache_(config, seed) {}

Result<int> EngineLoop::submit(const Request& request) {
  if (auto why = cache_.misfit(request)) return fail(std::move(*why));
  Flight f;
  f.request = request;
  f.request.output_tokens = std::max<std::int64_t>(request.output_tokens, 1);
  f.known = request.prompt_tokens;
  const auto number = static_cast<int>(flights_.size());
  // Blocks of generated tokens have keys nobody else has.
  const auto blocks = static_cast<std::size_t>((f.known + f.request.output_tokens) / config_.block_size);
  while (f.request.keys.size() < blocks) {
    const std::uint64_t parts[3]{static_cast<std::uint64_t>(number), f.request.keys.size(), 0x6f757470ULL};
    f.request.keys.push_back(hash64(parts, sizeof parts));
  }
  flights_.push_back(std::move(f));
  waiting_.push_back(number);
  return number;
}

void EngineLoop::settle() {
  for (std::size_t i = 0; i < transfers_.size();) {
    const Transfer t = transfers_[i];
    if (t.due > now_) {
      ++i;
      continue;
    }
    transfers_.erase(transfers_.begin() + static_cast<std::ptrdiff_t>(i));
    if (t.is_load) {
      cache_.load_done(t.job);
      flights_[static_cast<std::size_t>(t.request)].state = State::loaded;
    } else {
      cache_.store_done(t.job);
    }
  }
}

void EngineLoop::note(int request, const Simulator::Step& s) {
  Report& r = flights_[static_cast<std::size_t>(request)].report;
  if (s.store) {
    r.sources.stored_chunks += s.store->chunks;
    transfers_.push_back({s.store->job, request, now_ + 1 + options_.store_steps, false});
  }
  r.sources.failed_stores += s.store_failed;
  r.sources.skipped_chunks += s.skipped;
}

// Tries to start a waiting request. False: it stays in the queue; `blocked` then ends the scheduling of this step.
bool EngineLoop::start(int number, std::int64_t& budget, bool& blocked) {
  Flight& f = flights_[static_cast<std::size_t>(number)];
  const auto id = static_cast<Simulator::Id>(number);
  const auto keys = std::span<const std::uint64_t>(f.request.keys).first(static_cast<std::size_t>(f.known / config_.block_size));
  if (f.state == State::waiting) {
    const auto a = cache_.admit(id, keys, f.known, f.request.prompt_tokens);
    if (a.verdict == Simulator::Admission::Verdict::deferred) {
      ++f.report.deferrals;
      return false;
    }
    if (a.verdict == Simulator::Admission::Verdict::no_room) {
      ++f.report.blocked;
      blocked = true;
      return false;
    }
    if (f.report.preemptions == 0) {
      f.report.sources.gpu_hit = a.gpu_tokens;
      f.report.sources.host_loaded = a.host_tokens;
      f.report.sources.computed = std::max<std::int64_t>(1, f.request.prompt_tokens - a.gpu_tokens - a.host_tokens);
    } else {
      f.report.resumed_gpu = a.gpu_tokens;
      f.report.resumed_host = a.host_tokens;
    }
    if (a.load) {
      transfers_.push_back({a.load->job, number, now_ + 1 + options_.load_steps, true});
      f.state = State::loading;
      return false;
    }
  }
  const std::int64_t tokens = std::min(budget, f.known - cache_.computed(id));
  const auto s = cache_.step(id, tokens, keys);
  if (!s.scheduled) {
    f.state = State::loaded;  // it holds its blocks and waits for more
    ++f.report.blocked;
    blocked = true;
    return false;
  }
  note(number, s);
  budget -= tokens;
  f.state = State::running;
  running_.push_back(number);
  return true;
}

bool EngineLoop::step() {
  settle();
  std::int64_t budget = config_.max_batched_tokens > 0 ? config_.max_batched_tokens : std::int64_t{1} << 40;
  bool preempted = false;
  std::vector<int> scheduled;
  for (std::size_t i = 0; i < running_.size() && budget > 0; ++i) {
    const int number = running_[i];
    Flight& f = flights_[static_cast<std::size_t>(number)];
    const auto id = static_cast<Simulator::Id>(number);
    const std::int64_t tokens = std::min(budget, f.known - cache_.computed(id));
    const auto keys = std::span<const std::uint64_t>(f.request.keys).first(static_cast<std::size_t>(f.known / config_.block_size));
    auto s = cache_.step(id, tokens, keys);
    while (!s.scheduled) {  // no free block: the last running request makes room
      const int victim = running_.back();
      running_.pop_back();
      cache_.preempt(static_cast<Simulator::Id>(victim));
      Flight& v = flights_[static_cast<std::size_t>(victim)];
      v.state = State::waiting;
      ++v.report.preemptions;
      waiting_.push_front(victim);
      preempted = true;
      if (victim == number) break;
      s = cache_.step(id, tokens, keys);
    }
    if (!s.scheduled) break;
    note(number, s);
    budget -= tokens;
    scheduled.push_back(number);
  }
  if (!preempted) {
    bool blocked = false;
    for (std::size_t i = 0; i < waiting_.size() && budget > 0 && !blocked;) {
      if (static_cast<std::int64_t>(running_.size()) >= options_.max_running) break;
      const int number = waiting_[i];
      const Flight& f = flights_[static_cast<std::size_t>(number)];
      if (f.state == State::loading || !start(number, budget, blocked)) {
        ++i;
        continue;
      }
      waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
      scheduled.push_back(number);
    }
  }
  for (const int number : scheduled) {  // a request whose known tokens all have KV gets its next token
    Flight& f = flights_[static_cast<std::size_t>(number)];
    const auto id = static_cast<Simulator::Id>(number);
    if (cache_.computed(id) < f.known) continue;
    ++f.known;
    if (++f.sampled < f.request.output_tokens) continue;
    note(number, cache_.finish(id, f.request.keys, f.known));
    std::erase(running_, number);
    f.state = State::done;
    f.report.finished_step = now_;
  }
  ++now_;
  return !running_.empty() || !waiting_.empty() || !transfers_.empty();
}

bool EngineLoop::drain(int most) {
  for (int i = 0; i < most; ++i)
    if (!step()) return true;
  return false;
}

}  // namespace kvcliff::cache
