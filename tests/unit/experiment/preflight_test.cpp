// SPDX-License-Identifier: GPL-3.0-or-later
// What the look at the machine before a launch does to a run: refuse it, warn, or say what it found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiment/run_plan.h"
#include "fakes.h"
#include "host/preflight.h"
#include "plan/plan.h"

namespace kvcliff::experiment {
namespace {
using ::testing::AllOf;
using ::testing::HasSubstr;

struct Ran {
  RunResult result;
  int launches = 0;
  std::string said;  ///< "severity: text" lines of the run's notices
};

/// One pair of a small plan, whose every session finds `items` before its launch.
Ran run_with(const std::vector<host::PreflightItem>& items) {
  const test::TempDir dir;
  test::Script script;
  test::FakeLauncher launcher{script};
  test::FakeAdapter adapter;
  Control control;
  plan::Plan p;
  p.name = "small";
  p.workload.documents = 1;
  p.workload.tokens = 100;
  p.workload.rounds = 2;
  p.workload.output_tokens = 2;
  p.capacity.gpu_blocks = 100;
  p.capacity.host_bytes = 16 * 1024 * 200;
  p.arms = {{"off", false, {}}, {"on", true, {}}};
  p.schedule.pairs = 1;
  p.schedule.controls = {};
  p.warmup.max_requests = 2;
  p.limits.settle = {5, 2000};
  auto writer = journal::Writer::open(dir / "j.db");
  EXPECT_TRUE(writer) << writer.error().sentence();
  Services services{adapter, launcher, **writer, [](const plan::Plan&) -> Result<std::int64_t> { return 1024; },
                    [&](const engine::Endpoint&, const plan::Plan&) -> std::unique_ptr<Server> { return std::make_unique<test::FakeServer>(script, launcher); },
                    [&](const plan::Plan&, int, const engine::Endpoint&) {
                      Json out = Json::array();
                      for (const auto& i : items) out.push_back(host::to_json(i));
                      return out;
                    }};
  RunOptions options;
  options.time_scale = 0.1;
  Ran out;
  out.result = run_experiment(p, options, services, control, {}, dir / "j.db");
  out.launches = script.launches;
  EXPECT_TRUE((*writer)->flush());
  const auto reader = journal::Reader::open(dir / "j.db");
  const auto notices = reader->notices(out.result.experiment);
  for (const auto& n : *notices) out.said += n.severity + ": " + n.text + "\n";
  return out;
}

host::PreflightItem tier(std::int64_t asked, std::int64_t layers, std::int64_t available) {
  host::Memory memory;
  memory.info.available = available;
  host::Needs needs{.host_bytes = asked};
  needs.layers = layers;
  return host::check_host_memory(needs, memory);
}

TEST(PreflightOfARun, ATierThatPinsMoreThanItAsksForIsSaidAlsoWhereItFits) {
  const auto o = run_with({tier(2'293'760'000, 28, std::int64_t{64} << 30)});
  EXPECT_EQ(o.result.end, RunResult::End::finished) << o.result.why;
  EXPECT_THAT(o.said, AllOf(HasSubstr("info: The host tier asks for 2.14 GiB and may pin 3.50 GiB of the 64.0 GiB"), HasSubstr("power of two")));
}

TEST(PreflightOfARun, OneThatMayNotFitIsAWarningAndTheRunGoesOn) {
  const auto o = run_with({tier(2'293'760'000, 28, std::int64_t{3} << 30)});
  EXPECT_EQ(o.result.end, RunResult::End::finished) << o.result.why;
  EXPECT_EQ(o.launches, 2);
  EXPECT_THAT(o.said, HasSubstr("warning: The host tier asks for 2.14 GiB and may pin 3.50 GiB of the 3.00 GiB"));
}

TEST(PreflightOfARun, OneThatCannotFitIsRefusedBeforeAnythingStarts) {
  const auto o = run_with({tier(2'293'760'000, 28, std::int64_t{2} << 30)});
  EXPECT_EQ(o.result.end, RunResult::End::failed);
  EXPECT_EQ(o.launches, 0);
  EXPECT_THAT(o.result.why, HasSubstr("may pin 3.50 GiB"));
}

TEST(PreflightOfARun, ATierOfExactPowersIsNotTalkedAbout) {
  const auto o = run_with({tier(28LL << 27, 28, std::int64_t{64} << 30)});
  EXPECT_EQ(o.result.end, RunResult::End::finished) << o.result.why;
  EXPECT_EQ(o.said.find("may pin"), std::string::npos) << o.said;
}

TEST(PreflightOfARun, TheLayersOfTheModelMakeThePinnedSizeExact) {
  auto p = plan::parse_file(KVCLIFF_SOURCE_DIR "/resources/plans/reference.json").plan;
  p.engine.adapter = "vllm";
  const auto worst = [&](std::optional<std::int64_t> layers) {
    const Json items = machine_checks(p, 0, layers, {}, {});
    for (const auto& item : items)
      if (item.at("id") == "host_memory") return item.at("numbers").at("worst_case_bytes").get<std::int64_t>();
    return std::int64_t{-1};
  };
  EXPECT_EQ(worst(std::nullopt), 2 * p.capacity.host_bytes);
  EXPECT_EQ(worst(28), 28LL << 27);
}

}  // namespace
}  // namespace kvcliff::experiment
