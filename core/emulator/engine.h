// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "emulator/cache_model.h"
#include "emulator/metrics.h"
#include "emulator/options.h"
#include "emulator/setup.h"
#include "emulator/timing.h"

namespace kvcliff::emulator {

/// One generation request inside the engine.
struct Job {
  std::uint64_t id = 0;
  std::int64_t ordinal = 0;                 ///< in order of arrival, from 0
  std::vector<std::int32_t> tokens;         ///< prompt, then output
  std::int64_t prompt = 0, max_tokens = 1;
  std::string salt;
  bool skip_reading = false;                ///< prompt log-probabilities: no look-up
  bool foreign = false;                     ///< injected by a lie; nobody listens
  std::vector<std::int32_t> stop_ids;

  struct Delta {
    std::vector<std::int32_t> ids;
    std::string finish;                     ///< "length", "stop" or empty
  };
  std::function<void(const Delta&)> on_delta;
  std::function<void()> on_dead;            ///< the engine died

  // Filled by the engine.
  std::int64_t computed = 0;                ///< tokens with KV
  std::int64_t cached = 0;                  ///< GPU + host, of the first admission
  std::int64_t gpu_hit = 0, host_loaded = 0;
  bool admitted_once = false, in_cache = false, loading = false, loaded = false, first_token = false, finished = false, was_deferred = false;
  std::int64_t preemptions = 0, booked_compute = 0;  ///< extra tokens of time (hit-without-speed)
  std::uint64_t prompt_hash = 0;
  std::vector<std::uint64_t> keys;
  std::vector<std::int32_t> held;           ///< tokens not sent yet (two in one event)
  std::int64_t output() const { return static_cast<std::int64_t>(tokens.size()) - prompt; }
  // Seconds of the steady clock.
  double arrived = 0, scheduled = 0, first = 0, last = 0;
};

/// Continuous batching over a CacheModel, in steps whose length the time model gives. Runs on the io_context's thread.
class Engine {
 public:
  Engine(boost::asio::io_context& io, const Options& options, const Setup& setup, CacheModel& cache, TimeModel& time, Metrics& metrics);

  void submit(std::shared_ptr<Job> job);
  /// The client went away: nothing is counted as finished.
  void abort(const std::shared_ptr<Job>& job);
  /// Answers of /reset_prefix_cache. `running_too` with a tier kills the engine, as live.
  bool reset(bool external, bool running_too);
  /// Death of the engine core: streams get an error event.
  void die();
  /// Death without a word: streams fall silent (SIGTERM while clients read).
  void fall_silent();
  bool dead() const { return dead_; }
  std::size_t open() const { return running_.size() + waiting_.size() + arriving_.size(); }
  std::int64_t generated() const { return generated_; }
  std::function<void()> on_idle;              ///< last request has ended
  std::function<void()> on_death;
  std::function<void()> on_cleared;           ///< the GPU's cache was emptied
  std::function<void(std::vector<CacheModel::Change>)> on_changes;  ///< of the cache; empty: not looked at
  std::function<void(const std::string&)> log;  ///< lines of the engine core
  std::int64_t next_ordinal() { return ordinals_++; }
  std::uint64_t next_id() { return ids_++; }

 private:
  struct StoreJob {
    CacheModel::Transfer transfer;
    std::int64_t ordinal = 0;
  };
  void arrive(const std::shared_ptr<Job>& job);
  void kick();
  void schedule();
  bool step_one(const std::shared_ptr<Job>& job, std::int64_t tokens);
  enum class Admitted { yes, loading, deferred, no };
  Admitted try_admit(const std::shared_ptr<Job>& job);
  void book_lookup(Job& job, const CacheModel::Admission& a, bool admitted);
  void note(const CacheModel::Step& step, const Job& job);
  void step_over();
  void sample(const std::shared_ptr<Job>& job);
  void book_first_token(Job& job);
  void finish(const std::shared_ptr<Job>& job, const std::string& reason);
  void start_store(StoreJob store);
  void start_load(const std::shared_ptr<Job>& job, CacheModel::Transfer load, std::int64_t host_tokens);
  void preempt(const std::shared_ptr<Job>& job);
  void inject_foreign();
  void publish_bytes(bool load, double bytes, double seconds, std::int64_t ordinal);
  void update_gauges();
  void publish_changes();
  void after(TimeModel::Duration d, std::function<void()> then);
  double now() const;

  boost::asio::io_context& io_;
  const Options& options_;
  const Setup& setup_;
  CacheModel& cache_;
  TimeModel& time_;
  Metrics& metrics_;
  Rng rng_;
  std::deque<std::shared_ptr<Job>> waiting_;
  std::vector<std::shared_ptr<Job>> running_;
  std::set<std::shared_ptr<Job>> arriving_;
  struct Scheduled { std::shared_ptr<Job> job; std::int64_t tokens; };
  std::vector<Scheduled> in_step_;
  std::vector<TimeModel::Part> parts_;
  std::vector<StoreJob> stores_of_step_;
  std::int64_t decoding_ = 0, storing_ = 0;
  std::set<std::uint64_t> seen_prompts_;
  std::uint64_t ids_ = 1;
  std::int64_t ordinals_ = 0, generated_ = 0;
  bool stepping_ = false, kicked_ = false, dead_ = false, forced_preemption_done_ = false;
};

}  // namespace kvcliff::emulator
