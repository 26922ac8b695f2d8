// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "base/hash.h"
#include "cache/axis.h"
#include "cache/point_curve.h"
#include "cache/simulator.h"
#include "cache/trace_stream.h"
#include "support/data.h"

namespace kvcliff::cache {
namespace {

ReferenceStream mooncake() {
  const auto t = workload::read_trace(test::data("traces/mooncake_conversation_trace.jsonl.zst").string());
  return *stream_of(*t);
}

Config with(HostTouch touch, FreeOrder order = FreeOrder::prepend) {
  Config c;
  c.host_touch = touch;
  c.free_order = order;
  return c;
}

// documents of `blocks` full blocks and `rest` more tokens, visited in a circle.
ReferenceStream cyclic(std::int64_t documents, std::int64_t blocks, std::int64_t rest, int rounds) {
  ReferenceStream s;
  s.distinct = static_cast<std::uint32_t>(documents * blocks);
  for (int r = 0; r < rounds; ++r)
    for (std::int64_t d = 0; d < documents; ++d) {
      s.requests.push_back({s.ids.size(), static_cast<std::uint32_t>(blocks), blocks * 16 + rest, 1});
      for (std::int64_t b = 0; b < blocks; ++b) s.ids.push_back(static_cast<std::uint32_t>(d * blocks + b));
    }
  return s;
}

struct Sum {
  std::int64_t gpu = 0, host = 0, computed = 0;
  bool operator==(const Sum&) const = default;
};
Sum simulated(const std::vector<Request>& requests, Config c, std::int64_t gpu, std::int64_t host) {
  c.gpu_blocks = gpu;
  c.host_chunks = host;
  Simulator s(c);
  Sum sum;
  for (const Request& r : requests) {
    const Outcome o = s.run_fitting(r);
    sum.gpu += o.gpu_hit;
    sum.host += o.host_loaded;
    sum.computed += o.computed;
  }
  return sum;
}

// Random prefix trees: templates, documents, growing conversations; lengths with and without partial tails.
ReferenceStream random_workload(Rng& rng, bool multiples) {
  ReferenceStream s;
  s.block_size = 4;
  std::vector<Request> requests;
  const std::uint64_t documents = 1 + rng.below(6), longest = 1 + rng.below(12), shared = rng.below(4);
  for (std::uint64_t i = 0, n = 8 + rng.below(25); i < n; ++i) {
    const std::uint64_t d = rng.below(documents), blocks = rng.below(longest + 1);
    Request r;
    r.output_tokens = 1 + static_cast<std::int64_t>(rng.below(9));
    for (std::uint64_t b = 0; b < blocks; ++b) r.keys.push_back(b < shared ? b + 1 : 100 + d * 50 + b);
    r.prompt_tokens = static_cast<std::int64_t>(blocks * 4 + (multiples && blocks > 0 && rng.below(2) == 0 ? 0 : 1 + rng.below(3)));
    requests.push_back(std::move(r));
  }
  return make_stream(requests, 4);
}

TEST(PointCurve, EqualsTheStepSimulatorOnTenThousandRandomWorkloads) {
  Rng rng(2026);
  int exact = 0, fast = 0;
  for (int k = 0; k < 10'000; ++k) {
    const FreeOrder order = k % 2 ? FreeOrder::prepend : FreeOrder::append;
    const HostTouch touch = k % 4 < 2 ? HostTouch::lookup : HostTouch::finish;
    const bool output = k % 5 == 0;
    const PointCurve curve(random_workload(rng, k % 3 == 0), with(touch, order), output);
    const auto requests = requests_of(curve.stream(), output);
    for (int p = 0; p < 3; ++p) {
      const std::int64_t gpu = curve.largest_request() + static_cast<std::int64_t>(rng.below(40));
      const std::int64_t host = p == 0 ? 0 : static_cast<std::int64_t>(rng.below(80));
      const RulePoint at = curve.at(gpu, host);
      ASSERT_TRUE(at.exact) << at.why;
      ++exact;
      const Sum sum = simulated(requests, curve.rules(), gpu, host);
      ASSERT_EQ((Sum{at.gpu_hit, at.host_loaded.min, at.computed.min}), sum) << "workload " << k << " gpu " << gpu << " host " << host;
      const RulePoint one = curve.one_pass_point(gpu, host);
      if (!one.exact) continue;
      ++fast;
      ASSERT_EQ((Sum{one.gpu_hit, one.host_loaded.min, one.computed.min}), sum) << "workload " << k << " gpu " << gpu << " host " << host;
    }
  }
  EXPECT_EQ(exact, 30'000);
  EXPECT_GT(fast, 12'000);  // the one pass alone was judged on these
}

// Tails of the append order and generated tokens age on the GPU alone: a host tier that is the smaller one still holds
// what they drove off. The one pass counts it, at one capacity and along all of them.
TEST(CapacityCurve, ASmallerHostIsCountedAsTheStepSimulatorDoes) {
  Rng rng(77);
  int more = 0;
  for (int k = 0; k < 2'000; ++k) {
    const FreeOrder order = k % 2 ? FreeOrder::prepend : FreeOrder::append;
    const bool output = k % 4 != 0;
    const auto stream = random_workload(rng, false);
    const CapacityCurve curve(stream, order, 0, output);
    const auto requests = requests_of(stream, output);
    Config rules = with(HostTouch::lookup, order);
    rules.block_size = 4;
    const std::int64_t gpu = curve.largest_request() + 1 + static_cast<std::int64_t>(rng.below(30));
    if (curve.largest_prompt() >= gpu) continue;
    std::vector<std::int64_t> all;
    for (std::int64_t c = curve.largest_prompt(); c < gpu; ++c) all.push_back(c);
    const auto along = curve.along(true, gpu, all);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const CurvePoint p = curve.at(gpu, all[i]);
      ASSERT_EQ(p, along[i]) << k;
      if (i % 3 == 0) {
        ASSERT_EQ((Sum{p.gpu_hit, p.host_loaded, p.computed}), simulated(requests, rules, gpu, all[i])) << k << " " << gpu << " " << all[i];
      }
      more += p.host_loaded > 0;
    }
    all.clear();
    for (std::int64_t c = 1; c < 70; ++c) all.push_back(c);
    const std::int64_t host = 1 + static_cast<std::int64_t>(rng.below(30));
    const auto of_gpu = curve.along(false, host, all);
    for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(curve.at(all[i], host), of_gpu[i]) << k << " " << all[i] << " " << host;
  }
  EXPECT_GT(more, 2'000);
}

TEST(PointCurve, GoldenNumbersOfTheMooncakeConversationUnderFinish) {
  const PointCurve curve(mooncake(), with(HostTouch::finish));
  const auto a = curve.at(1'000, 5'000), b = curve.at(5'000, 20'000);
  EXPECT_EQ(a.gpu_hit, 6'649'856);
  EXPECT_EQ(a.host_loaded, PredictedCount::exact(10'846'720));
  EXPECT_EQ(a.computed, PredictedCount::exact(127'297'247));
  EXPECT_EQ(b.gpu_hit, 17'502'720);
  EXPECT_EQ(b.host_loaded, PredictedCount::exact(25'867'776));
  EXPECT_EQ(b.computed, PredictedCount::exact(101'423'327));
}

TEST(PointCurve, TheFastHostTierEqualsTheStepSimulatorOnTheMooncakeConversation) {
  const PointCurve curve(mooncake(), with(HostTouch::finish));
  const auto requests = requests_of(curve.stream(), false);
  for (const auto& [gpu, host] : std::vector<PointCurve::Pair>{{247, 300}, {1'000, 40'000}, {3'000, 3'000}}) {
    const auto p = curve.at(gpu, host);
    EXPECT_EQ((Sum{p.gpu_hit, p.host_loaded.min, p.computed.min}), simulated(requests, curve.rules(), gpu, host)) << gpu << " " << host;
  }
}

// K documents of F blocks in a circle: nothing up to (K-1) F, a ramp of one document, everything from K F; one block
// more on the GPU for the tail of the request that runs.
TEST(Edges, TheGpuRampIsOneDocumentWideAtEachBlock) {
  constexpr std::int64_t documents = 5, blocks = 12;
  for (const std::int64_t rest : {1, 7}) {
    const PointCurve curve(cyclic(documents, blocks, rest, 4), with(HostTouch::lookup));
    const auto requests = requests_of(curve.stream(), false);
    constexpr std::int64_t revisits = documents * 3;
    for (const std::int64_t edge : {(documents - 1) * blocks, documents * blocks})
      for (const std::int64_t off : {-1, 0, 1, 2, static_cast<int>(blocks)}) {
        const std::int64_t n = edge + off;
        const std::int64_t kept = std::clamp<std::int64_t>(n - 1 - (documents - 1) * blocks, 0, blocks);  // of each document
        EXPECT_EQ(curve.at(n, 0).gpu_hit, revisits * kept * 16) << n;
        EXPECT_EQ((Sum{curve.at(n, 0).gpu_hit, 0, curve.at(n, 0).computed.min}), simulated(requests, curve.rules(), n, 0)) << n;
      }
  }
}

TEST(Edges, TheHostRampFollowsItsRuleAtEachBlock) {
  constexpr std::int64_t documents = 6, blocks = 20, rounds = 4, revisits = documents * (rounds - 1);
  for (const auto touch : {HostTouch::lookup, HostTouch::finish}) {
    const PointCurve curve(cyclic(documents, blocks, 3, rounds), with(touch));
    const auto requests = requests_of(curve.stream(), false);
    for (const std::int64_t edge : {(documents - 1) * blocks, documents * blocks})
      for (const std::int64_t off : {-1, 0, 1, static_cast<int>(blocks)}) {
        const std::int64_t c = edge + off;
        const auto p = curve.at(40, c);
        const Sum sum = simulated(requests, curve.rules(), 40, c);
        EXPECT_EQ((Sum{p.gpu_hit, p.host_loaded.min, p.computed.min}), sum) << c;
        if (c <= (documents - 1) * blocks) {
          EXPECT_EQ(p.host_loaded.min, 0) << c;
        } else if (c >= documents * blocks) {
          EXPECT_EQ(p.host_loaded.min, revisits * blocks * 16) << c;
        } else if (touch == HostTouch::lookup) {
          EXPECT_EQ(p.host_loaded.min, revisits * (c - (documents - 1) * blocks) * 16) << c;
        }
      }
    EXPECT_GT(PointCurve(cyclic(documents, blocks, 3, 12), with(HostTouch::finish)).at(40, 104).host_loaded.min,
              PointCurve(cyclic(documents, blocks, 3, 12), with(HostTouch::lookup)).at(40, 104).host_loaded.min);
  }
}

TEST(Edges, AHostNoLargerThanTheGpuGivesNothing) {
  const PointCurve curve(cyclic(6, 20, 3, 3), with(HostTouch::lookup));
  for (const std::int64_t c : {20, 59, 60}) EXPECT_EQ(curve.at(60, c).host_loaded.min, 0) << c;
}

TEST(PointCurve, ARandomOrderGivesARangeAroundItsMean) {
  const PointCurve curve(cyclic(6, 20, 3, 6), with(HostTouch::unordered));
  const auto inside = curve.at(40, 110), above = curve.at(40, 120);
  EXPECT_LT(inside.host_loaded.min, inside.host_loaded.max);
  EXPECT_GT(inside.host_loaded.mean, static_cast<double>(inside.host_loaded.min));
  EXPECT_LT(inside.host_loaded.mean, static_cast<double>(inside.host_loaded.max));
  EXPECT_FALSE(inside.host_loaded.why.empty());
  EXPECT_TRUE(above.host_loaded.is_exact());
  EXPECT_EQ(above.host_loaded.min, 5 * 6 * 20 * 16);
}

TEST(PointCurve, ARequestTooLargeForTheGpuIsSaidToBe) {
  const PointCurve curve(cyclic(3, 20, 3, 2), with(HostTouch::finish));
  EXPECT_FALSE(curve.at(20, 100).exact);
  EXPECT_NE(curve.at(20, 100).why.find("takes 21 GPU blocks"), std::string::npos);
  EXPECT_TRUE(curve.at(21, 100).exact);
  const PointCurve band(cyclic(3, 20, 3, 2), with(HostTouch::unordered));
  EXPECT_FALSE(band.at(20, 100).known);
  EXPECT_EQ(band.at(0, 100).host_loaded.min, 3 * 20 * 16);
}

TEST(PointCurve, ThreadsGiveTheSamePoints) {
  const PointCurve curve(cyclic(6, 20, 3, 6), with(HostTouch::finish));
  std::vector<PointCurve::Pair> pairs;
  for (std::int64_t c = 90; c < 130; ++c) pairs.emplace_back(40, c);
  const auto one = curve.at(pairs, 1), four = curve.at(pairs, 4);
  ASSERT_EQ(one.size(), four.size());
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i].host_loaded, four[i].host_loaded);
  std::atomic<bool> stop{true};
  EXPECT_TRUE(curve.at(pairs, 2, &stop).empty());
}

TEST(Thin, StraightLinesLoseTheirMiddleAndCornersStay) {
  std::vector<std::int64_t> x, y;
  for (std::int64_t i = 0; i <= 100; ++i) {
    x.push_back(i);
    y.push_back(i < 40 ? 0 : i < 60 ? (i - 40) * 7 : 140);
  }
  std::int64_t gap = -1;
  EXPECT_EQ(thin(x, y, 50, &gap), (std::vector<std::size_t>{0, 40, 60, 100}));
  EXPECT_EQ(gap, 0);
  EXPECT_EQ(thin(x, y, 3, &gap).size(), 3u);
  EXPECT_GT(gap, 0);
}

TEST(Axis, HasItsExactBreakpointsAndBothPlateaus) {
  const PointCurve curve(cyclic(5, 12, 3, 3), with(HostTouch::lookup));
  const Axis gpu = axis_of(curve, false, 0, 1000, 1);
  std::vector<std::int64_t> at;
  for (const auto& p : gpu.points) at.push_back(p.gpu_blocks);
  for (const std::int64_t wanted : {0, 49, 61}) EXPECT_NE(std::find(at.begin(), at.end(), wanted), at.end()) << wanted;
  EXPECT_LE(at.size(), 6u);
  EXPECT_EQ(gpu.points.front().gpu_hit, 0);
  EXPECT_GT(at.back(), 61);
  EXPECT_EQ(gpu.largest_gap, 0);
}

TEST(Axis, ASimulatedCurveHasMorePointsWhereItBends) {
  const PointCurve curve(cyclic(6, 20, 3, 12), with(HostTouch::finish));
  const Axis host = axis_of(curve, true, 40, 100, 2);
  EXPECT_LE(host.points.size(), 100u);
  EXPECT_EQ(host.largest_gap, -1);
  const auto count = [&](std::int64_t from, std::int64_t to) {
    return std::count_if(host.points.begin(), host.points.end(), [&](const auto& p) { return p.host_blocks >= from && p.host_blocks < to; });
  };
  EXPECT_EQ(count(100, 121), 21);   // every block of the ramp
  EXPECT_LT(count(0, 100), 40);
  for (const auto& p : host.points) EXPECT_EQ(p.host_loaded, curve.at(40, p.host_blocks).host_loaded);
}

TEST(Axis, ALargeCurveIsThinnedAndSaysByHowMuch) {
  const PointCurve curve(mooncake(), with(HostTouch::lookup));
  const Axis gpu = axis_of(curve, false, 0, 1000, 1);
  EXPECT_EQ(gpu.points.size(), 1000u);
  EXPECT_GT(gpu.corners, 1000);
  EXPECT_GT(gpu.largest_gap, 0);
  // No capacity lies farther from the lines between the points than stated.
  for (std::size_t i = 0; i + 1 < gpu.points.size(); ++i) {
    const auto &a = gpu.points[i], &b = gpu.points[i + 1];
    const std::int64_t c = (a.gpu_blocks + b.gpu_blocks) / 2;
    const double line = static_cast<double>(a.gpu_hit) + static_cast<double>(b.gpu_hit - a.gpu_hit) *
                                                             static_cast<double>(c - a.gpu_blocks) / static_cast<double>(b.gpu_blocks - a.gpu_blocks);
    EXPECT_LE(std::abs(line - static_cast<double>(curve.one_pass().at(c, 0).gpu_hit)), static_cast<double>(gpu.largest_gap) + 1) << c;
  }
}

}  // namespace
}  // namespace kvcliff::cache
