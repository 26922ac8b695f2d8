// SPDX-License-Identifier: GPL-3.0-or-later
// What an engine, a client or a machine can get wrong, and the check that must notice. One change to an honest run each.
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "reconcile/reconcile.h"
#include "support/honest_run.h"

namespace kvcliff::reconcile {
namespace {
using test::HonestRun;

struct Lie {
  std::string name;
  std::string caught_by;                    ///< check id, or a gate
  std::function<void(HonestRun&)> tell;
  friend void PrintTo(const Lie& l, std::ostream* out) { *out << l.name; }  // what ctest shows
};

void shift_label(RequestRecord& r, const char* from, const char* to, double n) {
  auto& l = r.delta.by_label["prompt_tokens_by_source"];
  l[from] -= n;
  l[to] += n;
}

std::vector<Lie> lies() {
  return {
      {"treatment silently not applied", "R15", [](HonestRun& h) { h.in.sessions[1].record.effective.offload = false; }},
      {"treatment without effect", "R13",
       [](HonestRun& h) {
         auto& r = h.request(1, 0, 2);
         r.sources.computed.value = Tokens(2003);
         r.sources.host_loaded.value = Tokens(0);
         r.loaded_bytes = Bytes(0);
         r.stream.usage.cached_tokens = 0;
         r.delta.values["external_prefix_cache_hits"] = 0;
         shift_label(r, "external_kv_transfer", "local_compute", 2000);
       }},
      {"warm cache called cold", "R16",
       [](HonestRun& h) {
         auto& r = h.request(0, 3, 1);
         r.sources.computed.value = Tokens(3);
         r.sources.gpu_hit.value = Tokens(2000);
         r.stream.usage.cached_tokens = 2000;
         shift_label(r, "local_compute", "local_cache_hit", 2000);
       }},
      {"counters that stood before the first request", "R11",
       [](HonestRun& h) { h.in.sessions[2].identity->readings["prompt_tokens"].value = 5000; h.recount(2); }},
      {"counters that double count", "R2", [](HonestRun& h) { h.request(1, 2, 1).delta.values["prompt_tokens"] = 4006; }},
      {"a source misbooked", "R1", [](HonestRun& h) { h.request(0, 1, 2).sources.computed.value = Tokens(1987); }},
      {"a source moved to another", "R13",
       [](HonestRun& h) {
         auto& r = h.request(1, 1, 2);
         r.sources.gpu_hit.value = Tokens(1600);
         r.sources.host_loaded.value = Tokens(400);
       }},
      {"bytes short", "R3", [](HonestRun& h) { h.request(1, 1, 2).loaded_bytes = Bytes(2000LL * 114'688 - 1); }},
      {"bytes long", "R3", [](HonestRun& h) { h.request(2, 1, 3).loaded_bytes = Bytes(2016LL * 114'688); }},
      {"cached_tokens zero", "R4", [](HonestRun& h) { h.request(1, 1, 2).stream.usage.cached_tokens = 0; }},
      {"cached_tokens missing", "R4", [](HonestRun& h) { h.request(1, 1, 2).stream.usage.cached_tokens.reset(); }},
      {"cached_tokens left out by 0.19 although tokens were cached", "R4",
       [](HonestRun& h) {
         for (auto& s : h.in.sessions) {
           s.record.effective.engine_version = "0.19.0 (simulated)";
           s.record.capabilities["cached_tokens"] = {false, "the answers carry no details; that is also so when nothing was cached"};
           for (auto& r : s.requests) r.stream.usage.cached_tokens.reset();
         }
       }},
      {"cached_tokens missing everywhere", "R4",
       [](HonestRun& h) {
         for (auto& s : h.in.sessions)
           for (auto& r : s.requests) r.stream.usage.cached_tokens.reset();
       }},
      {"announced but not loaded", "R5", [](HonestRun& h) { h.request(1, 1, 2).delta.values["external_prefix_cache_hits"] = 2016; }},
      {"usage missing", "R2", [](HonestRun& h) { h.request(1, 4, 1).stream.usage = Usage(); }},
      {"usage duplicated and contradictory", "R12", [](HonestRun& h) { h.request(1, 4, 1).stream.usage.conflicting = true; }},
      {"usage wrong", "R2", [](HonestRun& h) { h.request(0, 4, 1).stream.usage.prompt_tokens = 2002; }},
      {"completion tokens wrong", "R12", [](HonestRun& h) { h.request(0, 4, 1).stream.usage.completion_tokens = 15; }},
      {"foreign request in the window", "R9",
       [](HonestRun& h) {
         auto& d = h.request(0, 2, 2).delta.values;
         d["request_success"] = 2;
         d["prompt_tokens"] += 700;
       }},
      {"foreign request still running", "R9", [](HonestRun& h) { h.request(0, 2, 2).delta.values["num_requests_running"] = 1; }},
      {"another model served in the window", "R9",
       [](HonestRun& h) { h.request(0, 2, 2).delta.by_label["other_models.prompt_tokens"] = {{"lora", 700}}; }},
      {"another model served at some time", "R14",
       [](HonestRun& h) { h.in.sessions[3].last->readings["other_models.prompt_tokens"].by_label = {{"lora", 700}}; }},
      {"foreign request between two windows", "R14",
       [](HonestRun& h) { h.in.sessions[3].last->readings["prompt_tokens"].value += 500; }},
      {"counter reset", "R11", [](HonestRun& h) { h.request(3, 2, 2).delta.decreased = {"prompt_tokens"}; }},
      {"process restarted", "R11", [](HonestRun& h) { h.request(3, 2, 2).delta.same_process = false; }},
      {"restart between the first and the last scrape", "R11",
       [](HonestRun& h) { h.in.sessions[3].last->process_start = *h.in.sessions[3].identity->process_start + 30; }},
      {"aliased metrics endpoint", "R11",
       [](HonestRun& h) {
         h.in.sessions[1].identity->process_start = 1'600'000'000;
         h.in.sessions[1].last->process_start = 1'600'000'000;
       }},
      {"counters of another server", "R9",
       [](HonestRun& h) {
         auto& d = h.request(1, 2, 2).delta.values;
         d["request_success"] = 0;
       }},
      {"preemption", "R10", [](HonestRun& h) { h.request(1, 0, 3).delta.values["num_preemptions"] = 1; }},
      {"failed store", "R10", [](HonestRun& h) { h.request(1, 0, 1).delta.values["kv_offload_allocation_failure"] = 1; }},
      {"store not made", "R7", [](HonestRun& h) { h.request(1, 0, 1).stored_bytes = Bytes(124LL * 16 * 114'688); }},
      {"half a block stored", "R7", [](HonestRun& h) { h.request(1, 0, 1).stored_bytes = Bytes(125LL * 16 * 114'688 - 8); }},
      {"late counters", "R1",
       [](HonestRun& h) {
         auto& r = h.request(2, 5, 3);
         r.settled = false;
         r.not_settled_why = "the counters were still moving after 10 s";
       }},
      {"hit that is no whole block", "R8",
       [](HonestRun& h) {
         auto& r = h.request(4, 0, 2);
         r.sources.gpu_hit.value = Tokens(1990);
         r.sources.computed.value = Tokens(13);
       }},
      {"look-ups twice", "R6", [](HonestRun& h) { h.request(0, 0, 2).delta.values["prefix_cache_queries"] = 4006; }},
      {"stream cut", "R12",
       [](HonestRun& h) {
         auto& s = h.request(1, 3, 2).stream;
         s.outcome = Outcome::truncated;
         s.why = "the connection ended after 5 tokens";
       }},
      {"stream stalled", "R12", [](HonestRun& h) { h.request(1, 3, 2).stream.outcome = Outcome::timeout; }},
      {"tokens lost in the stream", "R12", [](HonestRun& h) { h.request(1, 3, 2).stream.token_ids.pop_back(); }},
      {"error inside a 200", "R12",
       [](HonestRun& h) {
         auto& s = h.request(1, 3, 2).stream;
         s.outcome = Outcome::error;
         s.error_message = "EngineCore encountered an issue";
       }},
      {"first token before the request was sent", "R17", [](HonestRun& h) { auto& t = h.request(0, 3, 2).stream.times; t.first_token = t.t0 - 5'000'000; }},
      {"engine slower than what we saw", "R17",
       [](HonestRun& h) { h.request(0, 3, 2).stream.engine_timings = {{"time_to_first_token_ms", 500.0}, {"queue_time_ms", 20.0}}; }},
      {"slow client", "R17",
       [](HonestRun& h) {
         for (auto& r : h.in.sessions[0].requests) r.stream.times.t0 = r.stream.times.queued + 30'000'000;
       }},
      {"output changed by the tier", "R18",
       [](HonestRun& h) {
         for (auto& r : h.in.sessions[1].requests)
           if (r.plan.round >= 2) r.stream.token_ids[4] = 7;
       }},
      {"arms differ in another flag", "R15", [](HonestRun& h) { h.in.sessions[1].record.argv.insert(h.in.sessions[1].record.argv.end(), {"--max-num-seqs", "4"}); }},
      {"arms differ in the environment", "R15", [](HonestRun& h) { h.in.sessions[2].record.env_set["VLLM_ATTENTION_BACKEND"] = "TRITON"; }},
      {"smaller cache than asked", "R15", [](HonestRun& h) { h.in.sessions[0].record.effective.gpu_blocks = 300; }},
      {"smaller tier than asked", "R15", [](HonestRun& h) { *h.in.sessions[1].record.effective.host_bytes -= 16LL * 114'688 * 10; }},
      {"block size not as asked", "R15", [](HonestRun& h) { h.in.sessions[0].record.effective.block_size = 32; }},
      {"two byte counters that disagree", "R20",
       [](HonestRun& h) { h.request(1, 3, 2).delta.by_label["kv_offload_total_bytes"] = {{"CPU_to_GPU", 1.0}, {"GPU_to_CPU", 0.0}}; }},
      {"control that does not hit", "control",
       [](HonestRun& h) {
         auto& r = h.request(4, 1, 3);
         r.sources.gpu_hit.value = Tokens(0);
         r.sources.computed.value = Tokens(2003);
       }},
      {"a session missing", "sessions", [](HonestRun& h) { h.in.sessions.erase(h.in.sessions.begin() + 2); }},
  };
}

class EachLie : public testing::TestWithParam<Lie> {};

TEST_P(EachLie, IsCaughtByTheCheckMeantForIt) {
  HonestRun run;
  GetParam().tell(run);
  const auto r = reconcile(run.in);
  EXPECT_FALSE(r.gates_pass()) << "no lie may pass unseen";
  const auto gate = std::find_if(r.gates.begin(), r.gates.end(), [](const Gate& g) { return g.id == GetParam().caught_by; });
  ASSERT_NE(gate, r.gates.end());
  EXPECT_TRUE(gate->state == CheckState::fail || gate->state == CheckState::not_settled)
      << gate->id << " is " << to_string(gate->state) << ": " << gate->why;
  EXPECT_FALSE(gate->why.empty());
}

INSTANTIATE_TEST_SUITE_P(Table, EachLie, testing::ValuesIn(lies()), [](const auto& p) {
  std::string name;
  for (const char c : p.param.name) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
});

// A request booked as cached that took as long as computing: a flag, which withdraws nothing.
TEST(Flag, ClaimThatTheClockContradictsIsFlaggedAndWithdrawsNothing) {
  HonestRun run;
  auto& r = run.request(1, 2, 3);
  const auto late = static_cast<MonoNs>(83e6);
  auto& t = r.stream.times;
  const auto move = t.t0 + late - t.first_token;
  for (auto* p : {&t.first_token, &t.first_event, &t.first_byte, &t.header, &t.last_token, &t.end, &t.first_content}) *p += move;
  const auto result = reconcile(run.in);
  EXPECT_EQ(result.totals[20].fail, 1);
  EXPECT_TRUE(result.gates_pass());
  EXPECT_EQ(result.reconciled, 78);
}

TEST(Flag, AllTokensInOneEventAreFlagged) {
  HonestRun run;
  run.request(0, 2, 1).stream.content_events = 1;
  EXPECT_EQ(reconcile(run.in).totals[20].fail, 1);
}

TEST(Flag, GpuHitsThatTakeAsLongAsComputingAreFlaggedEvenIfAllDo) {
  HonestRun run;
  for (auto& s : run.in.sessions) {
    auto& tiny = s.requests[0];
    tiny.stream.usage.prompt_tokens = 8;
    tiny.stream.times.first_token = tiny.stream.times.t0 + 15'000'000;
    if (s.record.arm != "control") continue;
    for (auto& r : s.requests)
      if (r.plan.round >= 2) r.stream.times.first_token = r.stream.times.t0 + 83'000'000;
  }
  for (auto& s : run.in.sessions)  // every hit of the run lies, also those from the host
    for (auto& r : s.requests)
      if (r.plan.round >= 2 && s.offload) r.stream.times.first_token = r.stream.times.t0 + 83'000'000;
  EXPECT_EQ(reconcile(run.in).totals[20].fail, 4) << "the control's GPU hits; a host load may honestly be slow";
}

}  // namespace
}  // namespace kvcliff::reconcile
