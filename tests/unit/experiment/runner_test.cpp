// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/file.h"
#include "fakes.h"
#include "support/data.h"
#include "support/expect_file.h"

namespace kvcliff::experiment {
namespace {
using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The value of a result that must be good, as a value: a range-for over `*result()` would outlive its result.
template <class T>
T take(Result<T> r) {
  if (!r) throw std::runtime_error(r.error().sentence());
  return std::move(*r);
}

plan::Plan small_plan() {
  plan::Plan p;
  p.name = "small";
  p.workload.documents = 2;
  p.workload.tokens = 100;
  p.workload.rounds = 2;
  p.workload.output_tokens = 2;
  p.capacity.gpu_blocks = 100;
  p.capacity.host_bytes = 16 * 1024 * 200;
  p.arms = {{"off", false, {}}, {"on", true, {}}, {"control", false, {{"workload.documents", 1}}}};
  p.schedule.pairs = 1;
  p.warmup.max_requests = 2;
  p.limits.settle = {5, 2000};
  return p;
}

struct Counter final : Observer {
  std::atomic<int> finished{0}, measured{0};
  std::function<void(const RequestRecord&)> on_request;
  std::function<void(const SessionRecord&)> on_state;
  std::vector<Progress> progress_seen;
  void request_finished(const RequestRecord& r) override {
    ++finished;
    if (!r.plan.warmup) ++measured;
    if (on_request) on_request(r);
  }
  void session_changed(const SessionRecord& s) override {
    if (on_state) on_state(s);
  }
  void progress(const Progress& p) override { progress_seen.push_back(p); }
};

/// One journal, one script, as many runs as a test wants.
struct Rig {
  test::TempDir dir;
  test::Script script;
  test::FakeLauncher launcher{script};
  test::FakeAdapter adapter;
  Control control;
  Counter counter;
  std::string path = dir / "j.db";

  RunResult run(const plan::Plan& plan, RunOptions options = {}) {
    auto writer = journal::Writer::open(path);
    EXPECT_TRUE(writer) << writer.error().sentence();
    Services services{adapter, launcher, **writer, [](const plan::Plan&) -> Result<std::int64_t> { return 1024; },
                      [this](const engine::Endpoint&, const plan::Plan&) -> std::unique_ptr<Server> {
                        return std::make_unique<test::FakeServer>(script, launcher);
                      },
                      {}};
    options.time_scale = 0.1;
    return run_experiment(plan, options, services, control, {&counter}, path);
  }
  journal::Reader reader() { return std::move(*journal::Reader::open(path)); }
};

std::vector<std::string> states(const SessionRecord& s) {
  std::vector<std::string> out;
  for (const auto& c : s.changes) out.emplace_back(to_string(c.state));
  return out;
}

TEST(Run, AWholeExperimentIsJournalledStateByState) {
  Rig rig;
  const auto result = rig.run(small_plan());
  ASSERT_EQ(result.end, RunResult::End::finished) << result.why;
  auto r = rig.reader();
  EXPECT_EQ(r.experiment("")->state, "finished");
  EXPECT_EQ(r.experiment("")->host.at("model").at("kv_bytes_per_token"), (Json{{"off", 1024}, {"on", 1024}, {"control", 1024}}));
  const auto sessions = *r.sessions(result.experiment);
  ASSERT_EQ(sessions.size(), 3u);
  for (const auto& s : sessions)
    EXPECT_THAT(states(s), ElementsAre("planned", "preflight", "launching", "ready", "warming", "measuring", "settling", "stopping", "finished"));
  EXPECT_EQ(sessions[0].arm, "off");
  EXPECT_THAT(sessions[1].argv, ::testing::Contains("--tier"));
  EXPECT_TRUE(sessions[1].capabilities.at("usage").present) << "what only an answer shows is learned from the first one";
  int measured = 0;
  for (const auto& s : sessions) {
    const auto requests = *r.requests(s.id, journal::Depth::details);
    EXPECT_TRUE(requests.front().plan.warmup);
    EXPECT_EQ(requests.front().scrape_before, s.identity_scrape);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const auto& q = requests[i];
      EXPECT_EQ(q.plan.ordinal, static_cast<int>(i));
      EXPECT_TRUE(q.settled) << q.not_settled_why;
      if (i > 0) {
        EXPECT_EQ(q.scrape_before, requests[i - 1].scrape_after) << "nothing intervened";
      }
      EXPECT_EQ(q.sources.computed.value, Tokens(q.plan.prompt_tokens)) << q.sources.computed.from;
      if (!q.plan.warmup) {
        EXPECT_GE(q.plan.predicted.computed.min, 1) << "predicted before the run";
      }
      measured += !q.plan.warmup;
    }
    EXPECT_GT(s.last_scrape, requests.back().scrape_after);
  }
  EXPECT_EQ(measured, 4 + 4 + 2);
  EXPECT_EQ(rig.counter.measured, 10);
  EXPECT_EQ(rig.script.stops, 3);
  EXPECT_EQ(rig.counter.progress_seen.back().requests, 10);
  EXPECT_TRUE(rig.counter.progress_seen.back().left);
}

TEST(Run, WarmUpSharesNoBlockWithWhatIsMeasured) {
  Rig rig;
  const auto result = rig.run(small_plan());
  auto r = rig.reader();
  std::set<std::uint64_t> warm, measured;
  for (const auto& s : take(r.sessions(result.experiment)))
    for (const auto& q : take(r.requests(s.id, journal::Depth::details)))
      (q.plan.warmup ? warm : measured).insert(q.plan.block_hashes.begin(), q.plan.block_hashes.end());
  EXPECT_FALSE(warm.empty());
  for (const auto h : warm) EXPECT_FALSE(measured.count(h));
}

// A server that we only attach to outlives the run: the next one must find none of its warm-up in the caches.
TEST(Run, AttachingTwiceWarmsUpWithPromptsOfItsOwn) {
  Rig rig;
  std::vector<std::string> measured[2];
  std::set<std::uint64_t> warm[2];
  for (int i = 0; i < 2; ++i) {
    RunOptions o;
    o.attach_url = "http://127.0.0.1:1";
    const auto result = rig.run(small_plan(), o);
    ASSERT_EQ(result.end, RunResult::End::finished) << result.why;
    auto r = rig.reader();
    for (const auto& s : take(r.sessions(result.experiment)))
      for (const auto& q : take(r.requests(s.id, journal::Depth::details))) {
        if (q.plan.warmup) warm[i].insert(q.plan.block_hashes.begin(), q.plan.block_hashes.end());
        else measured[i].push_back(q.plan.prompt_hash);
      }
    EXPECT_FALSE(warm[i].empty());
  }
  EXPECT_EQ(measured[0], measured[1]) << "what is measured comes from the plan's seed alone";
  for (const auto h : warm[0]) EXPECT_FALSE(warm[1].count(h));
}

TEST(Run, AnEngineThatDiesWhileLoadingEndsTheRunWithItsCause) {
  Rig rig;
  rig.script.die_while_loading = [](int session) { return session == 1; };
  const auto result = rig.run(small_plan());
  EXPECT_EQ(result.end, RunResult::End::failed);
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->code, ErrorCode::engine);
  EXPECT_EQ(result.error->what, "The GPU has not enough memory");
  EXPECT_THAT(result.error->why, HasSubstr("out of memory"));
  const auto sessions = *rig.reader().sessions(result.experiment);
  EXPECT_EQ(sessions[0].state, SessionState::finished);
  EXPECT_EQ(sessions[1].state, SessionState::failed);
  EXPECT_EQ(sessions[2].state, SessionState::planned);
  EXPECT_EQ(rig.script.stops, 2) << "also a dead engine's group is cleared";
}

TEST(Run, ASilentEngineIsGivenUpAfterItsLimit) {
  Rig rig;
  rig.script.never_ready = [](int) { return true; };
  plan::Plan p = small_plan();
  p.limits.start_s = 0.2;
  const auto result = rig.run(p);
  EXPECT_EQ(result.end, RunResult::End::failed);
  EXPECT_EQ(result.error->code, ErrorCode::timeout);
  EXPECT_EQ(rig.script.stops, 1);
}

TEST(Run, AnEngineThatDiesMidRequestFailsTheSessionAndResumeRepeatsItWhole) {
  Rig rig;
  rig.script.die = [](int session, int request) { return session == 1 && request == 4; };
  auto result = rig.run(small_plan());
  EXPECT_EQ(result.end, RunResult::End::failed);
  const std::int64_t experiment = result.experiment;
  RunOptions options;
  options.resume = experiment;
  result = rig.run(small_plan(), options);
  ASSERT_EQ(result.end, RunResult::End::finished) << result.why;
  EXPECT_EQ(result.experiment, experiment);
  auto r = rig.reader();
  EXPECT_EQ(r.experiment("")->state, "finished");
  const auto sessions = *r.sessions(experiment);
  ASSERT_EQ(sessions.size(), 4u) << "the finished and the planned session have one attempt, the failed one two";
  EXPECT_EQ(sessions[1].state, SessionState::superseded);
  EXPECT_EQ(sessions[1].attempt, 1);
  EXPECT_EQ(sessions[2].state, SessionState::finished);
  EXPECT_EQ(sessions[2].attempt, 2);
  EXPECT_EQ(sessions[2].ordinal, 1);
  EXPECT_EQ(r.request_count(sessions[2].id)->measured, 4) << "whole, not the rest";
}

TEST(Run, AServerThatRefusesWhileItLoadsIsAskedAgainAndLeavesNoTrace) {
  Rig rig;
  rig.script.refusals = 5;
  const auto result = rig.run(small_plan());
  ASSERT_EQ(result.end, RunResult::End::finished) << result.why;
  auto r = rig.reader();
  const auto requests = *r.requests(r.sessions(result.experiment)->at(0).id, journal::Depth::details);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    EXPECT_EQ(requests[i].plan.ordinal, static_cast<int>(i));
    EXPECT_EQ(requests[i].stream.outcome, Outcome::complete) << i;
  }
}

TEST(Run, AServerThatOnlyEverRefusesIsGivenUpAfterItsSilence) {
  Rig rig;
  rig.script.refusals = 1'000'000;
  plan::Plan p = small_plan();
  p.limits.start_s = 0.3;
  const auto result = rig.run(p);
  EXPECT_EQ(result.end, RunResult::End::failed);
  EXPECT_EQ(result.error->code, ErrorCode::timeout);
  EXPECT_THAT(result.error->why, HasSubstr("a first token"));
}

TEST(Case055, AnEngineThatDiesBehindItsServerEndsTheSessionWithItsOwnLine) {
  for (const bool together : {false, true}) {
    Rig rig;
    rig.script.crash = [](int session, int request) { return session == 1 && request == 4; };
    for (const auto& e : test::read_expectations("055-abort-of-queued-request-kills-engine"))
      if (e.key == "cause_line") rig.script.crash_line = e.value.substr(1, e.value.size() - 2);
    ASSERT_FALSE(rig.script.crash_line.empty());
    plan::Plan p = small_plan();
    if (together) {
      p.load.mode = plan::LoadSpec::Mode::closed;
      p.load.concurrency = 2;
    }
    const auto result = rig.run(p);
    EXPECT_EQ(result.end, RunResult::End::failed);
    ASSERT_TRUE(result.error);
    EXPECT_EQ(result.error->code, ErrorCode::engine);
    EXPECT_THAT(result.error->sentence(), HasSubstr(rig.script.crash_line));
    auto r = rig.reader();
    const auto sessions = *r.sessions(result.experiment);
    EXPECT_EQ(sessions[1].state, SessionState::failed);
    int died = 0;
    for (const auto& q : take(r.requests(sessions[1].id, journal::Depth::details))) {
      if (q.stream.outcome == Outcome::complete) continue;
      EXPECT_EQ(q.stream.outcome, Outcome::error) << q.stream.why;
      EXPECT_THAT(q.stream.why, HasSubstr("The engine died"));
      ++died;
    }
    EXPECT_GE(died, 1);
  }
}

TEST(Run, StoppingAtEveryStateEndsCleanlyAndLeavesTheJournalWhole) {
  for (const SessionState where : {SessionState::preflight, SessionState::launching, SessionState::ready, SessionState::warming,
                                   SessionState::measuring, SessionState::settling}) {
    Rig rig;
    rig.counter.on_state = [&](const SessionRecord& s) {
      if (s.ordinal == 1 && s.state == where) rig.control.stop();
    };
    const auto result = rig.run(small_plan());
    EXPECT_EQ(result.end, RunResult::End::stopped) << to_string(where);
    EXPECT_EQ(rig.script.stops, rig.script.launches) << to_string(where);
    auto r = rig.reader();
    EXPECT_EQ(r.experiment("")->state, "stopped_by_user");
    const auto sessions = *r.sessions(result.experiment);
    EXPECT_EQ(sessions[0].state, SessionState::finished);
    EXPECT_EQ(sessions[1].state, SessionState::stopped_by_user) << to_string(where);
    EXPECT_EQ(sessions[2].state, SessionState::planned);
  }
}

TEST(Run, StoppingCutsARunningStreamBeforeTheEngineIsStopped) {
  Rig rig;
  rig.script.hang = [](int, int request) { return request == 3; };
  std::thread stopper([&] {
    while (rig.counter.finished < 3) std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(30ms);
    rig.control.stop();
  });
  const auto result = rig.run(small_plan());
  stopper.join();
  EXPECT_EQ(result.end, RunResult::End::stopped);
  EXPECT_GE(rig.script.cancels, 1);
  auto r = rig.reader();
  const auto sessions = *r.sessions(result.experiment);
  const auto requests = *r.requests(sessions[0].id, journal::Depth::details);
  EXPECT_EQ(requests.back().stream.outcome, Outcome::cancelled);
  EXPECT_FALSE(requests.back().settled);
}

TEST(Run, PauseHoldsTheNextRequestAndIsJournalled) {
  Rig rig;
  rig.counter.on_request = [&](const RequestRecord& q) {
    if (!q.plan.warmup && rig.counter.measured == 2) rig.control.pause();
  };
  std::thread resumer([&] {
    while (!rig.control.paused()) std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(150ms);
    EXPECT_EQ(rig.counter.measured, 2);
    rig.control.resume();
  });
  const auto result = rig.run(small_plan());
  resumer.join();
  EXPECT_EQ(result.end, RunResult::End::finished);
  std::vector<std::string> texts;
  for (const auto& n : take(rig.reader().notices(result.experiment))) texts.push_back(n.text);
  EXPECT_THAT(texts, ::testing::IsSupersetOf({std::string("paused before request 3"), std::string("resumed")}));
}

TEST(Run, AClosedLoopKeepsItsConcurrencyAndAttributesByWindow) {
  Rig rig;
  plan::Plan p = small_plan();
  p.load.mode = plan::LoadSpec::Mode::closed;
  p.load.concurrency = 2;
  p.workload.rounds = 10;
  const auto result = rig.run(p);
  ASSERT_EQ(result.end, RunResult::End::finished) << result.why;
  EXPECT_EQ(rig.script.max_in_flight, 2);
  auto r = rig.reader();
  const auto sessions = *r.sessions(result.experiment);
  EXPECT_EQ(r.request_count(sessions[0].id)->measured, 20);
  for (const auto& q : take(r.requests(sessions[0].id, journal::Depth::details)))
    if (!q.plan.warmup) {
      EXPECT_FALSE(q.settled);
      EXPECT_FALSE(q.sources.host_loaded.value) << "not told apart, so not invented";
    }
}

TEST(Run, ThePlansCostCeilingIsAHardStop) {
  Rig rig;
  plan::Plan p = small_plan();
  p.cost_ceiling = plan::CostCeiling{.seconds = 0.0};
  const auto result = rig.run(p);
  EXPECT_EQ(result.end, RunResult::End::failed);
  EXPECT_THAT(result.why, HasSubstr("cost ceiling"));
}

TEST(Run, WithoutMetricsSourcesAreAbsentNotZero) {
  Rig rig;
  rig.script.has_metrics = false;
  plan::Plan p = small_plan();
  p.limits.settle.timeout_ms = 20;
  const auto result = rig.run(p);
  ASSERT_EQ(result.end, RunResult::End::finished) << result.why;
  auto r = rig.reader();
  const auto requests = *r.requests(r.sessions(result.experiment)->at(0).id, journal::Depth::details);
  EXPECT_FALSE(requests.back().settled);
  EXPECT_FALSE(requests.back().sources.computed.value);
  EXPECT_FALSE(requests.back().sources.computed.from.empty()) << "the reason is said";
}

TEST(Run, AResumeWithAnotherPlanIsRefused) {
  Rig rig;
  const auto first = rig.run(small_plan());
  RunOptions options;
  options.resume = first.experiment;
  plan::Plan other = small_plan();
  other.workload.seed = 99;
  const auto second = rig.run(other, options);
  EXPECT_EQ(second.error->code, ErrorCode::bad_usage);
}

TEST(Run, AResumeWithAnotherModelAtThePathOfThePlanIsRefused) {
  Rig rig;
  const test::TempDir folder;
  plan::Plan p = small_plan();
  p.model.config = (folder / "config.json").string();
  ASSERT_TRUE(write_file(p.model.config, R"({"num_hidden_layers": 28})"));
  const auto first = rig.run(p);
  ASSERT_EQ(first.end, RunResult::End::finished) << first.why;
  RunOptions options;
  options.resume = first.experiment;
  EXPECT_EQ(rig.run(p, options).end, RunResult::End::finished) << "the same file, read again";
  ASSERT_TRUE(write_file(p.model.config, R"({"num_hidden_layers": 36})"));
  const auto other = rig.run(p, options);
  ASSERT_TRUE(other.error);
  EXPECT_EQ(other.error->code, ErrorCode::bad_usage);
  EXPECT_EQ(other.error->where, p.model.config);
}

}  // namespace
}  // namespace kvcliff::experiment
