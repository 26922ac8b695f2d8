// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "support/data.h"
#include "wire/kv_tally.h"

namespace kvcliff::wire {
namespace {
using namespace std::string_literals;

std::string text(std::string_view s) { return std::string(1, static_cast<char>(0xa0 | s.size())) + std::string(s); }
std::string number(std::uint64_t n) {
  std::string out(1, '\xcf');
  for (int shift = 56; shift >= 0; shift -= 8) out += static_cast<char>(n >> shift & 0xff);
  return out;
}
std::string list(std::initializer_list<std::string> items) {
  std::string out(1, static_cast<char>(0x90 | items.size()));
  for (const auto& i : items) out += i;
  return out;
}
std::string map(std::initializer_list<std::string> items) {
  std::string out(1, static_cast<char>(0x80 | items.size() / 2));
  for (const auto& i : items) out += i;
  return out;
}
const std::string half = "\xcb\x3f\xe0\x00\x00\x00\x00\x00\x00"s;  // 0.5 as float 64
const std::string nil = "\xc0";

// The shapes of 0.32: maps with a type, chunks of the host one event each.
TEST(KvEvents, MapsOfTheNewestReleases) {
  const auto batch = parse_kv_events(
      list({half, list({map({text("type"), text("BlockStored"), text("block_hashes"), list({number(5), number(7)}), text("token_ids"), list({}),
                             text("block_size"), "\x10", text("medium"), text("GPU"), text("group_idx"), std::string(1, '\0')}),
                        map({text("type"), text("BlockRemoved"), text("block_hashes"), list({number(5)}), text("medium"), text("CPU")}),
                        map({text("type"), text("SomethingNew")}), map({text("type"), text("AllBlocksCleared")})}),
            "\x03"}),
      "test");
  ASSERT_TRUE(batch) << batch.error().sentence();
  EXPECT_EQ(batch->at, 0.5);
  EXPECT_EQ(batch->rank, 3);
  ASSERT_EQ(batch->events.size(), 3u) << "what is not known is passed over";
  EXPECT_EQ(batch->events[0], (KvEvent{KvEvent::Kind::stored, "GPU", {5, 7}, 16}));
  EXPECT_EQ(batch->events[1], (KvEvent{KvEvent::Kind::removed, "CPU", {5}, 0}));
  EXPECT_EQ(batch->events[2].kind, KvEvent::Kind::cleared);
}

TEST(KvEvents, ArraysOfEarlierReleasesAndHashesOfBytes) {
  const auto batch = parse_kv_events(list({half, list({list({text("BlockStored"), list({"\xc4\x02xy"}), nil, list({}), "\x20", nil}),
                                                       list({text("BlockRemoved"), list({number(9)})})})}),
                                     "test");
  ASSERT_TRUE(batch) << batch.error().sentence();
  ASSERT_EQ(batch->events.size(), 2u);
  EXPECT_EQ(batch->events[0].medium, "GPU") << "before media were named there was only one";
  EXPECT_EQ(batch->events[0].blocks.size(), 1u);
  EXPECT_EQ(batch->events[0].block_size, 32);
  EXPECT_EQ(batch->rank, std::nullopt);
}

TEST(KvEvents, DamageIsNamed) {
  const std::string whole = list({half, list({map({text("type"), text("AllBlocksCleared")})})});
  for (std::size_t n = 0; n < whole.size(); ++n) EXPECT_FALSE(parse_kv_events(whole.substr(0, n), "cut")) << n;
  EXPECT_FALSE(parse_kv_events("\x01", "a number"));
  EXPECT_FALSE(parse_kv_events(list({text("x"), list({})}), "no time"));
  EXPECT_FALSE(parse_kv_events("\xdd\xff\xff\xff\xff"s, "a list of four thousand million"));
  EXPECT_FALSE(parse_kv_events(std::string(100, '\x91'), "a hundred lists within one another"));
}

TEST(KvEvents, TheJournalKeepsTheSequence) {
  const std::string packed = pack_kv_message(0x0102030405060708, "payload");
  const auto m = unpack_kv_message(packed, "row");
  ASSERT_TRUE(m);
  EXPECT_EQ(m->sequence, 0x0102030405060708u);
  EXPECT_EQ(m->payload, "payload");
  EXPECT_FALSE(unpack_kv_message("short", "row"));
}

TEST(KvEvents, TheFlagAsksForThem) {
  EXPECT_TRUE(asks_for_kv_events({"vllm", "serve", "--kv-events-config", R"({"enable_kv_cache_events": true})"}));
  EXPECT_TRUE(asks_for_kv_events({"vllm", R"(--kv-events-config={"enable_kv_cache_events": true})"}));
  EXPECT_FALSE(asks_for_kv_events({"vllm", "--kv-events-config", R"({"enable_kv_cache_events": false})"}));
  EXPECT_FALSE(asks_for_kv_events({"vllm", "--kv-events-config", "yes"}));
  EXPECT_FALSE(asks_for_kv_events({"vllm", "--kv-events-config"}));
}

KvEvent stored(std::vector<std::uint64_t> b, std::string medium = "GPU") { return {KvEvent::Kind::stored, std::move(medium), std::move(b), 16}; }
KvEvent removed(std::vector<std::uint64_t> b) { return {KvEvent::Kind::removed, "GPU", std::move(b), 0}; }

TEST(KvTally, CountsEntriesAndWhatLiesThereAtOnce) {
  KvTally t;
  t.add(0, {0, {stored({1, 2, 3}), stored({1}, "CPU")}, {}});
  t.add(1, {0, {removed({1}), stored({1, 1})}, {}});  // a block that is computed again is a second entry
  t.add(1, {0, {stored({99})}, {}});                  // replayed
  const auto gpu = t.of("GPU");
  EXPECT_EQ(gpu.stored, 5);
  EXPECT_EQ(gpu.removed, 1);
  EXPECT_EQ(gpu.resident, 4);
  EXPECT_EQ(gpu.most_resident, 4);
  EXPECT_EQ(gpu.strangers, 0);
  EXPECT_EQ(t.of("CPU").stored, 1);
  EXPECT_EQ(t.messages(), 2);
  EXPECT_EQ(t.lost(), 0);
  t.add(3, {0, {removed({77})}, {}});
  EXPECT_EQ(t.of("GPU").strangers, 1);
  EXPECT_EQ(t.lost(), 1) << "number 2 never came";
  t.add_unreadable(2);
  EXPECT_EQ(t.lost(), 0);
  EXPECT_EQ(t.unreadable(), 1);
  t.add(4, {0, {KvEvent{KvEvent::Kind::cleared, "GPU", {}, 0}}, {}});
  EXPECT_EQ(t.of("GPU").resident, 0);
}

}  // namespace
}  // namespace kvcliff::wire
