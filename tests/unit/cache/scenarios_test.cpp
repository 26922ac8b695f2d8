// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "cache/predict.h"
#include "cache/scenario.h"
#include "support/data.h"

namespace kvcliff::cache {
namespace {

std::vector<Scenario> scenarios(const std::string& name) {
  auto file = read_scenario_file(test::data(name).string());
  EXPECT_TRUE(file) << file.error().sentence();
  if (!file) return {};
  for (const auto& w : file->warnings) ADD_FAILURE() << w;
  return std::move(file->scenarios);
}

std::string text(const PredictedSources& p) { return Json(p).dump(); }

bool covers(const PredictedSources& p, const std::array<std::int64_t, 4>& want) {
  return p.computed.contains(want[0]) && p.gpu_hit.contains(want[1]) && p.host_loaded.contains(want[2]) && p.stored_blocks.contains(want[3]);
}
bool is_exact(const PredictedSources& p) {
  return p.computed.is_exact() && p.gpu_hit.is_exact() && p.host_loaded.is_exact() && p.stored_blocks.is_exact();
}

TEST(Scenarios, EveryHandDerivedScenarioIsExactUnderEveryRuleItNames) {
  int runs = 0;
  for (const auto& s : scenarios("prediction-scenarios.json"))
    for (const auto order : s.free_orders)
      for (const auto touch : s.host_touches) {
        Config c = s.config;
        c.free_order = order;
        c.host_touch = touch;
        const auto got = predict(c, s.inputs);
        ASSERT_TRUE(got) << s.id << ": " << got.error().sentence();
        ASSERT_EQ(got->size(), s.expect.size());
        for (std::size_t i = 0; i < got->size(); ++i)
          EXPECT_TRUE(is_exact((*got)[i]) && covers((*got)[i], s.expect[i]))
              << s.id << " " << to_string(order) << " " << to_string(touch) << " request " << i << ": " << text((*got)[i])
              << " expected " << Json(s.expect[i]).dump();
        ++runs;
      }
  EXPECT_GT(runs, 100);
}

TEST(Scenarios, EveryRecordedRequestIsPredicted) {
  int exact = 0, all = 0, covered_random = 0;
  for (const auto& s : scenarios("recorded-scenarios.json")) {
    const auto got = predict(s.config, s.inputs);
    ASSERT_TRUE(got) << s.id << ": " << got.error().sentence();
    ASSERT_EQ(got->size(), s.expect.size());
    for (std::size_t i = 0; i < got->size(); ++i) {
      const bool random = std::count(s.order_dependent.begin(), s.order_dependent.end(), i) > 0;
      EXPECT_TRUE(covers((*got)[i], s.expect[i])) << s.id << " request " << i << ": " << text((*got)[i]) << " measured " << Json(s.expect[i]).dump();
      if (!random) {
        EXPECT_TRUE(is_exact((*got)[i])) << s.id << " request " << i << ": " << text((*got)[i]);
      }
      EXPECT_TRUE((*got)[i].stored_blocks.is_exact()) << s.id << " request " << i;
      covered_random += random;
      exact += is_exact((*got)[i]);
      ++all;
    }
  }
  EXPECT_EQ(covered_random, 42);  // requests that were recorded as order dependent
  EXPECT_GE(exact, all * 95 / 100) << exact << " of " << all;
}

}  // namespace
}  // namespace kvcliff::cache
