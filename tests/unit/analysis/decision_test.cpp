// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <set>

#include "analysis/decision.h"
#include "record/sleep.h"
#include "support/honest_run.h"

namespace kvcliff::analysis {
namespace {
using test::HonestOptions;
using test::HonestRun;

TEST(Decide, HonestReferenceRunHelps) {
  const HonestRun run;
  const auto e = evaluate(run.in);
  EXPECT_TRUE(e.gates_pass());
  EXPECT_EQ(e.decision.verdict, Verdict::helps) << e.decision.why;
  ASSERT_TRUE(e.decision.effect.effect);
  EXPECT_NEAR(e.decision.effect.effect->ratio.estimate, 0.35, 0.01);
  ASSERT_TRUE(e.decision.gain);
  EXPECT_NEAR(e.decision.gain->not_computing_ms, 83 - 18, 1);
  EXPECT_NEAR(e.decision.gain->loading_ms, 83 * 0.35 - 18, 1);
  ASSERT_TRUE(e.decision.control);
  EXPECT_TRUE(e.decision.control->as_expected);
  EXPECT_NE(e.decision.control->note.find("within one session"), std::string::npos);
  EXPECT_FALSE(e.decision.ttft.model) << "three distinct points identify nothing";
  EXPECT_FALSE(e.decision.ttft.why.empty());
  EXPECT_FALSE(e.decision.break_even.value);
}

TEST(Decide, OffloadThatHurtsIsSaid) {
  HonestOptions o;
  o.ratio = 1.4;
  o.pairs = 3;
  const auto e = evaluate(HonestRun(o).in);
  EXPECT_EQ(e.decision.verdict, Verdict::hurts) << e.decision.why;
  EXPECT_LT(e.decision.gain->not_computing_ms - e.decision.gain->loading_ms, 0) << "the saving keeps its sign";
}

TEST(Decide, DriftDoesNotPassForAnEffect) {
  HonestOptions o;
  o.ratio = 1.0;
  o.pairs = 3;
  o.drift = 0.06;
  o.noise = 0.001;
  const auto e = evaluate(HonestRun(o).in);
  EXPECT_NE(e.decision.verdict, Verdict::helps);
  EXPECT_NE(e.decision.verdict, Verdict::hurts);
  EXPECT_NEAR(e.decision.effect.effect->position.estimate, std::expm1(0.06), 0.005);
}

TEST(Decide, AFailedGateWithdrawsTheHeadlineAndHidesTheEstimate) {
  HonestRun run;
  run.request(1, 1, 2).loaded_bytes = Bytes(1);
  const auto e = evaluate(run.in);
  EXPECT_FALSE(e.gates_pass());
  EXPECT_EQ(e.decision.verdict, Verdict::withdrawn);
  EXPECT_EQ(e.decision.why.rfind("withdrawn: R3", 0), 0u) << e.decision.why;
  EXPECT_FALSE(e.decision.gain);
  const auto j = decision_json(run.in, e);
  EXPECT_EQ(j["verdict"], "withdrawn");
  EXPECT_TRUE(j["ratio"]["estimate"].is_null());
  EXPECT_FALSE(j["ratio"].contains("low"));
  EXPECT_TRUE(j["gain_split"]["not_computing_ms"].is_null());
  EXPECT_FALSE(j["effect"].contains("baseline_ms"));
  const std::string text = j.dump();
  EXPECT_EQ(text.find("0.35"), std::string::npos) << "the estimate appears nowhere";
}

TEST(Decide, OneImpossibleTimeDoesNotWithdrawAClearVerdict) {
  HonestRun run;
  auto& t = run.request(0, 3, 2).stream.times;
  t.first_byte = t.first_token + 5'000'000;
  t.first_event = t.first_byte;
  const auto e = evaluate(run.in);
  EXPECT_EQ(e.reconciliation.totals[16].fail, 1);
  EXPECT_EQ(e.decision.verdict, Verdict::helps);
  const auto g = std::find_if(e.decision.gates.begin(), e.decision.gates.end(), [](const Gate& x) { return x.id == "R17"; });
  EXPECT_EQ(g->state, CheckState::pass);
  EXPECT_NE(g->why.find("does not change the verdict"), std::string::npos);
}

TEST(Decide, RequestsDuringWhichTheMachineSleptAreLeftOut) {
  HonestRun run;
  auto& r = run.request(1, 3, 2);
  // As after a minute's sleep behind a server that went on: quick beyond belief.
  r.stream.times.first_token = r.stream.times.t0 + 1'000'000;
  r.stream.warnings.push_back(std::string(slept_mark));
  const auto e = evaluate(run.in);
  ASSERT_TRUE(e.decision.effect.effect);
  EXPECT_EQ(e.decision.effect.effect->matched_visits, 11) << "12 revisits, one of them matched nowhere now";
  EXPECT_NEAR(e.decision.effect.effect->ratio.estimate, 0.35, 0.01);
  std::string all;
  for (const auto& w : e.decision.warnings) all += w + "\n";
  EXPECT_NE(all.find("Session 2 (on): the machine slept during 1 request(s)"), std::string::npos) << all;
}

TEST(Decide, ClientLagAsLargeAsTheEffectWithdraws) {
  HonestOptions o;
  o.ratio = 0.93;
  o.pairs = 4;
  o.noise = 0.002;
  HonestRun run(o);
  ASSERT_EQ(evaluate(run.in).decision.verdict, Verdict::helps);
  for (auto& s : run.in.sessions)
    for (auto& r : s.requests) r.stream.times.queued = r.stream.times.connected = r.stream.times.t0 - 8'000'000;
  EXPECT_EQ(evaluate(run.in).decision.verdict, Verdict::withdrawn);
}

TEST(Decide, LimitsAreCompleteForASimulatedSerialRun) {
  const HonestRun run;
  const auto e = evaluate(run.in);
  std::string all;
  for (const auto& l : e.decision.not_established) {
    EXPECT_FALSE(l.why.empty()) << l.what;
    all += l.what + " | " + l.why + "\n";
  }
  for (const char* fact : {"emulated", "assumed", "concurrency 1", "qwen3-0.6b", "PCIe", "2,003 tokens", "0.32.0", "remote", "weights",
                           "R19", "minimum detectable effect", "memory pressure", "lru", "session measured for", "live recordings"})
    EXPECT_NE(all.find(fact), std::string::npos) << fact << " is missing in\n" << all;
  EXPECT_EQ(e.decision.not_established.front().what.find("No real engine"), 0u) << "the first limit of a simulated run";
}

TEST(Decide, EmptyExperimentCannotTellAndNothingCrashes) {
  reconcile::ExperimentInput in;
  in.run_id = "x";
  const auto e = evaluate(in);
  EXPECT_EQ(e.decision.verdict, Verdict::withdrawn) << "no session: the gate says so";
  EXPECT_NO_THROW(decision_json(in, e).dump());
  EXPECT_NO_THROW(reconcile_json(in, e, true).dump());
}

TEST(Json, ReconcileHasTheShapeOfTheContract) {
  const HonestRun run;
  const auto j = reconcile_json(run.in, evaluate(run.in), true);
  std::vector<std::string> keys;
  for (const auto& [k, v] : j.items()) keys.push_back(k);
  const std::vector<std::string> wanted{"experiment", "plan_hash", "method_version", "simulated", "sessions", "requests", "reconciled", "checks", "unexplained", "gates"};
  ASSERT_GE(keys.size(), wanted.size());
  EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(), keys.begin()));
  EXPECT_EQ(j["requests"], 78);
  EXPECT_EQ(j["reconciled"], 78);
  EXPECT_EQ(j["request_list"].size(), 78u);
  EXPECT_EQ(j["warmup_list"].size(), 5u);
  EXPECT_EQ(j["unexplained"]["tokens"], 0);
  EXPECT_EQ(j["checks"].size(), 21u);
  const auto& r = j["request_list"][24];
  EXPECT_EQ(r["session"], 1);
  EXPECT_EQ(r["host_loaded"], 2000);
  EXPECT_EQ(r["predicted"]["host_loaded"], 2000);
  EXPECT_EQ(r["checks"]["R1"]["state"], "pass");
  EXPECT_TRUE(r["ttft_ns"].is_number_integer());
}

}  // namespace
}  // namespace kvcliff::analysis
