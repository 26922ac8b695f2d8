// SPDX-License-Identifier: GPL-3.0-or-later
// The statistics against simulated truth: seeds are fixed, so a failure is a change of the method, not bad luck.
#include <gtest/gtest.h>

#include <boost/math/distributions/non_central_t.hpp>
#include <cmath>

#include "analysis/distributions.h"
#include "analysis/effect.h"
#include "analysis/power.h"
#include "analysis/verdict.h"
#include "base/hash.h"

namespace kvcliff::analysis {
namespace {

struct World {
  int pairs = 4;
  double ratio = 1;          ///< true
  double drift = 0;          ///< of log TTFT per session
  double session_sd = 0.03;
  double request_sd = 0.05;
};

std::vector<ComparedSession> simulate(const World& w, Rng& rng) {
  std::vector<ComparedSession> out;
  for (int p = 0; p < w.pairs; ++p)
    for (int k = 0; k < 2; ++k) {
      ComparedSession s;
      s.treatment = (p % 2 == 0) == (k == 1);
      s.pair = p;
      const double level = std::log(200) + (s.treatment ? std::log(w.ratio) : 0) +
                           w.drift * static_cast<double>(out.size()) + w.session_sd * rng.normal();
      for (int round = 2; round <= 3; ++round)
        for (int d = 0; d < 6; ++d) s.visits.push_back({d, round, std::exp(level + w.request_sd * rng.normal())});
      out.push_back(std::move(s));
    }
  return out;
}

double coverage(const World& w, int runs, std::uint64_t seed) {
  Rng rng(seed);
  int inside = 0;
  for (int i = 0; i < runs; ++i) {
    const auto r = arm_effect(simulate(w, rng), Part::revisits);
    if (r.effect && r.effect->ratio.low <= w.ratio && w.ratio <= r.effect->ratio.high) ++inside;
  }
  return static_cast<double>(inside) / runs;
}

TEST(Calibration, IntervalCoversTheTruthWithAndWithoutDriftAndSessionEffects) {
  for (const double drift : {0.0, 0.03, -0.05})
    for (const double sd : {0.0, 0.03, 0.1})
      for (const int pairs : {3, 4}) {
        const double c = coverage({pairs, 0.7, drift, sd, 0.05}, 2000, 17);
        EXPECT_GE(c, 0.93) << "drift " << drift << " sd " << sd << " pairs " << pairs;
        EXPECT_LE(c, 0.97) << "drift " << drift << " sd " << sd << " pairs " << pairs;
      }
}

TEST(Calibration, TwoPairsNeverCoverLess) {
  for (const double drift : {0.0, 0.03}) EXPECT_GE(coverage({2, 0.7, drift, 0.03, 0.05}, 2000, 5), 0.93) << drift;
}

TEST(Calibration, AtTheEdgeOfTheSmallestEffectTheVerdictIsRarelyGiven) {
  for (const double edge : {0.95, 1.05}) {
    Rng rng(23);
    int said = 0;
    for (int i = 0; i < 1000; ++i) {
      const auto r = arm_effect(simulate({3, edge, 0.0, 0.03, 0.05}, rng), Part::revisits);
      ASSERT_TRUE(r.effect);
      if (verdict_of(r.effect->ratio, 0.05) == (edge < 1 ? Verdict::helps : Verdict::hurts)) ++said;
    }
    EXPECT_LE(said, 40) << edge;
    EXPECT_GT(said, 0) << "a rule that never speaks is not calibrated either";
  }
}

TEST(Calibration, PowerAtTheStatedDetectableEffectIsEightyPercent) {
  for (const int pairs : {3, 4, 6}) {
    World w{pairs, 1, 0, 0.03, 0.05};
    const double sd = std::sqrt(w.session_sd * w.session_sd + w.request_sd * w.request_sd / 12);
    int df = 0;
    const double factor = design_factor(pairs, &df);
    w.ratio = std::exp(-detectable_ncp(df) * factor * sd);
    Rng rng(static_cast<std::uint64_t>(pairs));
    int found = 0;
    constexpr int runs = 4000;
    for (int i = 0; i < runs; ++i) {
      const auto r = arm_effect(simulate(w, rng), Part::revisits);
      if (r.effect && (r.effect->ratio.high < 1 || r.effect->ratio.low > 1)) ++found;
    }
    EXPECT_GE(found, 0.77 * runs) << pairs;
    EXPECT_LE(found, 0.83 * runs) << pairs;
  }
}

TEST(Power, WhatTheChosenNumberOfPairsCanSee) {
  EXPECT_NEAR(power_of_helps(2, 0.8, 0.03), 0.34, 0.01);
  EXPECT_LT(power_of_helps_two_pairs(0.8, 0.03), power_of_helps(2, 0.8, 0.03));
  EXPECT_NEAR(power_of_helps(3, 0.8, 0.03), 0.99, 0.01);
  const auto table = power_table(0.03);
  ASSERT_EQ(table.size(), 7u);
  for (std::size_t i = 1; i < table.size(); ++i) {
    EXPECT_GE(table[i].power_80, table[i - 1].power_80);
    EXPECT_GT(table[i].detectable_ratio, table[i - 1].detectable_ratio);
  }
}

TEST(Distributions, NoncentralTAgreesWithBoostWhereThatIsAccurate) {
  for (const double df : {3.0, 5.0, 12.0})
    for (const double ncp : {0.0, 0.5, 2.0, 5.0})
      for (const double t : {-1.0, 0.5, 2.5, 4.0}) {
        const boost::math::non_central_t reference(df, ncp);
        EXPECT_NEAR(noncentral_t_above(t, df, ncp), boost::math::cdf(boost::math::complement(reference, t)), 1e-7)
            << df << " " << ncp << " " << t;
      }
}

TEST(Distributions, KnownValues) {
  EXPECT_NEAR(t_quantile(0.95, 1), 12.7062, 1e-3);
  EXPECT_NEAR(t_quantile(0.95, 5), 2.57058, 1e-4);
  EXPECT_NEAR(t_test_power(detectable_ncp(5), 5), 0.8, 1e-6);
  const auto [low, high] = share_interval(0, 18);
  EXPECT_EQ(low, 0);
  EXPECT_NEAR(high, 0.1853, 1e-3);
}

}  // namespace
}  // namespace kvcliff::analysis
