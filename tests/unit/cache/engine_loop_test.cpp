// SPDX-License-Identifier: GPL-3.0-or-later
// Requests in flight together: P01 to P05 of the rules, and what must hold whatever is in flight.
#include "cache/engine_loop.h"

#include <gtest/gtest.h>

#include <map>

#include "base/hash.h"

namespace kvcliff::cache {
namespace {

Request document(std::uint64_t which, std::int64_t tokens, std::int64_t outputs = 1, std::int64_t block_size = 16) {
  Request r{tokens, outputs, {}};
  std::uint64_t parent = which;
  for (std::int64_t i = 0; i < tokens / block_size; ++i) r.keys.push_back(parent = hash64(&parent, sizeof parent, which));
  return r;
}
Config small(std::int64_t gpu, std::int64_t host) {
  Config c;
  c.gpu_blocks = gpu;
  c.host_chunks = host;
  return c;
}
using Sources = std::array<std::int64_t, 3>;
Sources sources(const EngineLoop& loop, int request) {
  const Outcome& o = loop.report(request).sources;
  return {o.computed, o.gpu_hit, o.host_loaded};
}

TEST(EngineLoop, P01TwoEqualPromptsOfOneStepShareTheFullBlocks) {
  EngineLoop loop(small(20, 0));
  const int a = *loop.submit(document(1, 40)), b = *loop.submit(document(1, 40));
  ASSERT_TRUE(loop.drain());
  EXPECT_EQ(sources(loop, a), (Sources{40, 0, 0}));
  EXPECT_EQ(sources(loop, b), (Sources{8, 32, 0}));
}

TEST(EngineLoop, P02ARequestWithoutRoomWaitsAndEvictsNothing) {
  EngineLoop loop(small(6, 0));
  const int a = *loop.submit(document(1, 65, 8)), b = *loop.submit(document(2, 33));
  ASSERT_TRUE(loop.drain());
  EXPECT_EQ(sources(loop, a), (Sources{65, 0, 0}));
  EXPECT_EQ(sources(loop, b), (Sources{33, 0, 0}));
  EXPECT_GT(loop.report(b).blocked, 0);
  EXPECT_GT(loop.report(b).finished_step, loop.report(a).finished_step);
}

TEST(EngineLoop, P02TheHeadOfTheQueueBlocksAShorterRequestBehindIt) {
  EngineLoop loop(small(6, 0));
  const int a = *loop.submit(document(1, 65, 8)), b = *loop.submit(document(2, 33)), c = *loop.submit(document(3, 10));
  ASSERT_TRUE(loop.drain());
  EXPECT_GE(loop.report(c).finished_step, loop.report(a).finished_step);
  EXPECT_GE(loop.report(c).finished_step, loop.report(b).finished_step);
}

TEST(EngineLoop, P03ThePreemptedRequestFindsItsFirstBlockAgain) {
  EngineLoop loop(small(4, 0));
  const int a = *loop.submit(document(1, 31, 10)), b = *loop.submit(document(2, 31, 10));
  ASSERT_TRUE(loop.drain());
  EXPECT_EQ(sources(loop, a), (Sources{31, 0, 0}));
  EXPECT_EQ(sources(loop, b), (Sources{31, 0, 0}));
  EXPECT_EQ(loop.report(a).preemptions, 0);
  EXPECT_EQ(loop.report(b).preemptions, 1);
  EXPECT_EQ(loop.report(b).resumed_gpu, 16);
  EXPECT_GT(loop.report(b).finished_step, loop.report(a).finished_step);
}

TEST(EngineLoop, P04ASecondRequestWaitsForTheLoadOfTheFirstAndHitsTheGpu) {
  EngineLoop loop(small(20, 8), {.load_steps = 3});
  loop.submit(document(1, 65));
  ASSERT_TRUE(loop.drain());
  ASSERT_TRUE(loop.cache().reset_gpu());
  const int a = *loop.submit(document(1, 65)), b = *loop.submit(document(1, 65));
  ASSERT_TRUE(loop.drain());
  EXPECT_EQ(sources(loop, a), (Sources{1, 0, 64}));
  EXPECT_EQ(sources(loop, b), (Sources{1, 64, 0}));
  EXPECT_GT(loop.report(b).deferrals, 0);
}

TEST(EngineLoop, P05APendingWriteIsWaitedForOrMissedByRelease) {
  for (const InFlight rule : {InFlight::defer, InFlight::miss}) {
    Config c = small(20, 8);
    c.in_flight = rule;
    EngineLoop loop(c, {.store_steps = 20});
    loop.submit(document(1, 65));
    loop.step();
    loop.step();
    ASSERT_EQ(loop.cache().host_writing(), 4);
    ASSERT_TRUE(loop.cache().reset_gpu());
    const int again = *loop.submit(document(1, 65));
    ASSERT_TRUE(loop.drain());
    EXPECT_EQ(sources(loop, again), (rule == InFlight::defer ? Sources{1, 0, 64} : Sources{65, 0, 0}));
    EXPECT_EQ(loop.report(again).deferrals > 0, rule == InFlight::defer);
  }
}

// Concurrency moves tokens between the sources, but none appears or disappears, and everything is let go in the end.
TEST(EngineLoop, WhateverIsInFlightTokensAreConservedAndNothingStaysPinned) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Rng rng(seed);
    Config c = small(20 + static_cast<std::int64_t>(rng.below(60)), static_cast<std::int64_t>(rng.below(80)));
    c.host_touch = rng.below(2) ? HostTouch::finish : rng.below(2) ? HostTouch::lookup : HostTouch::unordered;
    c.free_order = rng.below(2) ? FreeOrder::prepend : FreeOrder::append;
    c.in_flight = rng.below(2) ? InFlight::defer : InFlight::miss;
    c.max_batched_tokens = rng.below(2) ? 0 : 48;
    c.offload_prompt_only = rng.below(2) != 0;
    c.policy = rng.below(4) ? Policy::lru : Policy::arc;
    c.blocks_per_chunk = 1 + static_cast<std::int64_t>(rng.below(2));
    EngineLoop loop(c, {.max_running = 1 + static_cast<std::int64_t>(rng.below(6)), .load_steps = static_cast<int>(rng.below(4)), .store_steps = static_cast<int>(rng.below(5))}, seed);
    std::vector<int> all;
    for (int i = 0; i < 60; ++i) {
      const std::uint64_t which = 1 + rng.below(8);
      const auto r = loop.submit(document(which, 10 + 16 * static_cast<std::int64_t>(which) + 3, 1 + static_cast<std::int64_t>(rng.below(20))));
      ASSERT_TRUE(r) << r.error().sentence();
      all.push_back(*r);
      for (std::uint64_t k = rng.below(3); k > 0; --k) {
        loop.step();
        ASSERT_LE(loop.cache().gpu_used(), c.gpu_blocks);
        ASSERT_LE(loop.cache().host_size(), c.host_chunks);
      }
    }
    ASSERT_TRUE(loop.drain(20'000)) << "seed " << seed;
    EXPECT_EQ(loop.cache().gpu_used(), 0);
    EXPECT_EQ(loop.cache().host_reading(), 0);
    EXPECT_EQ(loop.cache().host_writing(), 0);
    for (const int i : all) {
      const Outcome& o = loop.report(i).sources;
      EXPECT_GE(loop.report(i).finished_step, 0);
      EXPECT_GE(o.computed, 1);
      EXPECT_EQ(o.gpu_hit % 16, 0);
      EXPECT_EQ(o.host_loaded % 16, 0);
    }
  }
}

}  // namespace
}  // namespace kvcliff::cache
