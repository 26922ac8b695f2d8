// SPDX-License-Identifier: GPL-3.0-or-later
// Rules that a table or a sentence of the notes states, one by one.
#include <gtest/gtest.h>

#include <map>

#include "base/hash.h"
#include "cache/explain.h"
#include "cache/rules.h"
#include "cache/session.h"
#include "cache/simulator.h"

namespace kvcliff::cache {
namespace {

Request document(std::uint64_t which, std::int64_t tokens, std::int64_t outputs = 1) {
  Request r{tokens, outputs, {}};
  std::uint64_t parent = which;
  for (std::int64_t i = 0; i < tokens / 16; ++i) r.keys.push_back(parent = hash64(&parent, sizeof parent, which));
  return r;
}
Config sized(std::int64_t gpu, std::int64_t host, HostTouch touch = HostTouch::finish) {
  Config c;
  c.gpu_blocks = gpu;
  c.host_chunks = host;
  c.host_touch = touch;
  return c;
}

// Six documents of 20 blocks in cycle: the older rule gives a straight ramp, the newer one rises at once. Edges agree.
TEST(Rules, TheHostRampIsStraightAtLookUpAndSteepAtFinish) {
  const std::map<std::int64_t, std::pair<int, int>> table{{100, {0, 0}}, {104, {64, 176}}, {108, {128, 238}}, {112, {192, 260}},
                                                          {116, {256, 281}}, {118, {288, 290}}, {119, {304, 290}}, {120, {320, 320}}};
  for (const auto& [chunks, want] : table)
    for (const bool finish : {false, true}) {
      Simulator s(sized(65, chunks, finish ? HostTouch::finish : HostTouch::lookup));
      double sum = 0;
      constexpr int warm = 400, rounds = 4000;
      for (int round = 0; round < warm + rounds; ++round)
        for (std::uint64_t d = 1; d <= 6; ++d) {
          const Outcome o = s.run_fitting(document(d, 325));
          if (round >= warm) sum += static_cast<double>(o.host_loaded);
        }
      EXPECT_NEAR(sum / (6.0 * rounds), finish ? want.second : want.first, finish ? 4.0 : 0.5) << "C " << chunks << (finish ? " finish" : " lookup");
    }
}

// The live check of that table: 96 requests each, rounds 7 to 16.
TEST(Rules, TheSteepRampIsWhatThe96LiveRequestsShowed) {
  for (const auto& [chunks, want] : {std::pair{104, 167.0}, std::pair{112, 263.0}}) {
    Simulator s(sized(65, chunks));
    double sum = 0;
    for (int round = 1; round <= 16; ++round)
      for (std::uint64_t d = 1; d <= 6; ++d) {
        const Outcome o = s.run_fitting(document(d, 325));
        if (round >= 7) sum += static_cast<double>(o.host_loaded);
      }
    EXPECT_NEAR(sum / 60, want, 0.5) << chunks;
  }
}

// The GPU's ramp is one document wide: nothing up to (K-1)F, everything from K F + 1 (the tail block of the running request).
TEST(Rules, TheGpuRampIsOneDocumentWide) {
  constexpr std::int64_t tokens = 325, F = 20, K = 4, tail = 1;
  for (std::int64_t n = (K - 1) * F - 2; n <= K * F + 3; ++n) {
    Simulator s(sized(n, 0));
    Outcome last;
    for (int round = 0; round < 5; ++round)
      for (std::uint64_t d = 1; d <= static_cast<std::uint64_t>(K); ++d) last = s.run_fitting(document(d, tokens));
    const std::int64_t blocks = std::clamp<std::int64_t>(n - tail - (K - 1) * F, 0, F);
    EXPECT_EQ(last.gpu_hit, 16 * blocks) << "N " << n;
  }
}

TEST(Rules, APromptLargerThanTheHostLosesItsHeadWhenPrefilledInChunks) {
  Config c = sized(10, 4);
  c.max_batched_tokens = 32;
  Simulator s(c);
  s.run_fitting(document(1, 81));
  ASSERT_TRUE(s.reset_gpu());
  const Outcome again = s.run_fitting(document(1, 81));
  EXPECT_EQ(again.computed, 81);
  EXPECT_EQ(again.host_loaded, 0);
}

TEST(Rules, AStoreThatFindsNoRoomIsTriedAtEveryStepAndOnceAfterTheEnd) {
  Simulator s(sized(10, 4));
  const Outcome one = s.run_fitting(document(1, 81));
  EXPECT_EQ(one.failed_stores, 2);
  EXPECT_EQ(one.stored_chunks, 0);
  EXPECT_EQ(s.run_fitting(document(2, 81, 5)).failed_stores, 6);
}

TEST(Rules, P07TheStoreThresholdCountsOffersNowAndLookUpsBefore) {
  const auto loaded = [](bool offers) {
    Config c = sized(20, 20, offers ? HostTouch::finish : HostTouch::lookup);
    c.store_threshold = 2;
    c.threshold_counts_offers = offers;
    Simulator s(c);
    std::vector<std::int64_t> out;
    for (int i = 0; i < 9; ++i) {
      s.reset_gpu();
      out.push_back(s.run_fitting(document(1, 65)).host_loaded);
    }
    return out;
  };
  EXPECT_EQ(loaded(true), (std::vector<std::int64_t>{0, 0, 64, 64, 64, 64, 64, 64, 64}));
  EXPECT_EQ(loaded(false), (std::vector<std::int64_t>{0, 0, 16, 16, 32, 32, 48, 48, 64}));
}

TEST(Rules, P08AnotherSaltIsAnotherPrompt) {
  Simulator s(sized(10, 0));
  s.run_fitting(document(1, 55));
  EXPECT_EQ(s.run_fitting(document(2, 55)).computed, 55);
}

TEST(Rules, P09SpeculativeDecodingDropsTheLastMatchedBlock) {
  Config c = sized(10, 0);
  c.eagle = true;
  Simulator s(c);
  s.run_fitting(document(1, 55));
  const Outcome again = s.run_fitting(document(1, 55));
  EXPECT_EQ(again.gpu_hit, 32);
  EXPECT_EQ(again.computed, 23);
}

TEST(Rules, TheLastSampledTokenCountsAtTheEndInTheReleaseThatDidSo) {
  for (const auto& [touch, stored] : {std::pair{HostTouch::unordered, 126}, std::pair{HostTouch::finish, 125}}) {
    Config c = sized(384, 1287, touch);
    c.offload_prompt_only = false;
    Simulator s(c);
    EXPECT_EQ(s.run_fitting(document(1, 2000, 16)).stored_chunks, stored);
  }
}

// On the host {A0, A1, A3}: what is behind the hole cannot be used. The hole is made by a store of one block.
TEST(Rules, P06AHoleEndsTheUsablePrefix) {
  HostTier host(sized(10, 4, HostTouch::lookup), 1);
  std::vector<KeyTable::Id> stored, evicted, all{0, 1, 2, 3};
  std::vector<std::uint8_t> flags(4);
  ASSERT_TRUE(host.offer(all, flags, stored, evicted).stored);
  host.end_store(stored);
  for (const KeyTable::Id id : {0u, 1u, 3u}) host.touch(std::span(&id, 1));  // A2 is the oldest
  std::vector<KeyTable::Id> other{9}, more;
  ASSERT_TRUE(host.offer(other, flags, more, evicted).stored);
  EXPECT_EQ(evicted, (std::vector<KeyTable::Id>{2}));
  EXPECT_EQ(host.find(1), HostTier::Found::ready);
  EXPECT_EQ(host.find(2), HostTier::Found::miss);
  EXPECT_EQ(host.find(3), HostTier::Found::ready);
}

// ARC at the finish: a store is no second use, and a request that is served twice from the host moves to the frequent list.
TEST(Rules, ArcKeepsWhatWasUsedTwiceFromAScan) {
  for (const HostTouch touch : {HostTouch::lookup, HostTouch::finish}) {
    Config c = sized(3, 4, touch);
    c.policy = Policy::arc;
    Simulator s(c);
    for (const std::uint64_t d : {1, 1, 2, 3, 4}) s.run_fitting(document(d, 33));
    EXPECT_EQ(s.run_fitting(document(1, 33)).host_loaded, 32);
  }
}

TEST(Rules, AVersionSetsItsSwitches) {
  const auto old = *with_rules_of(Config{}, "0.18.1"), h200 = *with_rules_of(Config{}, "v0.26.0"), cpu = *with_rules_of(Config{}, "0.32.0+cpu");
  EXPECT_EQ(old.free_order, FreeOrder::append);
  EXPECT_EQ(old.host_touch, HostTouch::lookup);
  EXPECT_EQ(old.in_flight, InFlight::miss);
  EXPECT_FALSE(old.full_sequence_must_fit);
  EXPECT_EQ(h200.host_touch, HostTouch::unordered);
  EXPECT_FALSE(h200.stats_once);
  EXPECT_EQ(cpu.host_touch, HostTouch::finish);
  EXPECT_TRUE(cpu.threshold_counts_offers);
  EXPECT_FALSE(with_rules_of(Config{}, "newest"));
  EXPECT_EQ(*with_rules_of(Config{}, ""), cpu);
}

// Whether a prompt that comes again is answered with the same tokens is the model's: both stores are possible.
TEST(Session, StoresOfGeneratedBlocksAreARangeWhereAPromptRepeats) {
  workload::Spec spec;
  spec.documents = 6;
  spec.tokens = 2003;
  spec.output_tokens = 16;
  spec.rounds = 3;
  auto config = sized(384, 1250);
  config.offload_prompt_only = false;
  const auto session = plan_session(spec, config, 1);
  ASSERT_TRUE(session) << session.error().sentence();
  for (const auto& r : *session) {
    // 2,003 + 16 tokens fill 126 blocks; the 126th holds the prompt's tail and the answer.
    const bool again = !r.warmup && r.round > 1;
    EXPECT_EQ(r.predicted.stored_blocks.min, again ? 0 : 126) << r.ordinal;
    EXPECT_EQ(r.predicted.stored_blocks.max, again ? 1 : 126) << r.ordinal;
    EXPECT_EQ(r.predicted.stored_blocks.why.empty(), !again) << r.predicted.stored_blocks.why;
    EXPECT_EQ(r.predicted.host_loaded, PredictedCount::exact(again ? 2000 : 0)) << "what is found of a prompt does not depend on its answer here";
  }
  config.offload_prompt_only = true;
  const auto prompts = plan_session(spec, config, 1);
  ASSERT_TRUE(prompts) << prompts.error().sentence();
  for (const auto& r : *prompts) EXPECT_TRUE(r.predicted.stored_blocks.is_exact()) << r.ordinal;
}

// The reference plan's sessions: 78 requests, 156,234 prompt tokens.
TEST(Session, TheReferencePlanGivesItsTotals) {
  std::int64_t prompt = 0, computed = 0, gpu = 0, host = 0, count = 0;
  const auto run = [&](std::int64_t documents, std::int64_t chunks) {
    workload::Spec spec;
    spec.documents = documents;
    const auto session = plan_session(spec, sized(384, chunks), 2);
    ASSERT_TRUE(session) << session.error().sentence();
    for (const auto& r : *session) {
      if (r.warmup) continue;
      ++count;
      prompt += r.prompt_tokens;
      computed += r.predicted.computed.min;
      gpu += r.predicted.gpu_hit.min;
      host += r.predicted.host_loaded.min;
    }
  };
  for (const std::int64_t chunks : {0, 1250, 1250, 0}) run(6, chunks);
  run(2, 0);
  EXPECT_EQ(count, 78);
  EXPECT_EQ(prompt, 156'234);
  EXPECT_EQ(computed, 100'234);
  EXPECT_EQ(gpu, 8'000);
  EXPECT_EQ(host, 48'000);
}

TEST(Predict, ARequestThatCanNeverFitIsRefusedWithItsNumbers) {
  const std::vector<Input> inputs{{document(1, 33), false, false}, {document(2, 330), false, false}};
  const auto r = predict(sized(10, 0), inputs);
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().where, "request 1");
  EXPECT_NE(r.error().why.find("21 blocks"), std::string::npos) << r.error().why;
}

// Every reason's tokens add up to the prompt, split as predicted; one token more where the last one runs again.
TEST(Explain, ReasonsAddUpToThePrediction) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Rng rng(seed);
    Config c = sized(4 + static_cast<std::int64_t>(rng.below(30)), static_cast<std::int64_t>(rng.below(40)), rng.below(2) ? HostTouch::finish : HostTouch::lookup);
    c.blocks_per_chunk = 1 + static_cast<std::int64_t>(rng.below(3));
    c.eagle = rng.below(5) == 0;
    std::vector<Input> inputs;
    for (int i = 0; i < 30; ++i) {
      const std::uint64_t d = 1 + rng.below(6);
      Input in{document(d, 1 + static_cast<std::int64_t>(rng.below(16 * static_cast<std::uint64_t>(c.gpu_blocks - 2)))), rng.below(9) == 0, rng.below(20) == 0};
      if (rng.below(3) == 0) in.request = document(d, 16 * (1 + static_cast<std::int64_t>(rng.below(3))));
      inputs.push_back(std::move(in));
    }
    const auto sources = predict(c, inputs);
    const auto because = explain(c, inputs);
    ASSERT_TRUE(sources && because);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      std::map<Source, std::int64_t> sum;
      for (const auto& b : (*because)[i]) {
        EXPECT_GT(b.tokens, 0);
        EXPECT_FALSE(b.reason.empty());
        sum[b.source] += b.tokens;
      }
      EXPECT_EQ(sum[Source::gpu_hit], (*sources)[i].gpu_hit.min);
      EXPECT_EQ(sum[Source::host_loaded], (*sources)[i].host_loaded.min);
      EXPECT_EQ(sum[Source::computed], (*sources)[i].computed.min) << "seed " << seed << " request " << i;
    }
  }
}

TEST(Explain, SaysWhichRequestTookTheBlocksAway) {
  const std::vector<Input> inputs{{document(1, 65), false, false}, {document(2, 65), false, false}, {document(1, 65), false, false}};
  const std::vector<std::string> names{"A", "B", "A again"};
  const auto because = explain(sized(5, 0), inputs, names);
  ASSERT_TRUE(because);
  EXPECT_NE((*because)[2][0].reason.find("evicted by request 1 (B)"), std::string::npos) << (*because)[2][0].reason;
  EXPECT_NE((*because)[2][0].reason.find("no host tier"), std::string::npos);
}

TEST(Explain, TheNearestPromptAndItsFirstDifferingTokenAreNamed) {
  std::vector<std::vector<std::uint64_t>> prompts(4);
  for (std::uint64_t i = 0; i < 60; ++i) prompts[0].push_back(i), prompts[1].push_back(i < 37 ? i : 1000 + i), prompts[2].push_back(i < 5 ? i : 2000 + i), prompts[3].push_back(3000 + i);
  const auto near = nearest_prompts(prompts, 16);
  EXPECT_EQ(near[0].request, -1);
  EXPECT_EQ(near[1].request, 0);
  EXPECT_EQ(near[1].common_tokens, 37);
  EXPECT_EQ(near[2].common_tokens, 5);
  EXPECT_NE(near[2].why.find("below one block"), std::string::npos);
  EXPECT_NE(near[3].why.find("unique"), std::string::npos);
}

}  // namespace
}  // namespace kvcliff::cache
