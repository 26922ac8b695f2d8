// SPDX-License-Identifier: GPL-3.0-or-later
// Several streams end in an order of their own: seen live on vLLM 0.32.0, 36 visits by 4 and by 16 streams, where one visit
// of 2,003 tokens found on the GPU what was predicted on the host.
#include <gtest/gtest.h>

#include <cmath>

#include "reconcile/reconcile.h"
#include "reconcile/totals.h"
#include "support/honest_run.h"

namespace kvcliff::reconcile {
namespace {
using test::HonestRun;

constexpr std::size_t on = 1;

HonestRun four_streams() {
  HonestRun run;
  auto& load = run.in.sessions[on].plan.load;
  load.mode = plan::LoadSpec::Mode::closed;
  load.concurrency = 4;
  return run;
}

void move(SessionInput& s, double to_gpu, double from_host, double bytes) {
  auto& sources = s.last->readings["prompt_tokens_by_source"].by_label;
  sources["local_cache_hit"] += to_gpu;
  sources["external_kv_transfer"] -= from_host;
  s.last->readings["kv_offload_load_bytes"].value -= bytes;
}

double unexplained(const SessionInput& s) {
  double out = 0;
  for (const auto& l : session_ledger(s)) out += std::abs(l.unexplained.value_or(0));
  return out;
}

TEST(SeveralStreams, AVisitServedByTheOtherTierLeavesNothingUnexplained) {
  HonestRun run = four_streams();
  auto& s = run.in.sessions[on];
  ASSERT_EQ(unexplained(s), 0);
  move(s, 2000, 2000, 2000.0 * test::kv_bytes);
  EXPECT_EQ(unexplained(s), 0);
  int open = 0;
  for (const auto& l : session_ledger(s))
    if (l.quantity.find("prompt_tokens_by_source{") == 0 && !l.unexplained) {
      ++open;
      EXPECT_FALSE(l.why.empty()) << l.quantity;
    }
  EXPECT_EQ(open, 3) << "how the prompts were shared out among the sources is the engine's own order, and is said to be unknown";
}

TEST(SeveralStreams, NoOrderMakesOrLosesATokenOrAByte) {
  HonestRun run = four_streams();
  move(run.in.sessions[on], 2000, 1984, 1984.0 * test::kv_bytes);
  EXPECT_GT(unexplained(run.in.sessions[on]), 0) << "16 tokens came from nowhere";
  run = four_streams();
  move(run.in.sessions[on], 2000, 2000, 0);
  EXPECT_EQ(unexplained(run.in.sessions[on]), 2000.0 * test::kv_bytes) << "bytes without their tokens";
}

TEST(SeveralStreams, OneAfterAnotherTheSameIsUnexplained) {
  HonestRun run;
  move(run.in.sessions[on], 2000, 2000, 2000.0 * test::kv_bytes);
  EXPECT_GT(unexplained(run.in.sessions[on]), 0);
}

TEST(SeveralStreams, LatencyClaimsNothing) {
  HonestRun run = four_streams();
  const auto r = reconcile(run.in);
  int seen = 0;
  for (const auto& q : r.requests)
    if (q.session == on && !q.warmup) {
      ++seen;
      EXPECT_EQ(q.find("R21")->state, CheckState::not_possible);
    }
  EXPECT_EQ(seen, 18);
}

}  // namespace
}  // namespace kvcliff::reconcile
