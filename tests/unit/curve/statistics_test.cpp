// SPDX-License-Identifier: GPL-3.0-or-later
#include "cache/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/hash.h"
#include "cache/sampled_curve.h"
#include "cache/trace_stream.h"
#include "support/data.h"

namespace kvcliff::cache {
namespace {

ReferenceStream stream(const std::vector<std::vector<std::uint64_t>>& prompts, std::int64_t extra = 1) {
  std::vector<Request> requests;
  for (const auto& p : prompts) requests.push_back({static_cast<std::int64_t>(p.size()) * 16 + extra, 1, p});
  return make_stream(requests, 16);
}

TEST(Statistics, CountWhatIsReusedAndByWhom) {
  // A template of two blocks, three documents behind it, one of them grown twice.
  const auto s = statistics(stream({{1, 2, 3}, {1, 2, 4}, {1, 2, 5}, {1, 2, 3, 6}, {1, 2, 3, 6, 7}}));
  EXPECT_EQ(s.requests, 5);
  EXPECT_EQ(s.references, 18);
  EXPECT_EQ(s.distinct, 7);
  EXPECT_EQ(s.reused_distinct, 4);  // 1 2 3 6
  EXPECT_EQ(s.ceiling, (2 + 2 + 3 + 4) * 16);
  EXPECT_EQ(s.ceiling_gpu, s.ceiling);
  EXPECT_EQ(s.working_set, 5);      // block 3 again after 5 and 4
  ASSERT_EQ(s.origins.size(), 2u);
  EXPECT_EQ(s.origins[0].origin, "shared template");
  EXPECT_EQ(s.origins[0].revisits, 8);
  EXPECT_EQ(s.origins[0].all, 2);
  EXPECT_EQ(s.origins[1].revisits, 3);
  EXPECT_EQ(s.origins[1].all, 5);
  EXPECT_EQ(s.document_count, 1u);
}

TEST(Statistics, ConversationsOfTheFileDecideTheOrigin) {
  const std::vector<std::int64_t> who{0, 1, 0};
  const auto s = statistics(stream({{1, 2}, {1, 3}, {1, 2, 4}}), who);
  EXPECT_EQ(s.origins[0].revisits, 2);  // block 1: used last by the other conversation, twice
  EXPECT_EQ(s.origins[1].revisits, 1);  // block 2
}

TEST(Statistics, TheLastTokenLimitsOnlyTheGpu) {
  const auto s = statistics(stream({{1, 2}, {1, 2}}, 0));
  EXPECT_EQ(s.ceiling, 32);
  EXPECT_EQ(s.ceiling_gpu, 16);
}

// All choices of what to keep, by search: feasible for tiny streams only.
std::int64_t best_by_search(const std::vector<std::uint32_t>& refs, std::size_t at, std::set<std::uint32_t> held, std::size_t capacity,
                            std::map<std::pair<std::size_t, std::set<std::uint32_t>>, std::int64_t>& memo) {
  if (at == refs.size()) return 0;
  const auto key = std::make_pair(at, held);
  if (const auto it = memo.find(key); it != memo.end()) return it->second;
  const bool hit = held.count(refs[at]) > 0;
  std::int64_t best = best_by_search(refs, at + 1, held, capacity, memo);
  if (!hit) {
    if (held.size() < capacity) {
      auto more = held;
      more.insert(refs[at]);
      best = std::max(best, best_by_search(refs, at + 1, more, capacity, memo));
    } else {
      for (const auto victim : held) {
        auto other = held;
        other.erase(victim);
        other.insert(refs[at]);
        best = std::max(best, best_by_search(refs, at + 1, other, capacity, memo));
      }
    }
  }
  return memo[key] = best + hit;
}

TEST(Optimal, IsTheBestOfAllChoices) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Rng rng(seed);
    std::vector<std::vector<std::uint64_t>> prompts;
    for (int i = 0; i < 14; ++i) prompts.push_back({rng.below(5) + 1});
    const auto s = stream(prompts);
    for (const std::int64_t c : {1, 2, 3}) {
      std::map<std::pair<std::size_t, std::set<std::uint32_t>>, std::int64_t> memo;
      const std::vector<std::int64_t> at{c};
      EXPECT_EQ(optimal_hits(s, at)[0], 16 * best_by_search(s.ids, 0, {}, static_cast<std::size_t>(c), memo)) << seed << " " << c;
    }
  }
}

TEST(Optimal, ACircleKeepsAllButOneShareWhereLruKeepsNothing) {
  std::vector<std::vector<std::uint64_t>> prompts;
  for (int r = 0; r < 50; ++r)
    for (std::uint64_t d = 1; d <= 10; ++d) prompts.push_back({d});
  const auto s = stream(prompts);
  const std::vector<std::int64_t> at{5, 9, 10};
  const auto best = optimal_hits(s, at, 2);
  EXPECT_EQ(CapacityCurve(s, FreeOrder::none).at(9, 0).gpu_hit, 0);
  EXPECT_EQ(best[0], 490 * 16 / 2);  // five of the ten stay for good, the others are never let in
  EXPECT_EQ(best[1], 441 * 16);
  EXPECT_EQ(best[2], 490 * 16);
  const auto conversation = stream_of(*workload::read_trace(test::data("traces/mooncake_conversation_trace.jsonl.zst").string()));
  const CapacityCurve lru(*conversation, FreeOrder::none);
  const std::vector<std::int64_t> sizes{1'000, 5'000};
  const auto bound = optimal_hits(*conversation, sizes, 2);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_GT(bound[i], lru.at(sizes[i], 0).gpu_hit);
}

TEST(Cliff, IsFoundWithItsRampAndSaidInWords) {
  const auto ramp = [](std::int64_t c) { return std::clamp<std::int64_t>(c - 600, 0, 100) * 16; };
  const auto c = find_cliff(ramp, 1000);
  ASSERT_TRUE(c);
  EXPECT_EQ(c->none_up_to, 600);
  EXPECT_EQ(c->tenth, 610);
  EXPECT_EQ(c->half, 650);
  EXPECT_EQ(c->most, 690);
  EXPECT_EQ(c->all_from, 700);
  EXPECT_TRUE(c->sharp());
  EXPECT_NE(c->verdict().find("A cliff: up to 600 blocks nothing is hit"), std::string::npos);
  const auto slope = find_cliff([](std::int64_t x) { return std::min<std::int64_t>(x, 1000); }, 1000);
  EXPECT_FALSE(slope->sharp());
  EXPECT_FALSE(find_cliff([](std::int64_t) { return 0; }, 100));
}

TEST(ReverseProbe, ReadsWhatTheGpuKeptAndWhetherTheHostKeptAll) {
  Config c;
  c.gpu_blocks = 384;
  c.host_chunks = 1'250;
  auto p = reverse_probe(20, 125, 2'003, c);
  EXPECT_EQ(p.gpu_blocks, 383);      // one block is the tail of the request that runs
  EXPECT_FALSE(p.gpu_all);
  EXPECT_FALSE(p.host_all);
  EXPECT_GE(p.host_blocks, 1'240);
  EXPECT_LE(p.host_blocks, 1'260);
  p = reverse_probe(6, 125, 2'003, c);
  EXPECT_TRUE(p.host_all);
  EXPECT_EQ(p.host_blocks, 750);
}

TEST(Sampled, IsExactWhenEveryBlockIsFollowed) {
  const auto s = *stream_of(*workload::read_trace(test::data("traces/mooncake_synthetic_trace.jsonl.zst").string()));
  SampledCurve all(1, 1 << 24);
  std::vector<std::uint64_t> keys;
  for (const auto& r : s.requests) {
    const auto ids = s.blocks(r);
    keys.assign(ids.begin(), ids.end());
    all.request(keys, static_cast<std::size_t>((r.prompt_tokens - 1) / s.block_size));
  }
  const CapacityCurve exact(s, FreeOrder::none);
  for (const std::int64_t c : {1, 50, 100, 1'000, 20'000}) {
    const double wanted = static_cast<double>(exact.at(c, 0).gpu_hit) / 512;
    EXPECT_NEAR(all.at(c).hits, wanted, 0.012 * wanted + 1) << c;   // distances are kept to 1/128
    EXPECT_EQ(all.at(c).error, 0);
  }
}

TEST(Sampled, ItsErrorCoversTheExactCurveInBoundedMemory) {
  const auto s = *stream_of(*workload::read_trace(test::data("traces/mooncake_conversation_trace.jsonl.zst").string()));
  const CapacityCurve exact(s, FreeOrder::none);
  SampledCurve some(1, 1 << 14);
  std::vector<std::uint64_t> keys;
  for (const auto& r : s.requests) {
    const auto ids = s.blocks(r);
    keys.assign(ids.begin(), ids.end());
    some.request(keys, static_cast<std::size_t>((r.prompt_tokens - 1) / s.block_size));
    ASSERT_LE(some.followed(), std::size_t{1} << 14);
  }
  EXPECT_LT(some.rate(), 0.13);
  EXPECT_NEAR(some.distinct(), s.distinct, 0.05 * s.distinct);
  double off = 0;
  int covered = 0, n = 0;
  for (std::int64_t c = 500; c <= 100'000; c = c * 5 / 4) {
    const double wanted = static_cast<double>(exact.at(c, 0).gpu_hit) / 512 / static_cast<double>(s.ids.size());
    const auto e = some.ratio_at(c);
    off += std::abs(e.hits - wanted);
    covered += std::abs(e.hits - wanted) <= e.error;
    ++n;
  }
  EXPECT_LT(off / n, 0.02);
  EXPECT_GE(covered, n * 8 / 10);
}

}  // namespace
}  // namespace kvcliff::cache
