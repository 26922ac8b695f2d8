// SPDX-License-Identifier: GPL-3.0-or-later
// R11 and R16 where a session took over a server that ran already: its counters must stand where the last session left them.
#include <gtest/gtest.h>

#include "reconcile/checks.h"
#include "support/honest_run.h"

namespace kvcliff::reconcile {
namespace {

/// Session 1 uses the server of session 0, with counters that go on from there.
test::HonestRun kept() {
  test::HonestRun h;
  auto& first = h.in.sessions[0];
  auto& second = h.in.sessions[1];
  first.record.pid = second.record.pid = 77;
  first.record.stop = Json{{"kept", true}};
  for (auto* page : {&*second.identity, &*second.last})
    for (auto& [name, reading] : page->readings) {
      if (!first.last->readings.count(name)) continue;
      reading.value += first.last->value(name).value_or(0);
    }
  second.identity->process_start = second.last->process_start = first.identity->process_start;
  return h;
}

CheckResult r11(const test::HonestRun& h, std::size_t session) { return checks::one_process(h.in, h.in.sessions[session]); }

TEST(KeptServer, CountersThatGoOnWhereTheLastSessionLeftThemPass) {
  const auto h = kept();
  EXPECT_EQ(server_kept_from(h.in, h.in.sessions[1]), &h.in.sessions[0]);
  EXPECT_EQ(server_kept_from(h.in, h.in.sessions[0]), nullptr);
  EXPECT_EQ(r11(h, 1).state, CheckState::pass) << r11(h, 1).why;
  EXPECT_EQ(checks::cold_start(h.in, h.in.sessions[1]).state, CheckState::pass);
}

TEST(KeptServer, TrafficBetweenTwoSessionsIsForeign) {
  auto h = kept();
  auto& v = h.in.sessions[1].identity->readings["prompt_tokens"].value;
  v += 5;
  const auto r = r11(h, 1);
  EXPECT_EQ(r.state, CheckState::fail);
  EXPECT_EQ(r.residual, 5);
  EXPECT_NE(r.why.find("its last session left it at"), std::string::npos) << r.why;
}

TEST(KeptServer, TheSamePidWithoutTheNoteThatItWasKeptIsAFreshServerWithOldCounters) {
  auto h = kept();
  h.in.sessions[0].record.stop = Json{{"killed", 0}};
  EXPECT_EQ(server_kept_from(h.in, h.in.sessions[1]), nullptr);
  EXPECT_EQ(r11(h, 1).state, CheckState::fail);
}

TEST(KeptServer, AWarmFirstVisitFailsTheColdCheckAlsoOnAKeptServer) {
  auto h = kept();
  auto& r = h.request(1, 3, 1);
  r.sources.computed.value = Tokens(3);
  r.sources.gpu_hit.value = Tokens(2000);
  r.stream.usage.cached_tokens = 2000;
  EXPECT_EQ(checks::cold_start(h.in, h.in.sessions[1]).state, CheckState::fail);
}

}  // namespace
}  // namespace kvcliff::reconcile
