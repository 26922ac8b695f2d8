// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/requests.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/hash.h"
#include "workload/distance.h"

namespace kvcliff::workload {
namespace {

std::vector<Prompt> made(const Spec& spec, std::int64_t block_size = 16) {
  auto r = realise(spec, block_size);
  EXPECT_TRUE(r) << r.error().sentence();
  return r ? std::move(*r) : std::vector<Prompt>{};
}

std::vector<int> documents(const std::vector<Prompt>& prompts) {
  std::vector<int> out;
  for (const auto& p : prompts) out.push_back(p.document);
  return out;
}

TEST(Requests, TheReferenceWorkloadIsSixDocumentsThreeTimesInCycle) {
  const auto prompts = made(Spec{});
  ASSERT_EQ(prompts.size(), 18u);
  for (int i = 0; i < 18; ++i) {
    const Prompt& p = prompts[static_cast<std::size_t>(i)];
    EXPECT_EQ(p.ordinal, i);
    EXPECT_EQ(p.document, i % 6);
    EXPECT_EQ(p.round, i / 6 + 1);
    EXPECT_EQ(p.tokens.size(), 2003u);
    EXPECT_EQ(p.keys.size(), 125u);
    EXPECT_EQ(p.output_tokens, 16);
    EXPECT_EQ(p.revisit_distance, i < 6 ? -1 : 750);
    EXPECT_EQ(p.keys, prompts[static_cast<std::size_t>(i % 6)].keys);
    EXPECT_EQ(p.hash, prompts[static_cast<std::size_t>(i % 6)].hash);
    for (const auto id : p.tokens) {
      EXPECT_GE(id, 258);
      EXPECT_LE(id, 2047);
    }
  }
}

TEST(Requests, TheSameSeedGivesTheSameTokensAndAnotherSeedOthers) {
  Spec spec;
  const auto a = made(spec), b = made(spec);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i].tokens, b[i].tokens);
  spec.seed = 2;
  const auto c = made(spec);
  EXPECT_NE(a[0].tokens, c[0].tokens);
}

// Whatever the sizes, blocks are shared exactly where the shared prefix covers them whole.
TEST(Requests, DocumentsShareTheBlocksOfTheSharedPrefixAndNoOther) {
  for (const std::int64_t block : {1, 2, 3, 16, 32})
    for (const std::int64_t shared : {0, 1, 15, 16, 17, 40}) {
      Spec spec;
      spec.documents = 200;
      spec.rounds = 1;
      spec.tokens = 67;
      spec.shared_prefix_tokens = shared;
      const auto prompts = made(spec, block);
      std::map<std::uint64_t, int> owners;
      for (const auto& p : prompts)
        for (const auto k : std::set<std::uint64_t>(p.keys.begin(), p.keys.end())) ++owners[k];
      std::int64_t common = 0;
      for (const auto& [key, count] : owners) {
        EXPECT_TRUE(count == 1 || count == 200) << "block " << block << ", shared " << shared << ": " << count;
        common += count == 200;
      }
      EXPECT_EQ(common, shared / block);
    }
}

TEST(Requests, MoreDocumentsThanABlockCanTellApartAreRefused) {
  Spec spec;
  spec.documents = 2000;
  spec.rounds = 1;
  spec.tokens = 3;
  const auto r = realise(spec, 1);
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().where, "workload.documents");
  EXPECT_TRUE(realise(spec, 2));
}

TEST(Requests, ReverseTurnsEachRoundAround) {
  Spec spec;
  spec.documents = 3;
  spec.order = Spec::Order::reverse;
  const auto prompts = made(spec);
  EXPECT_EQ(documents(prompts), (std::vector<int>{0, 1, 2, 2, 1, 0, 0, 1, 2}));
  EXPECT_EQ(prompts[3].revisit_distance, 125);
  EXPECT_EQ(prompts[5].revisit_distance, 375);
}

TEST(Requests, RandomVisitsEveryDocumentOnceARound) {
  Spec spec;
  spec.documents = 20;
  spec.order = Spec::Order::random;
  const auto prompts = made(spec);
  std::set<std::vector<int>> orders;
  for (int r = 0; r < 3; ++r) {
    std::vector<int> round;
    for (int i = 0; i < 20; ++i) {
      const Prompt& p = prompts[static_cast<std::size_t>(r * 20 + i)];
      EXPECT_EQ(p.round, r + 1);
      round.push_back(p.document);
    }
    orders.insert(round);
    EXPECT_EQ(std::set<int>(round.begin(), round.end()).size(), 20u);
  }
  EXPECT_EQ(orders.size(), 3u);
}

TEST(Requests, ZipfFavoursTheFirstDocumentsAsItsWeightsSay) {
  Spec spec;
  spec.documents = 4;
  spec.rounds = 5000;
  spec.tokens = 1;
  spec.order = Spec::Order::zipf;
  spec.zipf_exponent = 1;
  std::map<int, int> count;
  for (const Visit& v : visits(spec)) {
    EXPECT_EQ(v.round, count[v.document] + 1);
    ++count[v.document];
  }
  for (int d = 0; d < 4; ++d) EXPECT_NEAR(count[d] / 20000.0, 12.0 / 25 / (d + 1), 0.02);
}

TEST(Requests, TurnsOfAConversationGrowAndKeepTheirPrefix) {
  for (const auto order : {Spec::Order::cyclic, Spec::Order::random, Spec::Order::zipf, Spec::Order::reverse}) {
    Spec spec;
    spec.kind = Spec::Kind::sessions;
    spec.documents = 5;
    spec.rounds = 4;
    spec.tokens = 100;
    spec.turn_tokens = 37;
    spec.order = order;
    const auto prompts = made(spec);
    ASSERT_EQ(prompts.size(), 20u);
    std::map<int, std::vector<std::int32_t>> last;
    for (const auto& p : prompts) {
      EXPECT_EQ(p.tokens.size(), 100u + 37u * static_cast<std::size_t>(p.round - 1));
      auto& before = last[p.document];
      EXPECT_TRUE(std::equal(before.begin(), before.end(), p.tokens.begin()));
      before = p.tokens;
    }
    for (const auto& [d, tokens] : last) EXPECT_EQ(tokens.size(), 100u + 37u * 3u);
  }
}

TEST(Requests, FieldsOutOfRangeAreNamed) {
  const auto refused = [](const std::string& field, auto change) {
    Spec spec;
    change(spec);
    const auto r = realise(spec, 16);
    ASSERT_FALSE(r) << field;
    EXPECT_EQ(r.error().where, "workload." + field);
    EXPECT_FALSE(r.error().why.empty());
  };
  refused("documents", [](Spec& s) { s.documents = 0; });
  refused("tokens", [](Spec& s) { s.tokens = 0; });
  refused("tokens", [](Spec& s) { s.tokens = std::int64_t{1} << 40; });
  refused("tokens", [](Spec& s) { s.documents = 1'000'000; });
  refused("rounds", [](Spec& s) { s.rounds = -1; });
  refused("rounds", [](Spec& s) { s.documents = s.rounds = std::int64_t{1} << 40; });
  refused("output_tokens", [](Spec& s) { s.output_tokens = 0; });
  refused("shared_prefix_tokens", [](Spec& s) { s.shared_prefix_tokens = s.tokens + 1; });
  refused("zipf_exponent", [](Spec& s) { s.order = Spec::Order::zipf; s.zipf_exponent = -1; });
  refused("trace", [](Spec& s) { s.kind = Spec::Kind::trace; });
  EXPECT_FALSE(realise(Spec{}, 0));
}

TEST(Warmup, SharesNoBlockWithAnyPromptNorWithAnotherWarmUp) {
  for (const std::int64_t block : {1, 2, 16}) {
    Spec spec;
    spec.documents = 300;
    spec.rounds = 1;
    spec.tokens = 50;
    std::set<std::uint64_t> keys;
    for (const auto& p : made(spec, block)) keys.insert(p.keys.begin(), p.keys.end());
    std::size_t count = keys.size();
    for (int i = 0; i < 800; ++i) {
      const auto w = warmup_prompt(spec, block, 50, i);
      ASSERT_TRUE(w) << w.error().sentence();
      EXPECT_TRUE(w->warmup);
      EXPECT_EQ(w->tokens.size(), 50u);
      keys.insert(w->keys.begin(), w->keys.end());
      count += w->keys.size();
    }
    EXPECT_EQ(keys.size(), count) << "block " << block;
  }
}

TEST(Warmup, AnotherSaltGivesOtherTokens) {
  const auto a = warmup_prompt(Spec{}, 16, 100, 0, 1), b = warmup_prompt(Spec{}, 16, 100, 0, 2);
  ASSERT_TRUE(a && b);
  EXPECT_NE(a->keys.front(), b->keys.front());
  EXPECT_FALSE(warmup_prompt(Spec{}, 16, 0, 0));
  EXPECT_FALSE(warmup_prompt(Spec{}, 1, 10, 895));
}

TEST(Keys, APrefixSharesItsKeysAndAPartialBlockHasNone) {
  std::vector<std::int32_t> a(40, 300), b(40, 300);
  b[20] = 301;
  const auto ka = block_keys(a, 16), kb = block_keys(b, 16);
  ASSERT_EQ(ka.size(), 2u);
  EXPECT_EQ(ka[0], kb[0]);
  EXPECT_NE(ka[1], kb[1]);
  EXPECT_NE(ka[0], ka[1]) << "equal tokens behind another prefix are another block";
  EXPECT_TRUE(block_keys(std::span(a).first(15), 16).empty());
}

TEST(Keys, ThePromptHashIsSha256OverLittleEndianIds) {
  const std::vector<std::int32_t> ids{258, 2047};
  EXPECT_EQ(prompt_hash(ids), sha256_hex(std::string_view("\x02\x01\x00\x00\xff\x07\x00\x00", 8)));
}

TEST(Distance, CountsDistinctKeysLikeAListOfRecency) {
  DistanceMeter meter;
  Rng rng(7);
  std::vector<std::uint64_t> recent;  // newest first
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t key = rng.below(3) == 0 ? rng.below(1500) : rng.below(40);
    const auto it = std::find(recent.begin(), recent.end(), key);
    const std::int64_t want = it == recent.end() ? -1 : it - recent.begin() + 1;
    if (it != recent.end()) recent.erase(it);
    recent.insert(recent.begin(), key);
    ASSERT_EQ(meter.reference(key), want) << i;
  }
  EXPECT_EQ(meter.distinct(), static_cast<std::int64_t>(recent.size()));
}

}  // namespace
}  // namespace kvcliff::workload
