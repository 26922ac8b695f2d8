// SPDX-License-Identifier: GPL-3.0-or-later
// R19 on the honest run: a tier that announces what it counts, and each way in which it can differ.
#include <gtest/gtest.h>

#include <numeric>

#include "reconcile/reconcile.h"
#include "support/honest_run.h"

namespace kvcliff::reconcile {
namespace {
using test::HonestRun;
using wire::KvEvent;

std::vector<std::uint64_t> blocks(std::uint64_t from, std::size_t n) {
  std::vector<std::uint64_t> out(n);
  std::iota(out.begin(), out.end(), from);
  return out;
}

/// Events as the session with the tier would publish them: each request fills 126 blocks of 2,018 tokens, three requests
/// fit the GPU, and the host keeps 125 chunks of each prompt.
wire::KvTally honest_events(const SessionInput& s, std::int64_t gpu_short = 0, std::int64_t host_short = 0) {
  wire::KvTally t;
  std::uint64_t sequence = 0;
  const auto filled = [&](std::size_t i) { return blocks(i * 1000, 126 - (i == 0 ? static_cast<std::size_t>(gpu_short) : 0)); };
  for (std::size_t i = 0; i < s.requests.size(); ++i) {
    std::vector<KvEvent> events{{KvEvent::Kind::stored, "GPU", filled(i), 16}};
    if (i >= 3) events.insert(events.begin(), {KvEvent::Kind::removed, "GPU", filled(i - 3), 0});
    t.add(sequence++, {0, events, {}});
    const auto& r = s.requests[i];
    if (const auto stored = r.stored_bytes; stored && stored->v > 0)
      t.add(sequence++, {0, {{KvEvent::Kind::stored, "CPU", blocks(1'000'000 + i * 1000, static_cast<std::size_t>(stored->v / (16 * test::kv_bytes) - (i == 0 ? host_short : 0))), 0}}, {}});
  }
  return t;
}

CheckResult r19(const HonestRun& run, std::size_t session) {
  const auto r = reconcile(run.in);
  for (const auto& s : r.sessions)
    if (s.session == session)
      for (const auto& c : s.checks)
        if (c.id == "R19") return c;
  throw std::runtime_error("no R19");
}

constexpr std::size_t on = 1;

TEST(KvEventsCheck, AnHonestServerPasses) {
  HonestRun run;
  run.in.sessions[on].kv_events = honest_events(run.in.sessions[on]);
  const auto c = r19(run, on);
  EXPECT_EQ(c.state, CheckState::pass) << c.why;
  EXPECT_EQ(r19(run, 0).state, CheckState::not_possible) << "another session without events";
}

TEST(KvEventsCheck, WhatIsAnnouncedAndNotCountedFails) {
  HonestRun run;
  run.in.sessions[on].kv_events = honest_events(run.in.sessions[on], 2, 0);
  auto c = r19(run, on);
  EXPECT_EQ(c.state, CheckState::fail);
  EXPECT_EQ(c.residual, -2) << c.why;
  run.in.sessions[on].kv_events = honest_events(run.in.sessions[on], 0, 3);
  c = r19(run, on);
  EXPECT_EQ(c.state, CheckState::fail);
  EXPECT_EQ(c.residual, -3) << c.why;
}

TEST(KvEventsCheck, MoreThanThereIsRoomForFails) {
  HonestRun run;
  auto t = honest_events(run.in.sessions[on]);
  run.in.sessions[on].plan.capacity.gpu_blocks = 300;
  run.in.sessions[on].kv_events = t;
  EXPECT_EQ(r19(run, on).state, CheckState::fail);
}

TEST(KvEventsCheck, LostMessagesProveNothing) {
  HonestRun run;
  auto t = honest_events(run.in.sessions[on]);
  t.add(100'000, {});
  run.in.sessions[on].kv_events = t;
  const auto c = r19(run, on);
  EXPECT_EQ(c.state, CheckState::not_possible);
  EXPECT_NE(c.why.find("lost"), std::string::npos) << c.why;
  run.in.sessions[on].kv_events = wire::KvTally();
  EXPECT_EQ(r19(run, on).state, CheckState::not_possible) << "asked for and none came is no pass";
}

}  // namespace
}  // namespace kvcliff::reconcile
