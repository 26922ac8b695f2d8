// SPDX-License-Identifier: GPL-3.0-or-later
// What is looked at before a launch: memory, shared memory, port, disk, earlier processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "host/facts.h"
#include "plan/plan.h"
#include "process/preflight.h"

namespace kvcliff::process {
namespace {
using ::testing::HasSubstr;

TEST(Preflight, NeedsAreTheLargestArms) {
  auto plan = plan::parse_file(KVCLIFF_SOURCE_DIR "/resources/plans/reference.json").plan;
  EXPECT_EQ(needs_of(plan).host_bytes, 0) << "the emulator keeps no tier in memory";
  plan.engine.adapter = "vllm";
  plan.arms.push_back({.name = "big", .offload = true, .overrides = {{"capacity.host_bytes", 9'000'000'000}, {"model.tp", 2}}});
  const auto n = needs_of(plan, 28);
  EXPECT_EQ(n.host_bytes, 9'000'000'000);
  EXPECT_EQ(n.gpus, 2);
  EXPECT_EQ(n.layers, 28);
  EXPECT_GT(n.journal_bytes, 78 * 8'000);
}

TEST(Preflight, AResumedRunNeedsDiskForWhatIsLeftOnly) {
  const auto plan = plan::parse_file(KVCLIFF_SOURCE_DIR "/resources/plans/reference.json").plan;
  // Four sessions of 18 requests and one of 6, each with at most six more to warm up.
  const auto whole = needs_of(plan).journal_bytes;
  const auto a_request = whole / (4 * (18 + 6) + 6 + 6);
  EXPECT_EQ(needs_of(plan, {}, 1).journal_bytes, whole - 24 * a_request);
  EXPECT_EQ(needs_of(plan, {}, 4).journal_bytes, 12 * a_request);
}

const host::PreflightItem& of(const std::vector<host::PreflightItem>& items, std::string_view id) {
  for (const auto& i : items)
    if (i.id == id) return i;
  throw std::runtime_error("no item " + std::string(id));
}

TEST(Preflight, ATierMayPinTwiceItsSizeAndThatIsSaidBeforeTheLaunch) {
  auto plan = plan::parse_file(KVCLIFF_SOURCE_DIR "/resources/plans/reference.json").plan;
  plan.engine.adapter = "vllm";
  auto facts = host::read_facts(false);
  facts.memory.info.available = std::int64_t{4} << 30;  // by the kernel's estimate; no control group limits it
  facts.memory.cgroups.clear();
  const auto check = [&](std::int64_t host_bytes, std::optional<std::int64_t> layers) {
    plan.capacity.host_bytes = host_bytes;
    const auto items = preflight(plan, needs_of(plan, layers), facts, "127.0.0.1", 40000);
    return of(items, "host_memory");
  };
  // 1,250 blocks of 1,835,008 bytes: at most twice as much when nothing is known of the tensors, 28 of 128 MiB when they are.
  const auto plain = check(2'293'760'000, {});
  EXPECT_EQ(plain.numbers.at("asked_bytes"), 2'293'760'000);
  EXPECT_EQ(plain.numbers.at("worst_case_bytes"), 4'587'520'000);
  EXPECT_EQ(plain.state, host::PreflightItem::State::warn) << "twice the size does not fit into 4 GiB";
  EXPECT_THAT(plain.what, HasSubstr("may pin 4.27 GiB"));
  EXPECT_THAT(plain.why, HasSubstr("rounded up to a power of two"));
  EXPECT_THAT(plain.next, HasSubstr("capacity.host_bytes"));
  const auto layered = check(2'293'760'000, 28);
  EXPECT_EQ(layered.numbers.at("worst_case_bytes"), 28LL << 27);
  EXPECT_EQ(layered.state, host::PreflightItem::State::pass);
  EXPECT_THAT(layered.what, HasSubstr("may pin 3.50 GiB"));
  EXPECT_EQ(check(5'000'000'000, {}).state, host::PreflightItem::State::fail) << "not even the size itself fits";
  plan.engine.adapter = "emulator";
  EXPECT_EQ(needs_of(plan).host_bytes, 0) << "an emulated tier pins nothing";
}

TEST(Preflight, EveryItemSaysWhatItSaw) {
  const auto plan = plan::parse_file(KVCLIFF_SOURCE_DIR "/resources/plans/reference.json").plan;
  const auto items = preflight(plan, needs_of(plan), host::read_facts(false), "127.0.0.1", 1);
  ASSERT_GE(items.size(), 3u);
  EXPECT_EQ(items[0].id, "port");
  for (const auto& i : items) EXPECT_FALSE(i.what.empty()) << i.id;
  auto far = plan;
  far.launcher = {"ssh", {{"host", "h"}}};
  bool said = false;
  for (const auto& i : preflight(far, needs_of(far), host::read_facts(false), "127.0.0.1", 40000))
    said |= i.id == "host_memory" && i.state == host::PreflightItem::State::not_possible;
  EXPECT_TRUE(said);
}

}  // namespace
}  // namespace kvcliff::process
