// SPDX-License-Identifier: GPL-3.0-or-later
// What an engine does not report can never pass; and what a release counts differently is converted, not failed.
#include <gtest/gtest.h>

#include <functional>

#include "reconcile/command_diff.h"
#include "reconcile/common.h"
#include "reconcile/converted.h"
#include "reconcile/reconcile.h"
#include "support/honest_run.h"

namespace kvcliff::reconcile {
namespace {
using test::HonestRun;

struct Absence {
  std::string name, check;
  std::function<void(HonestRun&)> remove;
  bool on_session = false;
  friend void PrintTo(const Absence& a, std::ostream* out) { *out << a.name; }  // what ctest shows
};

void every(HonestRun& h, const std::function<void(SessionInput&, RequestRecord&)>& f) {
  for (auto& s : h.in.sessions)
    for (auto& r : s.requests) f(s, r);
}

std::vector<Absence> absences() {
  const auto without = [](const char* counter) {
    return [counter](HonestRun& h) {
      every(h, [&](SessionInput&, RequestRecord& r) {
        r.delta.values.erase(counter);
        r.delta.by_label.erase(counter);
      });
    };
  };
  const auto without_host = [](HonestRun& h) {
    every(h, [](SessionInput&, RequestRecord& r) {
      r.sources.host_loaded = {std::nullopt, Provenance::none, "this engine does not export prompt_tokens_by_source"};
      r.delta.by_label.clear();
    });
  };
  return {
      {"sources not reported", "R1", without_host},
      {"no usage and no counter", "R2",
       [](HonestRun& h) {
         every(h, [](SessionInput& s, RequestRecord& r) {
           s.record.capabilities["usage"] = {false, "the engine sends no usage"};
           r.stream.usage = Usage();
           r.delta.values.erase("prompt_tokens");
         });
       }},
      {"no byte counters", "R3", [](HonestRun& h) { every(h, [](SessionInput&, RequestRecord& r) { r.loaded_bytes.reset(); r.bytes_from = "no kv_offload series"; }); }},
      {"model not derived", "R3", [](HonestRun& h) { for (auto& s : h.in.sessions) s.kv = {std::nullopt, "unknown architecture"}; }},
      {"cached_tokens not offered", "R4",
       [](HonestRun& h) {
         every(h, [](SessionInput& s, RequestRecord& r) {
           s.record.capabilities["cached_tokens"] = {false, "the flag was not given"};
           std::erase(s.record.argv, "--enable-prompt-tokens-details");
           r.stream.usage.cached_tokens.reset();
         });
       }},
      {"external hits not exported", "R5", without("external_prefix_cache_hits")},
      {"look-ups not exported", "R6", without("prefix_cache_queries")},
      {"stored bytes not exported", "R7", [](HonestRun& h) { every(h, [](SessionInput&, RequestRecord& r) { r.stored_bytes.reset(); }); }},
      {"preemptions not exported", "R10",
       [](HonestRun& h) { every(h, [](SessionInput&, RequestRecord& r) { r.delta.values.erase("num_preemptions"); r.delta.values.erase("kv_offload_allocation_failure"); }); }},
      {"no prediction", "R13", [](HonestRun& h) { every(h, [](SessionInput&, RequestRecord& r) { r.plan.predicted = {}; }); }},
      {"no identity scrape", "R14", [](HonestRun& h) { for (auto& s : h.in.sessions) s.identity.reset(); }, true},
      {"no identity scrape for the process", "R11", [](HonestRun& h) { for (auto& s : h.in.sessions) s.identity.reset(); }, true},
      {"configuration not stated", "R15",
       [](HonestRun& h) {
         h.in.attached = true;
         for (auto& s : h.in.sessions) s.record.effective = EffectiveConfig();
       },
       true},
      {"hits not reported at the first visit", "R16",
       [without_host](HonestRun& h) {
         without_host(h);
         every(h, [](SessionInput&, RequestRecord& r) { r.stream.usage.cached_tokens.reset(); });
       },
       true},
      {"no KV events", "R19", [](HonestRun&) {}, true},
      {"latencies alike", "R21", [](HonestRun& h) { every(h, [](SessionInput&, RequestRecord& r) { auto& t = r.stream.times; t.first_token = t.first_event = t.first_byte = t.header = t.t0 + 50'000'000 + r.plan.ordinal * 400'000; t.last_token = t.first_token; t.end = t.last_token; }); }},
  };
}

class EachAbsence : public testing::TestWithParam<Absence> {};

TEST_P(EachAbsence, IsNotPossibleWithAReasonAndNeverAPass) {
  HonestRun run;
  GetParam().remove(run);
  const auto r = reconcile(run.in);
  int seen = 0;
  const auto look = [&](const CheckResult& c, bool applies) {
    if (c.id != GetParam().check || !applies) return;
    if (c.state == CheckState::not_applicable) return;
    ++seen;
    EXPECT_EQ(c.state, CheckState::not_possible) << c.why;
    EXPECT_FALSE(c.why.empty());
  };
  if (GetParam().on_session)
    for (const auto& s : r.sessions)
      for (const auto& c : s.checks) look(c, true);
  else
    for (const auto& q : r.requests)
      for (const auto& c : q.checks) look(c, true);
  EXPECT_GT(seen, 0);
}

INSTANTIATE_TEST_SUITE_P(Table, EachAbsence, testing::ValuesIn(absences()), [](const auto& p) {
  std::string name;
  for (const char c : p.param.name) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
});

TEST(Release, BeforeLookUpsWereCountedOnceTheExcessIsAFactor) {
  test::HonestOptions o;
  o.version = "0.26.0";
  HonestRun run(o);
  run.request(0, 0, 2).delta.values["prefix_cache_queries"] = 2003 * 5;
  run.recount(0);
  const auto r = reconcile(run.in);
  EXPECT_TRUE(r.gates_pass());
  for (const auto& q : r.requests)
    if (q.session == 0 && run.in.sessions[0].requests[q.request].plan.document == 0 && run.in.sessions[0].requests[q.request].plan.round == 2) {
      EXPECT_EQ(q.find("R6")->state, CheckState::not_applicable);
      EXPECT_NE(q.find("R6")->why.find("5.0 times"), std::string::npos);
    }
}

// n = 320 from the host, exact multiple: real terms 1 + 304 + 16; later releases book 0 computed, 0.16-0.20 book it twice.
TEST(Release, FullHitOfAnExactMultipleIsConverted) {
  const PredictedSources p{PredictedCount::exact(1), PredictedCount::exact(304), PredictedCount::exact(16), PredictedCount::exact(0)};
  const auto later = converted_prediction(p, 320, false);
  EXPECT_TRUE(later.full_hit);
  EXPECT_EQ(later.computed.min, 0);
  EXPECT_EQ(later.gpu_hit.min + later.host_loaded.min, 320);
  const auto earlier = converted_prediction(p, 320, true);
  EXPECT_EQ(earlier.computed.min, 1);
  EXPECT_EQ(earlier.gpu_hit.min, 303) << "the token is taken off the larger cached source";
  EXPECT_EQ(earlier.computed.min + earlier.gpu_hit.min + earlier.host_loaded.min, 320);
  const PredictedSources cold{PredictedCount::exact(320), PredictedCount::exact(0), PredictedCount::exact(0), PredictedCount::exact(20)};
  EXPECT_FALSE(converted_prediction(cold, 320, false).full_hit);
  const PredictedSources one{PredictedCount::exact(1), PredictedCount::exact(320), PredictedCount::exact(0), PredictedCount::exact(0)};
  EXPECT_FALSE(converted_prediction(one, 321, false).full_hit);
}

TEST(Release, TokenBookedInTwoSourcesReconciles) {
  HonestRun run;
  auto& r = run.request(1, 0, 2);
  r.plan.prompt_tokens = 2000;
  r.stream.usage.prompt_tokens = 2000;
  r.stream.usage.cached_tokens = 2000;
  auto& d = r.delta.values;
  d["prompt_tokens"] = 2000;
  d["prefix_cache_queries"] = d["external_prefix_cache_queries"] = 2000;
  d["prompt_tokens_recomputed"] = 1;
  r.delta.by_label["prompt_tokens_by_source"] = {{"local_compute", 1}, {"local_cache_hit", 0}, {"external_kv_transfer", 2000}};
  r.sources.computed.value = Tokens(1);
  r.sources.host_loaded.value = Tokens(1999);
  r.plan.predicted.computed = PredictedCount::exact(1);
  run.recount(1);
  const auto result = reconcile(run.in);
  EXPECT_EQ(result.reconciled, 78) << first_failure(run.in, result, "R1") << first_failure(run.in, result, "R3")
                                   << first_failure(run.in, result, "R4") << first_failure(run.in, result, "R13");
  EXPECT_EQ(result.unexplained_tokens, 0);
}

TEST(Range, MeasuredInsideAPredictedRangePassesOutsideFails) {
  HonestRun run;
  auto& r = run.request(1, 0, 2);
  r.plan.predicted.computed = {3, 2003, 900, "random order"};
  r.plan.predicted.host_loaded = {0, 2000, 1100, "random order"};
  r.plan.predicted.stored_blocks = {0, 125, 60, "random order"};
  auto result = reconcile(run.in);
  EXPECT_TRUE(result.gates_pass()) << first_failure(run.in, result, "R13");
  EXPECT_EQ(result.unexplained_tokens, 0) << "the ledger names the open part";
  r.plan.predicted.host_loaded = {0, 1984, 1100, "random order"};
  result = reconcile(run.in);
  EXPECT_EQ(result.totals[12].fail, 1);
}

TEST(Preemption, MakesTheByteIdentityImpossibleNotFailed) {
  HonestRun run;
  auto& r = run.request(1, 0, 2);
  r.delta.values["num_preemptions"] = 1;
  r.loaded_bytes = Bytes(2 * 2000LL * 114'688);
  const auto result = reconcile(run.in);
  EXPECT_EQ(result.totals[2].fail, 0);
  EXPECT_EQ(result.totals[2].not_possible, 1);
  EXPECT_EQ(result.totals[9].fail, 1);
}

TEST(Cancelled, ByUsIsAcceptedWithAndWithoutACountedFinish) {
  for (const double counted : {0.0, 1.0}) {
    HonestRun run;
    auto& r = run.request(0, 0, 3);
    r.stream.outcome = Outcome::cancelled;
    r.stream.usage = Usage();
    r.delta.values["request_success"] = counted;
    const auto result = reconcile(run.in);
    EXPECT_EQ(result.totals[8].fail, 0) << counted;
  }
}

TEST(Concurrency, RequestWindowsAreNotPossibleAndTotalsStillAddUp) {
  HonestRun run;
  for (auto& s : run.in.sessions) {
    s.plan.load.mode = plan::LoadSpec::Mode::closed;
    s.plan.load.concurrency = 4;
    for (auto& r : s.requests) r.delta = CounterDelta();
  }
  const auto r = reconcile(run.in);
  EXPECT_EQ(r.totals[0].pass, 0);
  EXPECT_GT(r.totals[0].not_possible, 0);
  EXPECT_EQ(r.totals[13].pass, 5);
  run.in.sessions[0].last->readings["prompt_tokens"].value += 16;
  EXPECT_EQ(reconcile(run.in).totals[13].fail, 1);
}

TEST(PlanGates, ASwitchedOffGateIsSaidAndDoesNotFail) {
  HonestRun run;
  run.request(1, 1, 2).loaded_bytes = Bytes(1);
  run.in.plan.gates["R3"] = false;
  const auto r = reconcile(run.in);
  EXPECT_TRUE(r.gates_pass());
  const auto g = std::find_if(r.gates.begin(), r.gates.end(), [](const Gate& x) { return x.id == "R3"; });
  EXPECT_EQ(g->state, CheckState::not_applicable);
  EXPECT_NE(g->why.find("switched off by the plan"), std::string::npos);
}

TEST(Outputs, DivergenceThatEqualArmsShowTooDoesNotFail) {
  HonestRun run;
  int k = 0;
  for (auto& s : run.in.sessions) {
    for (auto& r : s.requests) r.stream.token_ids[15] = 2000 + k;
    ++k;
  }
  const auto r = reconcile(run.in);
  EXPECT_EQ(r.totals[17].fail, 0);
  EXPECT_NE(r.pairs.at(0).check.why.find("between equal arms"), std::string::npos);
}

TEST(CommandLine, SettingsAreComparedByMeaningNotByOrder) {
  SessionRecord a, b;
  a.argv = {"vllm", "serve", "m", "--port", "1", "--seed=0", "--enforce-eager"};
  b.argv = {"vllm", "serve", "m", "--enforce-eager", "--seed", "0", "--port", "2"};
  EXPECT_TRUE(command_differences(a, b).empty());
  b.argv.push_back("--dtype");
  b.argv.push_back("half");
  const auto d = command_differences(a, b);
  ASSERT_EQ(d.size(), 1u);
  EXPECT_EQ(d[0].name, "--dtype");
  EXPECT_EQ(d[0].left, "(absent)");
}

TEST(Version, IsReadWhereverItStands) {
  EXPECT_EQ(version_at_least("0.27.1", 0, 27), true);
  EXPECT_EQ(version_at_least("v0.26.0+cu130", 0, 27), false);
  EXPECT_EQ(version_at_least("vLLM 1.0", 0, 27), true);
  EXPECT_EQ(version_at_least("dev", 0, 27), std::nullopt);
  EXPECT_EQ(version_at_least("", 0, 27), std::nullopt);
}

TEST(CachedTokens, AskedForAndStatedByTheReleaseCannotBeMissing) {
  // The flag is in the command line and 0.32 states the count in every answer, also at 0: silence contradicts it.
  HonestRun run;
  for (auto& s : run.in.sessions)
    for (auto& r : s.requests) r.stream.usage.cached_tokens.reset();
  const auto r = reconcile(run.in);
  const auto t = std::find_if(r.totals.begin(), r.totals.end(), [](const CheckTotals& x) { return x.id == "R4"; });
  EXPECT_EQ(t->fail, 78);
  // Releases up to 0.23 leave a count of 0 out, so silence says nothing there where nothing was hit.
  test::HonestOptions old;
  old.version = "0.20.0 (simulated)";
  HonestRun before(old);
  for (auto& s : before.in.sessions)
    for (auto& q : s.requests) q.stream.usage.cached_tokens.reset();
  const auto b = reconcile(before.in);
  const auto u = std::find_if(b.totals.begin(), b.totals.end(), [](const CheckTotals& x) { return x.id == "R4"; });
  EXPECT_EQ(u->fail, 28) << "the revisits that hit something; the first visits left out a 0";
}

}  // namespace
}  // namespace kvcliff::reconcile
