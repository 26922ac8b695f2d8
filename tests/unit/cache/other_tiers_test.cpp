// SPDX-License-Identifier: GPL-3.0-or-later
// Tiers modelled from source: hand-worked cases and conservation.
#include "cache/other_tiers.h"

#include <gtest/gtest.h>

#include "base/hash.h"
#include "cache/predict.h"

namespace kvcliff::cache {
namespace {

Request document(std::uint64_t which, std::int64_t tokens, std::int64_t outputs = 1) {
  Request r{tokens, outputs, {}};
  std::uint64_t parent = which;
  for (std::int64_t i = 0; i < tokens / 16; ++i) r.keys.push_back(parent = hash64(&parent, sizeof parent, which));
  return r;
}
Config of(Tier tier, std::int64_t gpu, std::int64_t host) {
  Config c;
  c.tier = tier;
  c.gpu_blocks = gpu;
  c.host_chunks = host;
  return c;
}

TEST(SimpleTier, P10TheLookUpEndsBeforeTheLastToken) {
  const auto t = make_other_tier(of(Tier::simple, 5, 20));
  EXPECT_EQ(t->run(document(1, 64, 4)).stored_chunks, 4);
  t->run(document(2, 64, 4));
  const Outcome again = t->run(document(1, 64, 4));
  EXPECT_EQ(again.computed, 16);
  EXPECT_EQ(again.host_loaded, 48);
}

TEST(SimpleTier, BlocksOfTheLastStepAreLost) {
  const auto t = make_other_tier(of(Tier::simple, 5, 20));
  EXPECT_EQ(t->run(document(1, 65, 1)).stored_chunks, 0);
  EXPECT_EQ(t->run(document(1, 65, 2)).stored_chunks, 4);
}

// The live session: six documents of 2,003 tokens twice, a tier that holds them all.
TEST(SimpleTier, TwoRoundsLoadWhatTheLiveSessionLoaded) {
  const auto t = make_other_tier(of(Tier::simple, 384, 1287));
  for (std::uint64_t d = 1; d <= 6; ++d) EXPECT_EQ(t->run(document(d, 2003, 16)).computed, 2003);
  for (std::uint64_t d = 1; d <= 6; ++d) {
    const Outcome o = t->run(document(d, 2003, 16));
    EXPECT_EQ(o.computed, 3);
    EXPECT_EQ(o.host_loaded, 2000);
  }
}

TEST(LmCacheTier, P11TheHeadGoesFirstAndTheRestIsDeadWeight) {
  const auto t = make_other_tier(of(Tier::lmcache, 66, 7));
  EXPECT_EQ(t->run(document(1, 1025)).stored_chunks, 4);
  EXPECT_EQ(t->run(document(2, 1025)).stored_chunks, 4);
  EXPECT_EQ(t->run(document(1, 1025)).host_loaded, 0);
}

TEST(LmCacheTier, AWholePromptThatHitsStillRunsItsLastToken) {
  const auto t = make_other_tier(of(Tier::lmcache, 40, 20));
  t->run(document(1, 512));
  t->run(document(2, 512));
  const Outcome again = t->run(document(1, 512));
  EXPECT_EQ(again.computed, 1);
  EXPECT_EQ(again.host_loaded + again.gpu_hit, 511);
}

TEST(RadixTier, WriteThroughBringsAnEvictedDocumentBack) {
  const auto t = make_other_tier(of(Tier::hicache, 5, 20));
  EXPECT_EQ(t->run(document(1, 65)).stored_chunks, 4);
  t->run(document(2, 65));
  const Outcome again = t->run(document(1, 65));
  EXPECT_EQ(again.computed, 1);
  EXPECT_EQ(again.host_loaded, 64);
}

TEST(RadixTier, SelectiveStoresOnTheSecondUseAndWriteBackOnEviction) {
  Config c = of(Tier::hicache, 5, 20);
  c.write_policy = WritePolicy::write_through_selective;
  const auto selective = make_other_tier(c);
  EXPECT_EQ(selective->run(document(1, 65)).stored_chunks, 0);
  EXPECT_EQ(selective->run(document(1, 65)).stored_chunks, 4);
  c.write_policy = WritePolicy::write_back;
  const auto back = make_other_tier(c);
  EXPECT_EQ(back->run(document(1, 65)).stored_chunks, 0);
  EXPECT_EQ(back->run(document(2, 65)).stored_chunks, 4);
  EXPECT_EQ(back->run(document(1, 65)).host_loaded, 64);
}

TEST(OtherTiers, TokensAreConservedWhateverTheSizes) {
  for (const Tier tier : {Tier::simple, Tier::lmcache, Tier::hicache})
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
      Rng rng(seed);
      Config c = of(tier, 20 + static_cast<std::int64_t>(rng.below(40)), static_cast<std::int64_t>(rng.below(60)));
      c.lmcache_chunk_tokens = 32;
      c.write_policy = static_cast<WritePolicy>(rng.below(3));
      c.max_batched_tokens = rng.below(2) ? 0 : 40;
      std::vector<Input> inputs;
      for (int i = 0; i < 40; ++i) {
        const std::uint64_t d = 1 + rng.below(6);
        inputs.push_back({document(d, 1 + static_cast<std::int64_t>(rng.below(250)), 1 + static_cast<std::int64_t>(rng.below(20))), rng.below(15) == 0, rng.below(25) == 0});
      }
      const auto got = predict(c, inputs);
      ASSERT_TRUE(got) << got.error().sentence();
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        const auto& p = (*got)[i];
        ASSERT_EQ(p.computed.min + p.gpu_hit.min + p.host_loaded.min, inputs[i].request.prompt_tokens) << static_cast<int>(tier) << " seed " << seed << " request " << i;
        ASSERT_GE(p.computed.min, 1);
      }
    }
}

}  // namespace
}  // namespace kvcliff::cache
