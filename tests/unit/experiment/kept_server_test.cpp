// SPDX-License-Identifier: GPL-3.0-or-later
// A server kept over several sessions: schedule.server = kept.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fakes.h"
#include "plan/plan.h"

namespace kvcliff::experiment {
namespace {
using ::testing::ElementsAre;
using ::testing::HasSubstr;

plan::Plan sweep_plan() {
  plan::Plan p;
  p.name = "sweep";
  p.workload.documents = 2;
  p.workload.tokens = 100;
  p.workload.rounds = 2;
  p.workload.output_tokens = 2;
  p.capacity.gpu_blocks = 100;
  p.capacity.host_bytes = 16 * 1024 * 200;
  p.arms = {{"1-off", false, {{"workload.documents", 1}}},
            {"2-off", false, {}},
            {"1-on", true, {{"workload.documents", 1}}},
            {"2-on", true, {}}};
  p.schedule.pairs = 0;
  p.schedule.controls = {"1-off", "2-off", "1-on", "2-on"};
  p.schedule.server = "kept";
  p.warmup.max_requests = 2;
  p.limits.settle = {5, 2000};
  return p;
}

struct Rig {
  test::TempDir dir;
  test::Script script;
  test::FakeLauncher launcher{script};
  test::FakeAdapter adapter;
  Control control;
  std::string path = dir / "j.db";

  RunResult run(const plan::Plan& plan) {
    auto writer = journal::Writer::open(path);
    EXPECT_TRUE(writer) << writer.error().sentence();
    Services services{adapter, launcher, **writer, [](const plan::Plan&) -> Result<std::int64_t> { return 1024; },
                      [this](const engine::Endpoint&, const plan::Plan&) -> std::unique_ptr<Server> {
                        return std::make_unique<test::FakeServer>(script, launcher);
                      },
                      {}};
    RunOptions options;
    options.time_scale = 0.1;
    return run_experiment(plan, options, services, control, {}, path);
  }
  std::vector<SessionRecord> sessions(std::int64_t experiment) { return *journal::Reader::open(path)->sessions(experiment); }
};

TEST(KeptServer, OneServerServesAllSessionsOfOneCommandLine) {
  Rig rig;
  const auto result = rig.run(sweep_plan());
  ASSERT_EQ(result.end, RunResult::End::finished) << result.why;
  EXPECT_EQ(rig.script.launches, 2) << "one without the tier, one with it";
  EXPECT_EQ(rig.script.stops, 2);
  EXPECT_EQ(rig.script.resets, 2) << "each takeover empties the caches first";
  const auto sessions = rig.sessions(result.experiment);
  ASSERT_EQ(sessions.size(), 4u);
  std::vector<bool> kept;
  for (const auto& s : sessions) {
    EXPECT_EQ(s.state, SessionState::finished);
    kept.push_back(s.stop.value("kept", false));
  }
  EXPECT_THAT(kept, ElementsAre(true, false, true, false));
  EXPECT_EQ(sessions[0].argv, sessions[1].argv);
  EXPECT_EQ(sessions[1].pid, sessions[0].pid);
  const auto& changes = sessions[1].changes;
  const auto launching = std::find_if(changes.begin(), changes.end(), [](const auto& c) { return c.state == SessionState::launching; });
  ASSERT_NE(launching, changes.end());
  EXPECT_EQ(launching->why, "took over the server of session 1");
}

TEST(KeptServer, AResetThatIsRefusedEndsTheRunWithItsReasonAndStopsTheServer) {
  Rig rig;
  rig.script.reset = [] { return Result<void>(fail(ErrorCode::unsupported, "No reset here")); };
  const auto result = rig.run(sweep_plan());
  EXPECT_EQ(result.end, RunResult::End::failed);
  EXPECT_THAT(result.why, HasSubstr("The caches of the kept server could not be emptied"));
  EXPECT_THAT(result.why, HasSubstr("No reset here"));
  EXPECT_EQ(rig.script.launches, 1);
  EXPECT_EQ(rig.script.stops, 1) << "nothing is left running";
}

TEST(KeptServer, AServerWhoseCachesAreInUseForAMomentIsAskedAgain) {
  Rig rig;
  int refusals = 2;
  rig.script.reset = [&refusals] { return refusals-- > 0 ? Result<void>(fail(ErrorCode::engine, "busy")) : Result<void>(); };
  const auto result = rig.run(sweep_plan());
  EXPECT_EQ(result.end, RunResult::End::finished) << result.why;
  EXPECT_EQ(rig.script.resets, 4);
}

TEST(KeptServer, AStopBetweenTwoSessionsLeavesNothingRunning) {
  Rig rig;
  rig.script.reset = [&rig] {
    rig.control.stop();
    return Result<void>();
  };
  const auto result = rig.run(sweep_plan());
  EXPECT_EQ(result.end, RunResult::End::stopped);
  EXPECT_EQ(rig.script.launches, 1);
  EXPECT_EQ(rig.script.stops, 1);
}

TEST(KeptServer, ComparedPairsAreRefused) {
  auto p = sweep_plan();
  p.schedule.pairs = 2;
  p.arms.push_back({"off", false, {}});
  p.arms.push_back({"on", true, {}});
  const auto faults = plan::validate(p);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].field, "schedule.server");
}

TEST(KeptServer, TheChoiceIsReadWrittenAndLeavesOlderPlansTheirHash) {
  auto p = sweep_plan();
  const auto again = plan::parse(plan::to_json(p));
  ASSERT_TRUE(again.valid()) << again.faults.front().what;
  EXPECT_EQ(again.plan.schedule.server, "kept");
  p.schedule.server = "fresh";
  EXPECT_FALSE(plan::to_json(p)["schedule"].contains("server"));
  auto json = plan::to_json(p);
  json["schedule"]["server"] = "borrowed";
  EXPECT_EQ(plan::parse(json).faults.front().field, "schedule.server");
}

}  // namespace
}  // namespace kvcliff::experiment
