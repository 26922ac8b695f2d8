// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <list>

#include "base/hash.h"
#include "cache/capacity_curve.h"
#include "support/data.h"

namespace kvcliff::cache {
/// What ctest shows beside a test's name.
inline void PrintTo(FreeOrder o, std::ostream* out) { *out << (o == FreeOrder::prepend ? "prepend" : o == FreeOrder::append ? "append" : "none"); }

namespace {

// The rule itself, block by block, in a list: most recent first. `depth_with_tail` keeps for each block the largest
// D + p over the requests since its last use.
struct NaiveStack {
  FreeOrder order;
  struct Entry {
    std::uint32_t id;
    std::uint32_t critical;
  };
  std::list<Entry> stack;

  void request(const std::vector<std::uint32_t>& ids, bool tail, std::vector<std::uint32_t>& host, std::vector<std::uint32_t>& gpu) {
    host.assign(ids.size(), StackDistances::never);
    gpu = host;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      std::uint32_t depth = 0;
      for (const Entry& e : stack) {
        ++depth;
        if (e.id != ids[i]) continue;
        host[i] = depth;
        gpu[i] = order == FreeOrder::prepend ? std::max(depth, e.critical) : depth;
        break;
      }
    }
    stack.remove_if([&](const Entry& e) { return e.id != StackDistances::never && std::find(ids.begin(), ids.end(), e.id) != ids.end(); });
    if (tail && order == FreeOrder::append) stack.push_front({StackDistances::never, 0});
    for (std::size_t i = ids.size(); i-- > 0;) stack.push_front({ids[i], 0});
    if (tail && order == FreeOrder::prepend) {
      std::uint32_t depth = 0;
      for (Entry& e : stack) e.critical = std::max(e.critical, ++depth + 1);
    }
  }
};

class EveryOrder : public testing::TestWithParam<FreeOrder> {};

TEST_P(EveryOrder, EqualsTheRuleBlockByBlockOnRandomChains) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Rng rng(seed);
    StackDistances fast(GetParam());
    NaiveStack slow{GetParam(), {}};
    const std::uint64_t documents = 1 + rng.below(12), longest = 1 + rng.below(90);
    const int tail_share = static_cast<int>(rng.below(4));  // 0: no partial tails, 3: always
    for (int r = 0; r < 60; ++r) {
      const std::uint64_t d = rng.below(documents);
      std::vector<std::uint32_t> ids;
      const std::uint64_t shared = rng.below(3), n = 1 + rng.below(longest);
      for (std::uint64_t b = 0; b < n; ++b)
        ids.push_back(static_cast<std::uint32_t>(b < shared ? b : 3 + d * 100 + b));
      const bool tail = tail_share == 3 || (tail_share > 0 && rng.below(2) == 0);
      std::vector<std::uint32_t> h1(ids.size()), g1(ids.size()), h2, g2;
      fast.request(ids, tail, h1, g1);
      slow.request(ids, tail, h2, g2);
      ASSERT_EQ(h1, h2) << "seed " << seed << " request " << r;
      ASSERT_EQ(g1, g2) << "seed " << seed << " request " << r;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Orders, EveryOrder, testing::Values(FreeOrder::prepend, FreeOrder::append, FreeOrder::none));

ReferenceStream mooncake(const std::string& name) {
  const std::string text = test::read("traces/" + name);
  ReferenceStream s;
  s.block_size = 512;
  std::size_t begin = 0;
  std::unordered_map<std::int64_t, std::uint32_t> number;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const Json line = Json::parse(text.substr(begin, end - begin));
    begin = end + 1;
    StreamRequest r;
    r.first = s.ids.size();
    r.prompt_tokens = line.at("input_length");
    r.count = static_cast<std::uint32_t>(r.prompt_tokens / 512);
    for (std::uint32_t i = 0; i < r.count; ++i) {
      const auto [it, added] = number.try_emplace(line.at("hash_ids")[i].get<std::int64_t>(), s.distinct);
      if (added) ++s.distinct;
      s.ids.push_back(it->second);
    }
    s.requests.push_back(r);
  }
  return s;
}

// The golden numbers of the reference simulator: 512-token blocks, sequential, tails to the front, no output.
TEST(CapacityCurve, GoldenNumbersOfTheMooncakeConversation) {
  const ReferenceStream s = mooncake("mooncake_conversation_trace.jsonl.zst");
  const CapacityCurve curve(s, FreeOrder::prepend);
  EXPECT_EQ(curve.requests(), 12'031);
  EXPECT_EQ(curve.prompt_tokens(), 144'793'823);
  EXPECT_EQ(curve.block_references(), 276'491);
  const std::vector<CurvePoint> golden{{1'000, 0, 6'649'856, 0, 138'143'967},
                                       {5'000, 0, 17'502'720, 0, 127'291'103},
                                       {50'000, 0, 52'594'176, 0, 92'199'647},
                                       {1'000, 1'000, 6'649'856, 1'024, 138'142'943},
                                       {5'000, 5'000, 17'502'720, 4'096, 127'287'007},
                                       {5'000, 20'000, 17'502'720, 25'859'584, 101'431'519}};
  for (const CurvePoint& g : golden) EXPECT_EQ(curve.at(g.gpu_blocks, g.host_blocks), g) << g.gpu_blocks << " " << g.host_blocks;
}

TEST(CapacityCurve, GoldenNumbersOfTheMooncakeSynthetic) {
  const ReferenceStream s = mooncake("mooncake_synthetic_trace.jsonl.zst");
  const CapacityCurve curve(s, FreeOrder::prepend);
  EXPECT_EQ(curve.prompt_tokens(), 61'194'628);
  EXPECT_EQ(curve.block_references(), 117'888);
  EXPECT_EQ(curve.at(1'000, 0).gpu_hit, 5'307'392);
  EXPECT_EQ(curve.at(5'000, 0).gpu_hit, 17'714'176);
  EXPECT_EQ(curve.at(20'000, 0).gpu_hit, 36'274'176);
  EXPECT_EQ(curve.at(50'000, 0).gpu_hit, 39'802'880);
  EXPECT_EQ(curve.at(5'000, 20'000), (CurvePoint{5'000, 20'000, 17'714'176, 18'560'512, 24'919'940}));
}

}  // namespace
}  // namespace kvcliff::cache
