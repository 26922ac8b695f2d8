// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "cache/working_set.h"

namespace kvcliff::cache {
namespace {

workload::Spec reference() {
  workload::Spec s;  // 6 documents x 2,003 tokens x 3 rounds, cyclic
  return s;
}

Config capacities(HostTouch touch) {
  Config c;
  c.gpu_blocks = 384;
  c.host_chunks = 1'250;
  c.host_touch = touch;
  return c;
}

const WorkingSetPoint& at(const std::vector<WorkingSetPoint>& points, std::int64_t blocks) {
  for (const auto& p : points)
    if (p.blocks == blocks) return p;
  throw std::runtime_error("no such size");
}

TEST(WorkingSet, SharesOfTheReferenceWorkload) {
  const auto set = WorkingSet::prepare(reference(), 16, FreeOrder::prepend, 14, true);
  ASSERT_TRUE(set);
  const auto points = set->one_pass(capacities(HostTouch::lookup));
  EXPECT_EQ(set->document_blocks(), 125);
  // 3 documents with their decode blocks fit (378 + 1 tail <= 384). With 4, what the GPU keeps beside the three newer
  // ones is 384 - 1 - 378 = 5 blocks, the first 5 of each document.
  EXPECT_DOUBLE_EQ(at(points, 375).gpu, 2000.0 / 2003);
  EXPECT_NEAR(at(points, 500).gpu, 5 * 16.0 / 2003, 1e-12);
  EXPECT_DOUBLE_EQ(at(points, 625).gpu, 0);
  EXPECT_DOUBLE_EQ(at(points, 750).host, 2000.0 / 2003);
  EXPECT_DOUBLE_EQ(at(points, 1250).host, 2000.0 / 2003);
  EXPECT_DOUBLE_EQ(at(points, 1375).host, 0);
  const auto edge = find_edge(points, true);
  ASSERT_TRUE(edge);
  EXPECT_EQ(edge->last_full, 1250);
  EXPECT_EQ(edge->first_none, 1375);
}

TEST(WorkingSet, SimulationAgreesWithTheOnePassCurveUnderLookup) {
  for (const auto order : {workload::Spec::Order::cyclic, workload::Spec::Order::random, workload::Spec::Order::zipf}) {
    auto spec = reference();
    spec.order = order;
    if (order == workload::Spec::Order::random) spec.shared_prefix_tokens = 167;  // ten blocks that all share, and a part
    const auto set = WorkingSet::prepare(spec, 16, FreeOrder::prepend, 6, true);
    ASSERT_TRUE(set);
    Config c = capacities(HostTouch::lookup);
    c.host_chunks = 500;
    const auto fast = set->one_pass(c);
    for (std::size_t i = 0; i < fast.size(); i += 5) {
      const auto slow = set->simulate_at(c, i);
      EXPECT_NEAR(fast[i].gpu, slow.gpu, 1e-12) << fast[i].blocks;
      EXPECT_NEAR(fast[i].host, slow.host, 1e-12) << fast[i].blocks;
    }
  }
}

// What the page draws at once is exact, or says that it is not and is then simulated.
TEST(WorkingSet, WhatIsCalledExactIsAndTheRestIsSimulated) {
  int exact = 0, near = 0;
  for (const auto order : {FreeOrder::prepend, FreeOrder::append})
    for (const std::int64_t tokens : {2'003, 2'000})     // 2,000: the last block is computed again and stands twice
      for (const std::int64_t host : {60, 130, 300}) {   // below a prompt, and below the GPU
        auto spec = reference();
        spec.tokens = tokens;
        spec.output_tokens = 40;
        const auto set = WorkingSet::prepare(spec, 16, order, 5, true);
        ASSERT_TRUE(set);
        Config c = capacities(HostTouch::lookup);
        c.free_order = order;
        c.host_chunks = host;
        const auto fast = set->one_pass(c);
        const auto all = set->simulate(c, 2);
        for (std::size_t i = 0; i < fast.size(); ++i) {
          const auto slow = set->simulate_at(c, i);
          const auto& called = fast[i].exact ? fast[i] : all[i];
          (fast[i].exact ? exact : near) += 1;
          EXPECT_NEAR(called.gpu, slow.gpu, 1e-12) << tokens << " " << host << " " << fast[i].blocks;
          EXPECT_NEAR(called.host, slow.host, 1e-12) << tokens << " " << host << " " << fast[i].blocks;
        }
      }
  EXPECT_GT(exact, 100);
  EXPECT_GT(near, 50);
  // A policy that has no one-pass curve, and a GPU on which no prompt runs.
  const auto set = WorkingSet::prepare(reference(), 16, FreeOrder::prepend, 3, true);
  Config arc = capacities(HostTouch::lookup);
  arc.policy = Policy::arc;
  arc.host_chunks = 200;
  EXPECT_FALSE(set->one_pass(arc).back().exact);
  Config tiny = capacities(HostTouch::lookup);
  tiny.gpu_blocks = 50;
  for (const auto& p : set->simulate(tiny, 1)) EXPECT_EQ(p.exact, p.blocks < 50) << p.blocks;
}

TEST(WorkingSet, TheHostEdgeFollowsTheVersionsRule) {
  auto spec = reference();
  spec.rounds = 12;
  const auto set = WorkingSet::prepare(spec, 16, FreeOrder::prepend, 11, true);
  ASSERT_TRUE(set);
  const auto ramp = set->simulate(capacities(HostTouch::lookup), 2);
  const auto steep = set->simulate(capacities(HostTouch::finish), 2);
  const auto band = set->simulate(capacities(HostTouch::unordered), 2);
  for (const auto* p : {&ramp, &steep, &band}) {
    EXPECT_DOUBLE_EQ(at(*p, 1250).host, 2000.0 / 2003);  // the edges stay where they are
    EXPECT_LT(at(*p, 1375).host, 0.05);
  }
  const std::int64_t inside = 10 * 125 + 62;  // half a document too large
  EXPECT_GT(at(steep, inside).host, at(ramp, inside).host);
  EXPECT_LT(at(band, inside).host, at(ramp, inside).host * 0.5);
  EXPECT_LT(at(band, inside).host_low, at(band, inside).host_high);
  EXPECT_LE(at(band, inside).host_low, at(band, inside).host);
  EXPECT_LE(at(band, inside).host, at(band, inside).host_high);
}

TEST(WorkingSet, ACurveThatWouldNeverEndIsRefusedAndOneThatIsNotWantedIsGivenUp) {
  auto spec = reference();
  spec.rounds = 1'000'000;
  const auto endless = WorkingSet::prepare(spec, 16, FreeOrder::prepend, 14, true);
  ASSERT_FALSE(endless);
  EXPECT_EQ(endless.error().where, "workload.rounds");
  EXPECT_NE(endless.error().why.find("1000000 rounds"), std::string::npos) << endless.error().why;
  const std::atomic<bool> stop{true};
  const auto dropped = WorkingSet::prepare(reference(), 16, FreeOrder::prepend, 14, true, &stop);
  ASSERT_FALSE(dropped);
  EXPECT_EQ(dropped.error().code, ErrorCode::interrupted);
}

}  // namespace
}  // namespace kvcliff::cache
