// SPDX-License-Identifier: GPL-3.0-or-later
// The time of a plan before it runs, by hand.
#include "experiment/estimate.h"

#include <gtest/gtest.h>

namespace kvcliff::experiment {
namespace {

plan::Plan small() {
  plan::Plan p;
  p.engine.adapter = "emulator";
  p.workload.documents = 6;
  p.workload.rounds = 3;
  p.workload.tokens = 2000;
  p.workload.output_tokens = 10;
  p.warmup.min_requests = 1;
  p.limits.settle.quiet_ms = 50;
  p.arms = {{"off", false, {}}, {"on", true, {}}, {"control", false, {{"workload.documents", 2}}}};
  p.schedule.pairs = 2;
  p.schedule.controls = {"control"};
  return p;
}
// 60 ms for 2,000 tokens, 4 ms for an output token: 100 ms a request.
std::optional<RequestCost> flat(const std::string& preset) {
  if (preset == "none") return std::nullopt;
  return RequestCost{[](double tokens) { return tokens * 0.03; }, 4};
}

TEST(Estimate, CountsRequestsWarmUpAndStarts) {
  const auto p = small();
  const auto arm = plan::for_arm(p, "off");
  ASSERT_TRUE(arm);
  const auto one = session_time(*arm, flat);
  ASSERT_TRUE(one.seconds) << one.why;
  EXPECT_DOUBLE_EQ(*one.seconds, (18 + 1 + 2) * 0.2 + 2.5 + 1.5);
  const auto all = run_time(p, flat);
  ASSERT_TRUE(all.seconds);
  EXPECT_DOUBLE_EQ(*all.seconds, 4 * *one.seconds + (6 + 1 + 2) * 0.2 + 4);
}

TEST(Estimate, TheEmulatorsOwnScaleShrinksItsTimesAndNotOurs) {
  auto p = small();
  p.engine.extra_args = {"--emulate-time-scale=0.1"};
  const auto one = session_time(*plan::for_arm(p, "off"), flat);
  ASSERT_TRUE(one.seconds);
  EXPECT_DOUBLE_EQ(*one.seconds, 21 * (0.01 + 0.1) + 0.25 + 1.5);
}

TEST(Estimate, WhatIsNotKnownHasItsReasonAndNoNumber) {
  auto p = small();
  p.engine.adapter = "vllm";
  EXPECT_FALSE(run_time(p, flat).seconds);
  EXPECT_EQ(run_time(p, flat).why, "the speed of a real engine is not known before the first run");
  p = small();
  p.engine.extra_args = {"--emulate-preset", "none"};
  EXPECT_EQ(run_time(p, flat).why, "the emulator has no preset none");
  p = small();
  p.workload.kind = workload::Spec::Kind::trace;
  EXPECT_EQ(run_time(p, flat).why, "the lengths of a trace are not known before it is read");
}

}  // namespace
}  // namespace kvcliff::experiment
