// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "base/clock.h"
#include "experiment/runner.h"
#include "journal/reader.h"
#include "support/data.h"

namespace kvcliff::test {

/// What one fake server does; shared by all servers of a run. `session` counts launches from 0.
struct Script {
  int ready_after = 2;                       ///< health calls that fail first
  std::function<bool(int session, int request)> hang = [](int, int) { return false; };
  std::function<bool(int session, int request)> die = [](int, int) { return false; };
  std::function<bool(int session)> never_ready = [](int) { return false; };
  std::function<bool(int session)> die_while_loading = [](int) { return false; };
  int refusals = 0;                          ///< completions answered with 503 before the first token
  std::function<bool(int session, int request)> crash = [](int, int) { return false; };  ///< the engine dies behind its server
  std::string crash_line;                    ///< what it says then
  std::atomic<bool> crashed{false};
  int pinned_scrapes = 0;                    ///< scrapes after a request that show a pinned transfer
  bool has_metrics = true;
  std::function<Result<void>()> reset = [] { return Result<void>(); };
  std::atomic<int> launches{0}, stops{0}, resets{0}, cancels{0}, max_in_flight{0}, in_flight{0};
};

class FakeProcess final : public process::Process {
 public:
  explicit FakeProcess(Script& s) : script_(s) {}
  std::int64_t pid() const override { return 4242; }
  bool running() override { return !dead; }
  std::optional<process::Exit> exit() override {
    return dead ? std::optional(process::Exit{1, false, SystemClock().now()}) : std::nullopt;
  }
  std::optional<process::Exit> wait(std::chrono::milliseconds) override { return exit(); }
  std::vector<LogLine> lines(std::size_t) const override { return {{{1, 1}, true, "RuntimeError: out of memory", false}}; }
  Result<Stopped> stop(std::chrono::milliseconds) override {
    ++script_.stops;
    dead = true;
    Stopped s;
    s.terminated_in_grace = true;
    return s;
  }
  Result<void> signal(int) override { return {}; }
  std::atomic<bool> dead{false};

 private:
  Script& script_;
};

class FakeLauncher final : public process::Launcher {
 public:
  explicit FakeLauncher(Script& s) : script_(s) {}
  Result<std::unique_ptr<process::Process>> start(const process::Command& c, OnLine on_line) override {
    commands.push_back(c);
    ++script_.launches;
    on_line({SystemClock().now(), false, "starting", false});
    say = on_line;
    auto p = std::make_unique<FakeProcess>(script_);
    last = p.get();
    return p;
  }
  std::string shown(const process::Command&) const override { return "fake"; }
  std::vector<process::Command> commands;
  FakeProcess* last = nullptr;
  OnLine say;

 private:
  Script& script_;
};

class FakeAdapter final : public engine::Adapter {
 public:
  std::string name() const override { return "fake"; }
  Result<process::Command> command(const plan::Plan&, bool offload, const engine::Endpoint& at) const override {
    process::Command c;
    c.argv = {"fake-engine", "--port", std::to_string(at.port)};
    if (offload) c.argv.push_back("--tier");
    return c;
  }
  bool is_offload_setting(const std::string& f) const override { return f == "--tier"; }
  std::string completion_body(const std::string&, std::span<const std::int32_t>, std::int64_t, const std::string&) const override { return "{}"; }
  std::string completion_path() const override { return "/v1/completions"; }
  std::string metrics_path() const override { return "/metrics"; }
  std::string model_name(const plan::Plan&) const override { return "m"; }
  CounterSnapshot interpret(const net::HttpAnswer&, const std::string&) const override { return {}; }
  Capabilities probe(const CounterSnapshot&, net::Client&, const engine::Endpoint&) const override { return {}; }
  EffectiveConfig effective(const std::vector<LogLine>&, const CounterSnapshot&, net::Client&, const engine::Endpoint&) const override { return {}; }
  std::optional<engine::FailureCause> failure_cause(const std::vector<LogLine>& log) const override {
    for (const auto& l : log)
      if (l.text.find("AssertionError") != std::string::npos) return engine::FailureCause{"The engine failed: AssertionError", "Start it again", {l.text}};
    for (const auto& l : log)
      if (l.text.find("out of memory") != std::string::npos)
        return engine::FailureCause{"The GPU has not enough memory", "Lower the blocks", {l.text}};
    return std::nullopt;
  }
  Result<void> learn_flags(process::Launcher&, const plan::Plan&, const std::function<bool()>&) override { return {}; }
  void learn(Capabilities& known, const StreamRecord& answer, const std::string&) const override {
    if (answer.usage.prompt_tokens) known["usage"] = {true, "first answer"};
  }
  Result<bool> reset_caches(net::Client&, const engine::Endpoint&, bool) const override { return false; }
};

/// Everything is computed: one prompt token is one computed token. Streams end on a thread of their own.
class FakeServer final : public experiment::Server {
 public:
  FakeServer(Script& s, FakeLauncher& l) : script_(s), launcher_(l), process_(l.last), session_(s.launches - 1) {}
  ~FakeServer() override {
    cancel_all();
    for (auto& t : threads_) t.join();
  }
  Result<void> health() override {
    if (script_.die_while_loading(session_) && process_) process_->dead = true;
    if (script_.crashed) return fail(ErrorCode::engine, "/health answers 503");
    if (script_.never_ready(session_) || calls_++ < script_.ready_after) return fail(ErrorCode::io, "connection refused");
    return {};
  }
  Result<std::vector<std::string>> models() override { return std::vector<std::string>{"m"}; }
  CounterSnapshot scrape() override {
    std::lock_guard guard(mutex_);
    CounterSnapshot s;
    s.sent = mono_now();
    s.received = s.sent + 1000;
    s.wall = SystemClock().wall();
    s.http_status = 200;
    s.engine = "vllm";
    s.generation = "0.32+";
    s.process_start = 100.0 + session_;
    if (!script_.has_metrics) {
      s.error = "404";
      return s;
    }
    s.readings["prompt_tokens"] = {tokens_, {}, {}, "vllm:prompt_tokens_total"};
    s.readings["prompt_tokens_by_source"] = {tokens_, {{"local_compute", tokens_}, {"local_cache_hit", 0}, {"external_kv_transfer", 0}}, {}, "vllm:prompt_tokens_by_source_total"};
    s.readings["request_success"] = {finished_, {}, {}, "vllm:request_success_total"};
    s.readings["num_requests_running"] = {static_cast<double>(script_.in_flight), {}, {}, "r"};
    s.readings["kv_offload_cpu_cache_usage_perc"] = {pinned_-- > 0 ? 0.5 : 0.0, {}, {}, "p"};
    return s;
  }
  Capabilities probe(const CounterSnapshot&) override { return {{"sources", {true, "fake"}}}; }
  EffectiveConfig effective(const std::vector<LogLine>&, const CounterSnapshot&) override {
    EffectiveConfig e;
    e.engine_version = "0.32.0";
    return e;
  }
  void stream(const PlannedRequest& planned, OnEvent event, OnDone done) override {
    const int number = requests_++;
    const int now = ++script_.in_flight;
    int seen = script_.max_in_flight;
    while (now > seen && !script_.max_in_flight.compare_exchange_weak(seen, now)) {
    }
    const auto n = planned.prompt_tokens;
    EXPECT_EQ(static_cast<std::int64_t>(planned.prompt.size()), n);
    threads_.emplace_back([this, number, n, event, done] {
      StreamRecord r;
      r.http_status = 200;
      r.times.t0 = mono_now();
      const bool hangs = script_.hang(session_, number);
      if (script_.refusals > 0) {
        --script_.refusals;
        r.http_status = 503;
        r.outcome = Outcome::error;
        r.why = "HTTP 503";
        r.times.end = mono_now();
        --script_.in_flight;
        return done(std::move(r));
      }
      if (script_.crash(session_, number)) {
        script_.crashed = true;
        launcher_.say({SystemClock().now(), true, script_.crash_line, false});
        r.times.first_token = r.times.last_token = r.times.end = mono_now();
        r.content_events = 1;
        r.outcome = Outcome::truncated;
        r.why = "The connection was cut.";
        --script_.in_flight;
        return done(std::move(r));
      }
      if (script_.die(session_, number)) process_->dead = true;
      while (hangs && !cancelled_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::this_thread::sleep_for(std::chrono::microseconds(500));
      r.times.first_token = mono_now();
      r.times.end = r.times.last_token = r.times.first_token;
      const StreamEvent e{r.times.first_token, 100, EventKind::token, 1};
      event(e);
      r.events.push_back(e);
      r.finish_reason = "length";
      r.outcome = cancelled_ && hangs ? Outcome::cancelled : Outcome::complete;
      r.usage.prompt_tokens = n;
      {
        std::lock_guard guard(mutex_);
        if (r.outcome == Outcome::complete) {
          tokens_ += static_cast<double>(n);
          finished_ += 1;
        }
        pinned_ = script_.pinned_scrapes;
      }
      --script_.in_flight;
      done(std::move(r));
    });
  }
  void cancel_all() override {
    ++script_.cancels;
    cancelled_ = true;
  }
  void preconnect(int) override {}
  Result<void> reset_caches() override {
    ++script_.resets;
    return script_.reset();
  }

 private:
  Script& script_;
  FakeLauncher& launcher_;
  FakeProcess* process_;
  int session_;
  int calls_ = 0, requests_ = 0;
  std::mutex mutex_;
  double tokens_ = 0, finished_ = 0;
  int pinned_ = 0;
  std::atomic<bool> cancelled_{false};
  std::vector<std::thread> threads_;
};

}  // namespace kvcliff::test
