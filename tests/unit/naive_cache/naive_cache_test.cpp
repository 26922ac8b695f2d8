// SPDX-License-Identifier: GPL-3.0-or-later
// The naive cache against the hand-derived scenarios and the live recordings.
#include <gtest/gtest.h>

#include "support/naive_cache.h"
#include "support/scenario.h"

namespace kvcliff::test {
namespace {

using Four = std::vector<std::int64_t>;

std::vector<Four> play(const Scenario& s, const cache::Config& config, std::uint64_t seed = 1) {
  NaiveCache naive(config, seed);
  std::vector<Four> out;
  for (const auto& r : s.requests) {
    if (r.reset_before) {
      EXPECT_TRUE(naive.reset_gpu()) << s.id;
    }
    const auto o = naive.run(r.request);
    out.push_back({o.computed, o.gpu_hit, o.host_loaded, o.stored});
  }
  return out;
}

TEST(NaiveCache, HandDerivedScenariosAreExactUnderEveryRuleListed) {
  const auto scenarios = read_scenarios("prediction-scenarios.json");
  ASSERT_EQ(scenarios.size(), 43u);
  for (const auto& s : scenarios)
    for (const auto order : s.free_orders)
      for (const auto touch : s.host_touches) {
        cache::Config config = s.config;
        config.free_order = order;
        config.host_touch = touch;
        EXPECT_EQ(play(s, config), s.expect) << s.id << " free order " << int(order) << " touch " << int(touch);
      }
}

TEST(NaiveCache, LiveRecordingsAreExactWhereTheOrderOfAJobDoesNotMatter) {
  int exact = 0;
  for (const auto& s : read_scenarios("recorded-scenarios.json")) {
    const auto got = play(s, s.config);
    ASSERT_EQ(got.size(), s.expect.size()) << s.id;
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (s.order_dependent[i]) continue;
      EXPECT_EQ(got[i], s.expect[i]) << s.id << " request " << i;
      ++exact;
    }
  }
  EXPECT_GT(exact, 1000);
}

// 6 documents of 20 blocks and 5 tokens on 65 GPU blocks, cyclic: mean host tokens per request in rounds [from, to).
double cyclic_mean(std::int64_t host, cache::HostTouch touch, int from, int to) {
  cache::Config config;
  config.gpu_blocks = 65;
  config.host_chunks = host;
  config.host_touch = touch;
  NaiveCache naive(config);
  double sum = 0;
  for (int visit = 0; visit < 6 * to; ++visit) {
    cache::Request r;
    r.prompt_tokens = 325;
    for (std::uint64_t b = 0; b < 20; ++b) r.keys.push_back(std::uint64_t(visit % 6) * 1000 + b + 1);
    const auto o = naive.run(r);
    if (visit >= 6 * from) sum += double(o.host_loaded);
  }
  return sum / (6.0 * (to - from));
}

TEST(NaiveCache, TheHostRampIsLinearWhenTouchedAtLookUpAndSteepWhenTouchedAtFinish) {
  const auto mean = [](std::int64_t host, cache::HostTouch touch) { return cyclic_mean(host, touch, 100, 600); };
  const std::vector<std::int64_t> capacities{100, 104, 108, 112, 116, 118, 119, 120};
  const std::vector<double> lookup{0, 64, 128, 192, 256, 288, 304, 320};
  const std::vector<double> finish{0, 176, 238, 260, 281, 290, 290, 320};  // long-run means: the window matters by 2
  for (std::size_t i = 0; i < capacities.size(); ++i) {
    EXPECT_DOUBLE_EQ(mean(capacities[i], cache::HostTouch::lookup), lookup[i]) << capacities[i];
    EXPECT_NEAR(mean(capacities[i], cache::HostTouch::finish), finish[i], 2.0) << capacities[i];
  }
}

TEST(NaiveCache, RoundsSevenToSixteenAgreeWithTheLiveServerOfTheSameSizes) {
  EXPECT_NEAR(cyclic_mean(104, cache::HostTouch::finish, 6, 16), 167, 0.5);
  EXPECT_NEAR(cyclic_mean(112, cache::HostTouch::finish, 6, 16), 263, 0.5);
}

TEST(NaiveCache, AStoreThatFindsNoRoomIsTriedAgainAtEachStepAndOnceAtTheEnd) {
  cache::Config config;
  config.gpu_blocks = 20;
  config.host_chunks = 4;
  cache::Request r{81, 1, {1, 2, 3, 4, 5}};
  NaiveCache naive(config);
  const auto o = naive.run(r);
  EXPECT_EQ(o.stored, 0);
  EXPECT_EQ(o.failed, 2);
}

TEST(NaiveCache, AThresholdOfTwoStoresAChainOnItsSecondOfferAndAChunkPerTwoLookUpsBefore) {
  const auto play_threshold = [](bool offers) {
    cache::Config config;
    config.gpu_blocks = 20;
    config.host_chunks = 40;
    config.store_threshold = 2;
    config.threshold_counts_offers = offers;
    NaiveCache naive(config);
    std::vector<std::int64_t> host;
    for (int i = 0; i < 9; ++i) {
      EXPECT_TRUE(naive.reset_gpu());
      host.push_back(naive.run({65, 1, {1, 2, 3, 4}}).host_loaded);
    }
    return host;
  };
  EXPECT_EQ(play_threshold(true), (std::vector<std::int64_t>{0, 0, 64, 64, 64, 64, 64, 64, 64}));
  EXPECT_EQ(play_threshold(false), (std::vector<std::int64_t>{0, 0, 16, 16, 32, 32, 48, 48, 64}));
}

TEST(NaiveCache, ChunkedPrefillOfAPromptLargerThanTheHostLosesItsOwnHead) {
  cache::Config config;
  config.gpu_blocks = 20;
  config.host_chunks = 4;
  config.max_batched_tokens = 32;
  NaiveCache naive(config);
  const cache::Request r{81, 1, {1, 2, 3, 4, 5}};
  naive.run(r);
  ASSERT_TRUE(naive.reset_gpu());
  EXPECT_EQ(naive.run(r).computed, 81);
}

}  // namespace
}  // namespace kvcliff::test
