// SPDX-License-Identifier: GPL-3.0-or-later
// The measured cliff of a sweep: shares by hand.
#include "analysis/sweep.h"

#include <gtest/gtest.h>

#include "analysis/decision.h"
#include "support/honest_run.h"

namespace kvcliff::analysis {
namespace {

TEST(Sweep, PointsAreSharesOfTheRevisitsTokens) {
  const test::HonestRun run;
  const auto points = sweep_points(run.in);
  ASSERT_EQ(points.size(), 5u);
  for (const auto& p : points) {
    EXPECT_EQ(p.blocks, p.documents * 125);
    EXPECT_EQ(p.requests, p.documents * 2);
    EXPECT_NEAR(p.gpu + p.host + p.computed, 1, 1e-12);
    const double hit = static_cast<double>(test::hit) / static_cast<double>(test::prompt);
    if (p.documents == 2) EXPECT_NEAR(p.gpu, hit, 1e-12) << "the control hits the GPU";
    else EXPECT_NEAR(p.host, p.offload ? hit : 0, 1e-12);
    EXPECT_NEAR(p.low, p.gpu + p.host, 1e-12);
    EXPECT_NEAR(p.high, p.gpu + p.host, 1e-12);
  }
  EXPECT_FALSE(is_sweep(points)) << "two sizes are no sweep";
}

TEST(Sweep, ARequestWithUnknownSourcesIsLeftOutNotCountedAsZero) {
  test::HonestRun run;
  auto& r = run.request(1, 0, 2);
  r.sources.host_loaded.value.reset();
  const auto points = sweep_points(run.in);
  EXPECT_EQ(points[1].requests, 11);
  EXPECT_NEAR(points[1].host, 2000.0 / 2003, 1e-12);
}

TEST(Sweep, ThreeSizesAreASweep) {
  std::vector<SweepPoint> points(3);
  points[0].blocks = 125;
  points[1].blocks = 250;
  points[2].blocks = 250;
  EXPECT_FALSE(is_sweep(points));
  points[2].blocks = 375;
  EXPECT_TRUE(is_sweep(points));
}

SweepPoint point(int documents, bool offload, double gpu, double host) {
  SweepPoint p;
  p.documents = documents;
  p.blocks = documents * 125;
  p.offload = offload;
  p.requests = documents * 2;
  p.gpu = gpu;
  p.host = host;
  p.computed = 1 - gpu - host;
  p.predicted_gpu = gpu;
  p.predicted_host = host;
  return p;
}

// 384 usable blocks, a tier of 1,000: three documents fit the GPU, eight the tier.
std::vector<SweepPoint> sweep() {
  std::vector<SweepPoint> out;
  for (int d = 1; d <= 9; ++d) {
    out.push_back(point(d, false, d <= 3 ? 0.998 : 0, 0));
    out.push_back(point(d, true, d <= 3 ? 0.998 : 0, d <= 3 || d > 8 ? 0 : 0.998));
  }
  return out;
}

TEST(Sweep, TheEdgesLieBetweenTheSizesThatWereTried) {
  const auto points = sweep();
  const auto gpu = locate_edge(points, false), tier = locate_edge(points, true);
  EXPECT_EQ(gpu.last_served, 375);
  EXPECT_EQ(gpu.first_lost, 500);
  EXPECT_EQ(gpu.sessions, 9);
  ASSERT_TRUE(gpu.estimate);
  EXPECT_NEAR(*gpu.estimate, 375 + 125 * 0.498 / 0.998, 1e-9);
  EXPECT_EQ(gpu.as_predicted, true);
  EXPECT_EQ(tier.last_served, 1000);
  EXPECT_EQ(tier.first_lost, 1125);
  EXPECT_EQ(cliff_sentence(tier), "With the tier the cliff lies between 1,000 and 1,125 blocks (8 and 9 documents), as predicted.");
}

TEST(Sweep, AnEdgePastTheLargestSizeIsOpenAndSaysSo) {
  auto points = sweep();
  points.resize(12);  // up to six documents
  const auto tier = locate_edge(points, true);
  EXPECT_EQ(tier.last_served, 750);
  EXPECT_FALSE(tier.first_lost);
  EXPECT_FALSE(tier.estimate);
  EXPECT_EQ(cliff_sentence(tier), "With the tier the cliff lies beyond 750 blocks, the largest size tried, as predicted.");
}

TEST(Sweep, SharesThatRiseAgainWidenTheInterval) {
  auto points = sweep();
  points[6].gpu = 0.998;  // off, 4 documents: served after all, by one of two repeats
  points.push_back(point(4, false, 0, 0));
  const auto gpu = locate_edge(points, false);
  EXPECT_EQ(gpu.last_served, 375);
  EXPECT_EQ(gpu.first_lost, 625) << "4 documents were both served and lost";
  EXPECT_FALSE(gpu.estimate) << "no line through sessions that disagree";
  EXPECT_EQ(gpu.as_predicted, false);
}

TEST(Sweep, WithoutPredictionsNothingIsSaidOfThem) {
  auto points = sweep();
  points[0].predicted_gpu.reset();
  EXPECT_FALSE(locate_edge(points, false).as_predicted.has_value());
}

TEST(Sweep, APlanWithoutPairsLocatesTheCliffAndClaimsNoEffect) {
  const test::HonestRun honest;
  reconcile::ExperimentInput in = honest.in;
  in.plan.schedule.pairs = 0;
  const auto first = in.sessions.front();
  in.sessions.clear();
  for (int documents = 1; documents <= 3; ++documents) {
    auto s = first;
    s.record.pair = -1;
    s.record.arm = std::to_string(documents) + "-documents";
    s.record.ordinal = documents - 1;
    s.plan.workload.documents = documents;
    in.sessions.push_back(std::move(s));
  }
  const auto e = evaluate(in);
  ASSERT_TRUE(e.decision.cliff);
  EXPECT_TRUE(e.decision.only_locates());
  EXPECT_EQ(e.decision.verdict, Verdict::cannot_tell);
  const auto gate = std::find_if(e.decision.gates.begin(), e.decision.gates.end(), [](const Gate& g) { return g.id == "sessions"; });
  ASSERT_NE(gate, e.decision.gates.end());
  EXPECT_EQ(gate->state, CheckState::not_applicable);
  EXPECT_NE(e.decision.why.find("says nothing about times"), std::string::npos) << e.decision.why;
  EXPECT_EQ(decision_json(in, e).at("cliff").at("edges").size(), 1u);
  // The same sessions under a plan that does compare arms are too few.
  in.plan.schedule.pairs = 2;
  EXPECT_EQ(evaluate(in).decision.verdict, Verdict::withdrawn);
}

}  // namespace
}  // namespace kvcliff::analysis
