// SPDX-License-Identifier: GPL-3.0-or-later
// The measured cliff of a sweep: shares by hand.
#include "analysis/sweep.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace kvcliff::analysis
