// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <limits>

#include "base/hash.h"
#include "journal/packed_events.h"

namespace kvcliff::journal {
namespace {

std::vector<StreamEvent> random_events(Rng& rng, std::size_t n) {
  std::vector<StreamEvent> out;
  for (std::size_t i = 0; i < n; ++i)
    out.push_back({static_cast<MonoNs>(rng.next()), static_cast<std::uint32_t>(rng.next()),
                   static_cast<EventKind>(rng.below(9)), static_cast<std::uint16_t>(rng.next())});
  return out;
}

TEST(PackedEvents, EveryValueComesBackAsItWas) {
  Rng rng(7);
  for (std::size_t n : {0, 1, 2, 17, 1000}) {
    const auto events = random_events(rng, n);
    const auto base = static_cast<MonoNs>(rng.next());
    const auto back = unpack_events(pack_events(events, base), base);
    ASSERT_TRUE(back) << back.error().sentence();
    EXPECT_EQ(*back, events);
  }
}

TEST(PackedEvents, ExtremeTimesAndSizesComeBackAsTheyWere) {
  constexpr auto low = std::numeric_limits<MonoNs>::min(), high = std::numeric_limits<MonoNs>::max();
  const std::vector<StreamEvent> events{{low, 0xffffffff, EventKind::malformed, 0xffff},
                                        {high, 0, EventKind::token, 0},
                                        {0, 0xffffffff, EventKind::done, 1},
                                        {low, 1, EventKind::usage, 2}};
  for (const MonoNs base : {low, MonoNs{0}, high}) {
    const auto back = unpack_events(pack_events(events, base), base);
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, events);
  }
}

TEST(PackedEvents, ASteadyStreamTakesFewBytesPerEvent) {
  std::vector<StreamEvent> events;
  for (int i = 0; i < 1000; ++i) events.push_back({1'000'000'000 + i * MonoNs{8'123'456}, 210, EventKind::token, 1});
  EXPECT_LT(pack_events(events, 1'000'000'000).size(), 7000u);
}

TEST(PackedEvents, EveryCutBlockIsRefused) {
  Rng rng(11);
  const std::string block = pack_events(random_events(rng, 20), 5);
  for (std::size_t n = 0; n < block.size(); ++n) {
    const auto r = unpack_events(std::string_view(block).substr(0, n), 5);
    ASSERT_FALSE(r) << n;
    EXPECT_EQ(r.error().code, ErrorCode::corrupt);
  }
  EXPECT_FALSE(unpack_events(block + "x", 5));
}

TEST(PackedEvents, AnImpossibleCountAllocatesNothing) {
  const std::string block("\x01\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10);
  EXPECT_FALSE(unpack_events(block, 0));
}

TEST(PackedEvents, AnUnknownVersionOrKindIsRefused) {
  EXPECT_FALSE(unpack_events(std::string_view("\x02\x00", 2), 0));
  EXPECT_FALSE(unpack_events(std::string_view("\x01\x01\x00\x00\x0f", 5), 0));
}

}  // namespace
}  // namespace kvcliff::journal
