// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <tuple>

#include "analysis/linear.h"
#include "analysis/ttft_model.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/text.h"
#include "gpu_requests.h"
#include "support/data.h"

namespace kvcliff::analysis {
namespace {

std::vector<TtftPoint> recorded(const std::string& session, int parity = -1) {
  std::map<std::string, int> repeat;
  std::vector<TtftPoint> out;
  for (const auto& r : test::gpu_rows(session)) {
    if (r.phase != "computed" && r.phase != "gpu" && r.phase != "host") continue;
    const int n = repeat[r.phase + std::to_string(r.prompt_tokens)]++;
    if (parity >= 0 && n % 2 != parity) continue;
    out.push_back({static_cast<double>(r.computed), static_cast<double>(r.gpu_hit + r.host_loaded),
                   static_cast<double>(r.load_bytes), r.ttft_ms});
  }
  return out;
}

double median_error(const TtftModel& m, const std::vector<TtftPoint>& points) {
  std::vector<double> e;
  for (const auto& p : points) e.push_back(std::fabs(m.calibrated(p.computed, p.before, p.bytes) - p.ttft_ms) / p.ttft_ms);
  return median(e);
}

// What no model can undo: the error on one half of a recording when every time is said to be the median of the same
// measurement in the other half.
double repeat_error(const std::vector<TtftPoint>& known, const std::vector<TtftPoint>& points) {
  std::map<std::tuple<double, double, double>, std::vector<double>> cells;
  for (const auto& p : known) cells[{p.computed, p.before, p.bytes}].push_back(p.ttft_ms);
  std::vector<double> e;
  for (const auto& p : points)
    if (const auto it = cells.find({p.computed, p.before, p.bytes}); it != cells.end()) e.push_back(std::fabs(median(it->second) - p.ttft_ms) / p.ttft_ms);
  return median(e);
}

// Within 5 %, or as near as the recording's own repeats allow. curve06 did not warm its lengths up: 8,195 computed tokens
// took 70, 133 and 134 ms, and repeats differ by 10.5 % in the median; a model can be no nearer, and this one is not farther.
TEST(RealTtft, HalfOfARecordingPredictsTheOtherHalf) {
  for (const char* session : {"curve8g", "curve8", "curve06w", "graphs", "curve06"}) {
    const auto half = recorded(session, 0), other = recorded(session, 1);
    const auto fit = fit_ttft(half, session);
    ASSERT_TRUE(fit.model) << fit.why;
    const double error = median_error(*fit.model, other), repeats = repeat_error(half, other);
    EXPECT_LE(error, std::max(0.05, repeats + 0.005)) << session;
    EXPECT_EQ(repeats > 0.05, std::string(session) == "curve06") << session << " " << repeats;
    RecordProperty(session, std::to_string(error) + ", repeats " + std::to_string(repeats));
  }
}

TEST(RealTtft, EightBillionWithGraphsGivesTheRatesOfTheRecording) {
  const auto fit = fit_ttft(recorded("curve8g"), "curve8g");
  ASSERT_TRUE(fit.model) << fit.why;
  const auto& m = *fit.model;
  EXPECT_TRUE(m.has_load);
  EXPECT_NEAR(m[Term::a1] * 1000, 21, 3) << "ms per 1,000 computed tokens";
  EXPECT_NEAR(m[Term::h] * 1000, 1.37, 0.5) << "ms per 1,000 reused tokens";
  EXPECT_NEAR((m[Term::d] * 147'456 + m[Term::h]) * 1000, 4.84, 1.5) << "ms per 1,000 loaded tokens";
  const auto b = break_even(m, 147'456);
  ASSERT_TRUE(b.value) << b.why;
  EXPECT_GT(b.value->tokens, 100);
  EXPECT_LT(b.value->tokens, 600);
  EXPECT_LT(b.value->low, b.value->tokens);
  ASSERT_TRUE(b.value->high);
  EXPECT_GT(*b.value->high, b.value->tokens);
}

TEST(RealTtft, SmallEagerModelBreaksEvenFarBeyondTwoThousandTokens) {
  const auto fit = fit_ttft(recorded("curve06w"), "curve06w");
  ASSERT_TRUE(fit.model);
  const auto b = break_even(*fit.model, 114'688);
  ASSERT_TRUE(b.value) << b.why;
  EXPECT_GT(b.value->tokens, 2003);
}

TEST(Fit, ThreeDistinctPointsOfTheReferencePlanAreRefusedWithTheReason) {
  std::vector<TtftPoint> points;
  for (int i = 0; i < 20; ++i) {
    points.push_back({2003, 0, 0, 83.0 + i * 0.1});
    points.push_back({3, 2000, 0, 18.0});
    points.push_back({3, 2000, 229'376'000, 29.0});
  }
  const auto fit = fit_ttft(points);
  EXPECT_FALSE(fit.model);
  EXPECT_NE(fit.why.find("3 distinct point(s)"), std::string::npos) << fit.why;
}

TEST(Fit, RecoversKnownTermsDespiteOutliers) {
  Rng rng(3);
  std::vector<TtftPoint> points;
  for (const double n : {256., 1024., 2048., 4096., 8192., 16384., 32768.})
    for (int k = 0; k < 6; ++k) {
      const double f = std::exp(0.02 * rng.normal()) * (k == 5 ? 1.6 : 1.0);
      points.push_back({n, 0, 0, (15 + 0.02 * n + 6e-7 * n * n / 2) * f});
      points.push_back({3, n, 0, (15 + 0.001 * n) * std::exp(0.02 * rng.normal())});
      points.push_back({3, n, n * 131'072, (15 + 0.001 * n + 2e-8 * n * 131'072 + 4) * std::exp(0.02 * rng.normal())});
    }
  const auto fit = fit_ttft(points);
  ASSERT_TRUE(fit.model) << fit.why;
  const auto& m = *fit.model;
  EXPECT_NEAR(m[Term::a0], 15, 0.6);
  EXPECT_NEAR(m[Term::a1], 0.02, 0.001);
  EXPECT_NEAR(m[Term::a2], 6e-7, 1e-7);
  EXPECT_NEAR(m[Term::h], 0.001, 0.0001);
  EXPECT_NEAR(m[Term::d], 2e-8, 1e-9);
  EXPECT_NEAR(m[Term::e], 4, 1);
  EXPECT_GT(m.downweighted, 4);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_TRUE(m.terms[i].fitted) << name_of(static_cast<Term>(i));
    EXPECT_LT(m.terms[i].low, m.terms[i].value);
  }
  EXPECT_FALSE(m.terms[6].fitted);
  EXPECT_FALSE(m.extrapolates(100'000, 0, 0).empty());
  EXPECT_TRUE(m.extrapolates(2000, 0, 0).empty());
}

TEST(Fit, WithoutLoadsTheLoadPartIsAbsentWithItsReason) {
  std::vector<TtftPoint> points;
  for (const double n : {256., 1024., 4096., 8192., 16384.})
    for (int k = 0; k < 3; ++k) points.push_back({n, 0, 0, 15 + 0.02 * n + k * 0.01});
  const auto fit = fit_ttft(points);
  ASSERT_TRUE(fit.model) << fit.why;
  EXPECT_FALSE(fit.model->has_load);
  EXPECT_FALSE(fit.model->extrapolates(3, 2000, 1e8).empty());
  EXPECT_FALSE(break_even(*fit.model, 131'072).value);
  const Json j = *fit.model;
  EXPECT_TRUE(j["terms"]["d"]["value"].is_null());
  EXPECT_FALSE(j["terms"]["d"]["why"].get<std::string>().empty());
}

TEST(BreakEvenLength, IsAbsentWhenLoadingNeverCatchesUp) {
  TtftModel m;
  m.has_load = true;
  m.terms[1].value = 0.001;
  m.terms[4].value = 1e-7;
  m.terms[5].value = 3;
  const auto b = break_even(m, 114'688);
  EXPECT_FALSE(b.value);
  EXPECT_NE(b.why.find("never meet"), std::string::npos);
}

}  // namespace
}  // namespace kvcliff::analysis
