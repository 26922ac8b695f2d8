// SPDX-License-Identifier: GPL-3.0-or-later
// What a run cannot say must not be said: no cost of loading where nothing was loaded, no 0 where a sum is unknown.
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/decision.h"
#include "analysis/linear.h"
#include "support/honest_run.h"

namespace kvcliff::analysis {
namespace {
using test::HonestRun;

/// Revisits with the tier that loaded `tokens` instead of the control's 2,000, consistently.
HonestRun loading(std::int64_t tokens) {
  HonestRun run;
  for (std::size_t i = 0; i < run.in.sessions.size(); ++i) {
    auto& s = run.in.sessions[i];
    if (!s.offload) continue;
    for (auto& r : s.requests) {
      if (r.plan.warmup || r.plan.round < 2) continue;
      r.sources.host_loaded.value = Tokens(tokens);
      r.sources.computed.value = Tokens(test::prompt - tokens);
    }
  }
  return run;
}

TEST(Split, IsNotMadeWhereTheTierLoadedNothing) {
  const auto run = loading(0);
  std::string why;
  const auto d = evaluate(run.in).decision;
  ASSERT_TRUE(d.control);
  EXPECT_EQ(d.control->loaded_tokens, 0.0);
  EXPECT_FALSE(d.control->as_expected) << "there is nothing between a GPU hit and computing";
  EXPECT_NE(d.control->note.find("loaded nothing from the host"), std::string::npos) << d.control->note;
  EXPECT_FALSE(d.gain);
}

TEST(Split, IsNotMadeWhereTheTierServedAPartOnly) {
  // Unwithdrawn by switching off what the half-changed counters would fail.
  auto run = loading(1008);
  for (const char* id : {"R1", "R3", "R4", "R5", "R6", "R7", "R13", "R14", "unexplained"}) run.in.plan.gates[id] = false;
  const auto d = evaluate(run.in).decision;
  EXPECT_FALSE(d.gain);
  EXPECT_NE(d.gain_why.find("loaded 1008 tokens, one of the control hit 2000"), std::string::npos) << d.gain_why;
}

TEST(Split, SaysWhatItComparedInJson) {
  const HonestRun run;
  const auto j = decision_json(run.in, evaluate(run.in));
  EXPECT_EQ(j["control"]["gpu_hit_tokens_a_revisit"], 2000.0);
  EXPECT_EQ(j["control"]["loaded_tokens_a_revisit"], 2000.0);
  EXPECT_EQ(j["control"]["gpu_hit_below_host_load_below_compute"], true);
  EXPECT_EQ(j["times_origin"], "assumed");
}

TEST(Unexplained, IsUnknownWhereALineCouldNotBeAccountedFor) {
  HonestRun run;
  for (auto& s : run.in.sessions)
    if (s.offload) s.kv = {std::nullopt, "no model catalogue was at hand"};
  const auto e = evaluate(run.in);
  const auto& r = e.reconciliation;
  EXPECT_TRUE(r.tokens_unknown.empty()) << r.tokens_unknown;
  EXPECT_NE(r.bytes_unknown.find("kv_offload_load_bytes of session 2"), std::string::npos) << r.bytes_unknown;
  EXPECT_EQ(r.unexplained_words().find("0 tokens, unknown bytes (kv_offload_load_bytes"), 0u) << r.unexplained_words();
  EXPECT_FALSE(r.run_reconciled());
  const auto g = std::find_if(r.gates.begin(), r.gates.end(), [](const Gate& x) { return x.id == "unexplained"; });
  EXPECT_EQ(g->state, CheckState::not_possible) << "a gate never passes over what is unknown";
  const auto j = reconcile_json(run.in, e, false);
  EXPECT_EQ(j["unexplained"]["tokens"], 0);
  EXPECT_TRUE(j["unexplained"]["bytes"].is_null());
  EXPECT_NE(j["unexplained"]["why"]["bytes"].get<std::string>().find("no model catalogue"), std::string::npos);
}

TEST(Unexplained, IsUnknownWhereNothingWasMeasured) {
  reconcile::ExperimentInput in;
  in.run_id = "x";
  const auto e = evaluate(in);
  EXPECT_EQ(e.reconciliation.unexplained_words(), "unknown tokens (nothing was measured), unknown bytes (nothing was measured)");
  ASSERT_FALSE(e.decision.not_established.empty());
  EXPECT_EQ(e.decision.not_established.front().what, "Anything");
  EXPECT_EQ(e.decision.not_established.size(), 1u) << "no word of GPUs and clients that no session had";
}

TEST(Limits, GiveEachCheckItsOwnReason) {
  const HonestRun run;
  const auto e = evaluate(run.in);
  EXPECT_FALSE(e.reconciliation.never_possible().empty());
  std::string events;
  for (const auto& l : e.decision.not_established)
    if (l.what.find("R19") != std::string::npos) events = l.why;
  EXPECT_EQ(events, "Not possible: " + e.reconciliation.why_not_possible("R19") + ".");
}

TEST(Flags, AreSeenBesideTheVerdict) {
  HonestRun run;
  // A revisit that is said to be loaded and takes as long as computing: R21 flags it and withdraws nothing.
  auto& t = run.request(1, 3, 2).stream.times;
  const MonoNs later = 60'000'000;
  for (MonoNs* at : {&t.first_byte, &t.first_event, &t.first_token, &t.first_content, &t.last_token, &t.end})
    if (*at) *at += later;
  const auto e = evaluate(run.in);
  const auto flag = std::find_if(e.reconciliation.totals.begin(), e.reconciliation.totals.end(), [](const auto& x) { return x.id == "R21"; });
  ASSERT_GT(flag->fail, 0) << "the request must be flagged for this test to say anything";
  std::string all;
  for (const auto& w : e.decision.warnings) all += w + "\n";
  EXPECT_NE(all.find("R21 (A source claim agrees with its latency) flags 1 of 78; first: session 2 (on)"), std::string::npos) << all;
}

TEST(Median, OfAnEvenNumberIsTheMeanOfTheMiddleTwo) {
  EXPECT_DOUBLE_EQ(median_of_logs({std::log(4.0), std::log(1.0), std::log(9.0), std::log(16.0)}), 6.5);
  EXPECT_DOUBLE_EQ(median_of_logs({std::log(4.0), std::log(1.0), std::log(9.0)}), 4.0);
}

TEST(Warnings, SayANoteOfSeveralSessionsOnceWithHowOften) {
  HonestRun run;
  run.in.notices = {{"warning", "Memory of the tier is not pinned"}, {"info", "The engine is ready"}, {"warning", "Memory of the tier is not pinned"},
                    {"error", "A scrape came late"}, {"info", "The engine is ready"}, {"warning", "Memory of the tier is not pinned"}};
  const auto said = run_warnings(run.in);
  std::vector<std::string> of_notes;
  for (const auto& w : said)
    if (w.find("pinned") != std::string::npos || w.find("scrape") != std::string::npos || w.find("ready") != std::string::npos) of_notes.push_back(w);
  EXPECT_EQ(of_notes, (std::vector<std::string>{"Memory of the tier is not pinned (3 times)", "A scrape came late"}));
}

}  // namespace
}  // namespace kvcliff::analysis
