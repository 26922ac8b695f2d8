// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/effect.h"
#include "analysis/power.h"
#include "analysis/verdict.h"
#include "gpu_requests.h"

namespace kvcliff::analysis {
namespace {
const std::vector<std::string> eight{"P1A", "P1B", "P2B", "P2A", "P3B", "P3A", "P4A", "P4B"};

TEST(RealRun, EightSessionsOfTheEightBillionModelSayHelps) {
  const auto r = arm_effect(test::gpu_sessions(eight), Part::revisits);
  ASSERT_TRUE(r.effect) << r.why;
  const auto& e = *r.effect;
  EXPECT_NEAR(e.ratio.estimate, 0.3027, 5e-5);
  EXPECT_NEAR(e.ratio.low, 0.2737, 5e-5);
  EXPECT_NEAR(e.ratio.high, 0.3347, 5e-5);
  EXPECT_EQ(e.degrees_of_freedom, 5);
  EXPECT_EQ(e.basis, "least squares");
  EXPECT_EQ(e.matched_visits, 12);
  EXPECT_EQ(e.unmatched_visits, 0);
  EXPECT_NEAR(e.position.estimate, 0.008, 5e-4);
  EXPECT_NEAR((e.position.high - e.position.low) / 2, 0.022, 5e-4);
  EXPECT_NEAR(e.residual_sd, 0.055, 5e-4);
  ASSERT_TRUE(e.pairs);
  EXPECT_NEAR(e.pairs->low, 0.2682, 5e-5);
  EXPECT_NEAR(e.pairs->high, 0.3416, 5e-5);
  EXPECT_EQ(verdict_of(e.ratio, 0.05), Verdict::helps);
}

TEST(RealRun, SessionMeansAreTheGeometricMeansOfTheRecording) {
  const auto r = arm_effect(test::gpu_sessions(eight), Part::revisits);
  ASSERT_TRUE(r.effect);
  const double off[] = {219.15, 216.00, 218.32, 217.73}, on[] = {67.07, 62.96, 61.32, 72.91};
  int a = 0, b = 0;
  for (const auto& s : r.effect->sessions)
    EXPECT_NEAR(s.geometric_mean_ms, s.treatment ? on[b++] : off[a++], 0.005) << s.label;
  EXPECT_EQ(a + b, 8);
  EXPECT_NEAR(r.effect->treatment_ms / r.effect->baseline_ms, r.effect->ratio.estimate, 1e-12)
      << "the sentence in milliseconds agrees with the ratio";
}

TEST(RealRun, FirstVisitsAreComparedApart) {
  const auto r = arm_effect(test::gpu_sessions(eight), Part::first_visits);
  ASSERT_TRUE(r.effect) << r.why;
  EXPECT_NEAR(r.effect->ratio.estimate, 1.014, 5e-4);
}

TEST(RealRun, FourSessionsOfTheSmallModelCannotTell) {
  const auto r = arm_effect(test::gpu_sessions({"A1", "B1", "B2", "A2"}), Part::revisits);
  ASSERT_TRUE(r.effect) << r.why;
  const auto& e = *r.effect;
  EXPECT_NEAR(e.ratio.estimate, 1.254, 5e-4);
  EXPECT_NEAR(e.ratio.low, 0.655, 5e-4);
  EXPECT_NEAR(e.ratio.high, 2.402, 5e-4);
  EXPECT_NEAR(e.least_squares.low, 0.711, 5e-4);
  EXPECT_NEAR(e.least_squares.high, 2.212, 5e-4);
  EXPECT_EQ(e.degrees_of_freedom, 1);
  EXPECT_EQ(e.basis, "pairs");
  EXPECT_EQ(verdict_of(e.ratio, 0.05), Verdict::cannot_tell);
  const auto reason = verdict_reason(Verdict::cannot_tell, e.ratio, 0.05);
  EXPECT_NE(reason.find("0.655 to 2.402"), std::string::npos) << reason;
  const auto need = pairs_needed(e);
  EXPECT_EQ(need.towards, "hurts");
  ASSERT_TRUE(need.at_estimate);
  EXPECT_GT(*need.at_estimate, 2);
  const auto mde = detectable_effect(e);
  ASSERT_TRUE(mde.ratio_below_upper) << "one degree of freedom: a range";
  EXPECT_LT(*mde.ratio_below_upper, mde.ratio_below);
}

TEST(Effect, NeedsTwoSessionsOfEitherArm) {
  const auto r = arm_effect(test::gpu_sessions({"P1A", "P1B", "P2B"}), Part::revisits);
  EXPECT_FALSE(r.effect);
  EXPECT_NE(r.why.find("1 session(s) without and 2 with"), std::string::npos) << r.why;
}

TEST(Effect, OnlyVisitsThatEverySessionHasAreCompared) {
  auto sessions = test::gpu_sessions(eight);
  sessions[3].visits.pop_back();
  const auto r = arm_effect(sessions, Part::revisits);
  ASSERT_TRUE(r.effect);
  EXPECT_EQ(r.effect->matched_visits, 11);
  EXPECT_EQ(r.effect->unmatched_visits, 7);
}

TEST(Effect, SeparatedArmsInOneBlockCannotBeTold) {
  auto sessions = test::gpu_sessions({"P1A", "P2A", "P1B", "P2B"});
  for (auto& s : sessions) s.pair = -1;
  const auto r = arm_effect(sessions, Part::revisits);
  ASSERT_TRUE(r.effect) << "arm and position are correlated but not identical";
  EXPECT_FALSE(r.effect->pairs);
  EXPECT_GT(r.effect->standard_error, r.effect->residual_sd) << "the price of not alternating";
}

TEST(Bootstrap, IsNarrowerThanTheSessionIntervalAndRepeatsForASeed) {
  const auto sessions = test::gpu_sessions(eight);
  const auto a = bootstrap_within_sessions(sessions, Part::revisits);
  const auto b = bootstrap_within_sessions(sessions, Part::revisits);
  ASSERT_TRUE(a);
  EXPECT_EQ(*a, *b);
  EXPECT_NEAR(a->estimate, 0.3027, 5e-4);
  EXPECT_GT(a->low, 0.2737);
  EXPECT_LT(a->high, 0.3347);
}

TEST(Verdict, FollowsTheWholeInterval) {
  EXPECT_EQ(verdict_of({0.9, 0.85, 0.949}, 0.05), Verdict::helps);
  EXPECT_EQ(verdict_of({0.9, 0.85, 0.951}, 0.05), Verdict::cannot_tell);
  EXPECT_EQ(verdict_of({1.0, 0.96, 1.04}, 0.05), Verdict::no_effect);
  EXPECT_EQ(verdict_of({1.0, 0.94, 1.04}, 0.05), Verdict::cannot_tell);
  EXPECT_EQ(verdict_of({1.2, 1.06, 1.4}, 0.05), Verdict::hurts);
  EXPECT_EQ(verdict_of({1.2, 1.04, 1.4}, 0.05), Verdict::cannot_tell);
  EXPECT_EQ(verdict_of({1.2, std::nan(""), 1.4}, 0.05), Verdict::cannot_tell);
}

}  // namespace
}  // namespace kvcliff::analysis
