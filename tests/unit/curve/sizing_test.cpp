// SPDX-License-Identifier: GPL-3.0-or-later
// The host tier for a target share, against the ramp that the oldest rule gives by hand.
#include "cache/sizing.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kvcliff::cache {
namespace {

// Six documents of 125 full blocks in cycle order, a GPU of 384 blocks that holds half of them.
Config config() {
  Config c;
  c.gpu_blocks = 384;
  c.host_chunks = 1250;
  c.host_touch = HostTouch::lookup;
  return c;
}

TEST(Sizing, TheRampOfTheLookUpRuleIsOneDocumentWide) {
  const workload::Spec spec;
  const double shares[] = {0.5, 0.9, 1.0};
  const auto s = size_host_tier(spec, config(), shares);
  ASSERT_TRUE(s) << s.error().sentence();
  EXPECT_EQ(s->working_set, 750);
  EXPECT_NEAR(s->reachable, 2000.0 / 2003, 1e-12);
  // A host of C blocks keeps C - 625 blocks of a document until its next visit: 16 (C - 625) of 2,003 tokens.
  const auto by_hand = [](double share) { return 625 + static_cast<std::int64_t>(std::ceil(share * 2003 / 16 - 1e-9)); };
  EXPECT_EQ(s->sizes[0].chunks, by_hand(0.5));
  EXPECT_EQ(s->sizes[1].chunks, by_hand(0.9));
  EXPECT_EQ(s->sizes[2].chunks, 750);
  EXPECT_NEAR(*s->present, 2000.0 / 2003, 1e-12);
}

TEST(Sizing, OneBlockLessGivesLessThanWasAskedFor) {
  const workload::Spec spec;
  for (const auto rule : {HostTouch::lookup, HostTouch::finish}) {
    Config c = config();
    c.host_touch = rule;
    const double shares[] = {0.7};
    const auto s = size_host_tier(spec, c, shares);
    ASSERT_TRUE(s);
    ASSERT_TRUE(s->sizes[0].chunks);
    EXPECT_GE(s->sizes[0].share, 0.7 - 1e-9);
    c.host_chunks = *s->sizes[0].chunks - 1;
    EXPECT_LT(*size_host_tier(spec, c, shares)->present, 0.7);
  }
}

TEST(Sizing, AWorkloadThatFitsTheGpuNeedsNoTier) {
  workload::Spec spec;
  spec.documents = 2;
  const double shares[] = {0.5, 1.0};
  const auto s = size_host_tier(spec, config(), shares);
  ASSERT_TRUE(s);
  EXPECT_EQ(s->sizes[0].chunks, 0);
  EXPECT_EQ(s->sizes[1].chunks, 0);
}

TEST(Sizing, WhatCannotBeSizedSaysWhy) {
  workload::Spec spec;
  const double shares[] = {0.5};
  spec.documents = most_sized_documents + 1;
  ASSERT_FALSE(size_host_tier(spec, config(), shares));
  EXPECT_NE(size_host_tier(spec, config(), shares).error().sentence().find("65 documents"), std::string::npos);
  spec.kind = workload::Spec::Kind::trace;
  ASSERT_FALSE(size_host_tier(spec, config(), shares));
}

}  // namespace
}  // namespace kvcliff::cache
