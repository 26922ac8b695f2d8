// SPDX-License-Identifier: GPL-3.0-or-later
// Several requests in flight: no request has counters of its own, and the session's must add up all the same.
#include <gtest/gtest.h>

#include "reconcile/reconcile.h"
#include "reconcile/totals.h"
#include "support/honest_run.h"

namespace kvcliff::reconcile {
namespace {
using test::HonestRun;

/// The honest run as a closed loop leaves it: requests without windows, another order inside the engine than predicted.
HonestRun in_flight() {
  HonestRun run;
  for (auto& s : run.in.sessions) {
    s.plan.load.mode = plan::LoadSpec::Mode::closed;
    s.plan.load.concurrency = 4;
    run.recount(static_cast<std::size_t>(&s - run.in.sessions.data()));
    for (auto& r : s.requests) {
      r.settled = r.plan.warmup;
      if (r.plan.warmup) continue;
      r.delta = {};
      r.sources = {};
      // One at a time a revisit would have been computed whole: the prediction is off, the counters are not.
      r.plan.predicted = {PredictedCount::exact(test::prompt), PredictedCount::exact(0), PredictedCount::exact(0), PredictedCount::exact(0)};
    }
  }
  return run;
}

const LedgerLine& line(const std::vector<LedgerLine>& all, const std::string& name) {
  for (const auto& l : all)
    if (l.quantity == name) return l;
  throw std::runtime_error("no line " + name);
}

TEST(WindowLedger, AnHonestWindowLeavesNothingUnexplained) {
  const auto run = in_flight();
  const auto r = reconcile(run.in);
  EXPECT_EQ(r.unexplained_tokens, 0);
  EXPECT_EQ(r.unexplained_bytes, 0);
  const auto ledger = session_ledger(run.in.sessions[1]);
  EXPECT_EQ(line(ledger, "prompt_tokens_by_source, all").unexplained, 0);
  EXPECT_EQ(line(ledger, "kv_offload_load_bytes").unexplained, 0);
  EXPECT_EQ(line(ledger, "kv_offload_load_bytes").measured, 12 * test::hit * static_cast<double>(test::kv_bytes));
  EXPECT_EQ(line(ledger, "gpu_hit + host_loaded, by the answers").unexplained, 0);
  const auto& host = line(ledger, "prompt_tokens_by_source{host_loaded}");
  EXPECT_EQ(host.measured, 12 * test::hit);
  EXPECT_FALSE(host.expected) << "no prediction holds for an order that the engine chose";
  EXPECT_FALSE(host.unexplained);
  EXPECT_NE(host.why.find("in flight"), std::string::npos);
}

TEST(WindowLedger, WhatDoesNotAddUpIsFoundAllTheSame) {
  {
    auto run = in_flight();
    run.in.sessions[1].last->readings["prompt_tokens_by_source"].by_label["local_compute"] += 500;
    EXPECT_EQ(reconcile(run.in).unexplained_tokens, 500) << "tokens of somebody else";
  }
  {
    auto run = in_flight();
    run.in.sessions[1].last->readings["kv_offload_load_bytes"].value -= 1'000'000;
    EXPECT_EQ(reconcile(run.in).unexplained_bytes, 1'000'000) << "loaded bytes short of the loaded tokens";
  }
  {
    auto run = in_flight();
    run.in.sessions[1].last->readings["kv_offload_store_bytes"].value += 100;
    EXPECT_EQ(reconcile(run.in).unexplained_bytes, 100) << "stored bytes that are no whole entry";
  }
  {
    auto run = in_flight();
    run.request(1, 2, 2).stream.usage.cached_tokens = 0;
    EXPECT_EQ(reconcile(run.in).unexplained_tokens, static_cast<double>(test::hit)) << "an answer that denies its hits";
  }
}

TEST(WindowLedger, UnknownKvBytesAreUnknownNotZero) {
  auto run = in_flight();
  for (auto& s : run.in.sessions) s.kv = {std::nullopt, "no catalogue"};
  const auto ledger = session_ledger(run.in.sessions[1]);
  EXPECT_FALSE(line(ledger, "kv_offload_load_bytes").unexplained);
  EXPECT_NE(line(ledger, "kv_offload_load_bytes").why.find("no catalogue"), std::string::npos);
}

}  // namespace
}  // namespace kvcliff::reconcile
