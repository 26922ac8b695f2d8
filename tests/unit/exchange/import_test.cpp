// SPDX-License-Identifier: GPL-3.0-or-later
// Results of other tools: read by content, kept with what they say and nothing more. The inputs were made for the test in
// the shape that each tool writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/decision.h"
#include "exchange/import.h"
#include "journal/reader.h"
#include "reconcile/load.h"
#include "support/data.h"

namespace kvcliff::exchange {
namespace {
using testing::HasSubstr;

const std::string vllm_bench = R"({"date":"20261130-101500","backend":"vllm","model_id":"Qwen/Qwen3-0.6B","max_concurrency":2,"duration":3.5,
 "completed":2,"input_lens":[2003,2003,1000],"output_lens":[3,2,0],"ttfts":[0.083,0.031,0.0],"itls":[[0.003,0.004],[0.005],[]],
 "generated_texts":["a","b",""],"errors":["","","Traceback: connection reset"]})";

const std::string aiperf =
    R"({"metadata":{"benchmark_phase":"warmup","request_start_ns":1796119290000000000},"metrics":{"time_to_first_token":{"value":900,"unit":"ms"}},"error":null})" "\n"
    R"({"metadata":{"x_request_id":"r1","conversation_id":"c","turn_index":0,"benchmark_phase":"profiling","request_start_ns":1796119291000000000,"request_end_ns":1796119291200000000},"metrics":{"time_to_first_token":{"value":120.5,"unit":"ms"},"request_latency":{"value":200,"unit":"ms"},"input_sequence_length":{"value":1024,"unit":"tokens"},"output_sequence_length":{"value":3,"unit":"tokens"},"inter_chunk_latency":{"value":[40,39.5],"unit":"ms"}},"error":null})" "\n"
    R"({"metadata":{"x_request_id":"r2","conversation_id":"c","turn_index":1,"request_start_ns":1796119292000000000},"metrics":{"time_to_first_token":250.0},"error":null})" "\n"
    R"({"metadata":{"x_request_id":"r3","request_start_ns":1796119293000000000},"metrics":{},"error":{"code":500,"type":"HTTPError","message":"boom"}})" "\n";

const std::string guidellm = R"({"benchmarks":[{"args":{"model":"m"},"requests":{"successful":[
 {"request_id":"b","prompt_tokens":256,"output_tokens":128,"request_start_time":1796119292.0,"request_end_time":1796119293.5,"time_to_first_token_ms":55.5},
 {"request_id":"a","prompt_tokens":256,"output_tokens":128,"start_time":1796119291.0,"end_time":1796119292.5,"first_token_time":1796119291.25}],
 "incomplete":[{"request_id":"c","prompt_tokens":256,"start_time":1796119294.0}],"errored":[]}},{"requests":{}}]})";

const std::string inference_perf = R"([
 {"start_time":100.0,"end_time":101.5,"request":"{}","response":"x","info":{"input_tokens":591,"output_tokens":3,"output_token_times":[100.25,100.5,101.0]},"error":null},
 {"start_time":100.5,"end_time":102.0,"info":{"request_metrics":{"text":{"input_tokens":320}},"response_metrics":{"output_tokens":2,"output_token_times":[101.0,101.5]}},"error":null},
 {"start_time":101.0,"end_time":101.1,"info":{"input_tokens":5},"error":{"error_type":"ClientError","error_msg":"refused"}}])";

ForeignResult read(const std::string& text) {
  auto r = read_foreign(text, "file");
  if (!r) throw std::runtime_error(r.error().sentence());
  return *r;
}

TEST(Foreign, VllmBenchArraysBecomeRequests) {
  const auto r = read(vllm_bench);
  EXPECT_EQ(r.tool, "vllm bench serve");
  EXPECT_EQ(r.model, "Qwen/Qwen3-0.6B");
  EXPECT_EQ(r.concurrency, 2);
  ASSERT_EQ(r.requests.size(), 3u);
  EXPECT_EQ(r.requests[0].prompt_tokens, 2003);
  EXPECT_EQ(r.requests[0].ttft_s, 0.083);
  EXPECT_NEAR(*r.requests[0].total_s, 0.090, 1e-12);
  EXPECT_EQ(r.requests[0].outcome, Outcome::complete);
  EXPECT_EQ(r.requests[2].outcome, Outcome::error);
  EXPECT_FALSE(r.requests[2].ttft_s) << "0 is how this tool writes that there was none";
}

TEST(Foreign, AiperfRecordsKeepTheirUnitsAndLeaveWarmUpOut) {
  const auto r = read(aiperf);
  EXPECT_EQ(r.tool, "AIPerf");
  ASSERT_EQ(r.requests.size(), 3u);
  EXPECT_NEAR(*r.requests[0].ttft_s, 0.1205, 1e-12);
  EXPECT_NEAR(*r.requests[0].total_s, 0.2, 1e-12);
  EXPECT_EQ(r.requests[0].gaps_s.size(), 2u);
  EXPECT_EQ(r.requests[0].prompt_tokens, 1024);
  EXPECT_EQ(r.requests[1].conversation, r.requests[0].conversation);
  EXPECT_EQ(r.requests[1].turn, 1);
  EXPECT_NEAR(*r.requests[1].ttft_s, 0.25, 1e-12) << "a plain number is milliseconds";
  EXPECT_FALSE(r.requests[1].prompt_tokens);
  EXPECT_EQ(r.requests[2].outcome, Outcome::error);
  EXPECT_EQ(r.requests[2].error, "boom");
  EXPECT_EQ(r.when, 1'796'119'291'000'000'000);
  EXPECT_THAT(r.notes, testing::Contains(HasSubstr("1 warm-up")));
}

TEST(Foreign, GuidellmOfOlderAndNewerReleasesInTheOrderSent) {
  const auto r = read(guidellm);
  ASSERT_EQ(r.requests.size(), 3u);
  EXPECT_EQ(r.requests[0].id, "a");
  EXPECT_NEAR(*r.requests[0].ttft_s, 0.25, 1e-6);
  EXPECT_NEAR(*r.requests[1].ttft_s, 0.0555, 1e-12);
  EXPECT_NEAR(*r.requests[1].total_s, 1.5, 1e-6);
  EXPECT_EQ(r.requests[2].outcome, Outcome::truncated);
  EXPECT_THAT(r.notes, testing::Contains(HasSubstr("2 benchmarks")));
}

TEST(Foreign, InferencePerfOfBothShapes) {
  const auto r = read(inference_perf);
  ASSERT_EQ(r.requests.size(), 3u);
  EXPECT_EQ(r.requests[0].ttft_s, 0.25);
  EXPECT_THAT(r.requests[0].gaps_s, testing::ElementsAre(0.25, 0.5));
  EXPECT_EQ(r.requests[1].prompt_tokens, 320);
  EXPECT_EQ(r.requests[1].output_tokens, 2);
  EXPECT_EQ(r.requests[1].ttft_s, 0.5);
  EXPECT_EQ(r.requests[2].error, "refused");
}

TEST(Foreign, WhatIsNoResultIsRefusedWithTheWayToGetOne) {
  const auto refused = [](const std::string& text) {
    const auto r = read_foreign(text, "the file");
    EXPECT_FALSE(r) << text;
    return r ? std::string() : r.error().sentence();
  };
  EXPECT_THAT(refused(R"({"mean_ttft_ms":83.1,"completed":10})"), HasSubstr("--save-detailed"));
  EXPECT_THAT(refused(R"({"input_lens":[100],"output_lens":[3],"errors":[""]})"), HasSubstr("--save-detailed"));
  EXPECT_THAT(refused(R"({"mean_ttft_ms":NaN,"request_rate":Infinity})"), HasSubstr("--save-detailed"));
  EXPECT_THAT(refused(R"({"aiperf_version":"0.12.0","time_to_first_token":{"avg":20}})"), HasSubstr("profile_export.jsonl"));
  EXPECT_THAT(refused("hello"), HasSubstr("neither a JSON document nor JSON lines"));
  EXPECT_THAT(refused(R"({"a":1})"), HasSubstr("not those of a known tool"));
  EXPECT_THAT(refused("[]"), HasSubstr("empty list"));
  EXPECT_THAT(refused(""), HasSubstr("empty"));
  EXPECT_THAT(refused(aiperf + "{\"metadata\":"), HasSubstr("line 5"));
  EXPECT_THAT(refused(R"({"ttfts":[0.1,0.2],"input_lens":[1]})"), HasSubstr("input_lens has 1 entries, ttfts 2"));
}

TEST(Foreign, AUnitOfTimeIsTakenAtItsWord) {
  const auto with = [](const std::string& unit, double value) {
    return read(R"({"metadata":{"request_start_ns":1796119291000000000},"metrics":{"time_to_first_token":{"value":)" + std::to_string(value) + R"(,"unit":")" + unit +
                R"("},"inter_chunk_latency":{"value":[)" + std::to_string(value) + R"(],"unit":")" + unit + R"("}},"error":null})");
  };
  for (const auto& [unit, value] : {std::pair{"s", 0.25}, {"sec", 0.25}, {"seconds", 0.25}, {"Seconds", 0.25}, {"ms", 250.0}, {"milliseconds", 250.0},
                                    {"us", 250'000.0}, {"\u00b5s", 250'000.0}, {"ns", 250'000'000.0}, {"", 250.0}}) {
    const auto r = with(unit, value);
    ASSERT_TRUE(r.requests.at(0).ttft_s) << unit;
    EXPECT_NEAR(*r.requests[0].ttft_s, 0.25, 1e-12) << unit;
    ASSERT_EQ(r.requests[0].gaps_s.size(), 1u) << unit;
    EXPECT_NEAR(r.requests[0].gaps_s[0], 0.25, 1e-12) << unit;
  }
  const auto strange = with("fortnights", 1);
  EXPECT_FALSE(strange.requests.at(0).ttft_s);
  EXPECT_TRUE(strange.requests[0].gaps_s.empty());
  ASSERT_EQ(strange.notes.size(), 2u);
  EXPECT_THAT(strange.notes[1], HasSubstr("time_to_first_token in \"fortnights\" is no unit of time"));
}

TEST(Foreign, WordsForNumbersThatAreNoneAreUnknown) {
  const auto r = read(R"({"model_id":"NaN and Infinity","ttfts":[0.25,NaN,0.125],"itls":[[0.01],[-Infinity],[]],"input_lens":[1,2,3],"output_lens":[2,2,1],)"
                      R"("errors":["","say \"NaN\"",""],"request_rate":Infinity})");
  EXPECT_EQ(r.model, "NaN and Infinity") << "within a text they are letters";
  ASSERT_EQ(r.requests.size(), 3u);
  EXPECT_EQ(r.requests[0].ttft_s, 0.25);
  EXPECT_FALSE(r.requests[1].ttft_s);
  EXPECT_EQ(r.requests[1].error, "say \"NaN\"");
  EXPECT_EQ(r.requests[2].ttft_s, 0.125);
}

TEST(Import, AnExperimentOfAnotherToolIsKeptOnceAndClaimsNothing) {
  test::TempDir dir;
  const std::string journal = dir / "j.kvcliff";
  for (const auto& text : {vllm_bench, aiperf, guidellm, inference_perf}) {
    const auto result = read(text);
    const auto first = import_foreign(result, text, journal, {.program_version = "0.1.0", .source = "dir/result.json"});
    ASSERT_TRUE(first) << first.error().sentence();
    EXPECT_EQ(first->requests, static_cast<std::int64_t>(result.requests.size()));
    EXPECT_FALSE(first->already_there);
    const auto again = import_foreign(result, text, journal, {});
    ASSERT_TRUE(again) << again.error().sentence();
    EXPECT_TRUE(again->already_there);
    EXPECT_EQ(again->experiment, first->experiment);
  }
  const auto reader = journal::Reader::open(journal);
  ASSERT_TRUE(reader);
  const auto all = *reader->experiments();
  ASSERT_EQ(all.size(), 4u);
  for (const auto& e : all) {
    EXPECT_THAT(e.engine, HasSubstr("imported from "));
    EXPECT_FALSE(e.simulated);
    const auto input = reconcile::load(*reader, e.uid, {});
    ASSERT_TRUE(input) << input.error().sentence();
    EXPECT_TRUE(input->attached);
    const auto judged = analysis::evaluate(*input);
    EXPECT_EQ(judged.decision.verdict, analysis::Verdict::withdrawn) << "one session is no comparison";
    for (const auto& t : judged.reconciliation.totals)
      if (t.id != "R17" && t.id != "R21" && t.id != "R12") {
        EXPECT_EQ(t.pass, 0) << t.id << " passed without evidence";
      }
    EXPECT_TRUE(input->imported);
    for (const auto& q : judged.reconciliation.requests) {
      if (input->sessions[q.session].requests[q.request].stream.outcome != Outcome::complete) continue;
      for (const auto& check : q.checks) EXPECT_NE(check.state, CheckState::fail) << check.id << " failed for what the tool does not record: " << check.why;
    }
    for (const auto& r : input->sessions.at(0).requests) {
      EXPECT_FALSE(r.sources.computed.value);
      EXPECT_THAT(r.sources.computed.from, HasSubstr("does not record"));
      if (r.stream.outcome == Outcome::complete) {
        EXPECT_TRUE(r.stream.ttft());
      }
    }
  }
}

TEST(Import, TimesAreThoseOfTheTool) {
  const auto e = experiment_of(read(inference_perf), inference_perf, {.arm = "on", .offload = true});
  ASSERT_TRUE(e);
  ASSERT_EQ(e->requests.size(), 3u);
  EXPECT_EQ(e->requests[0].stream.ttft(), 250'000'000);
  EXPECT_EQ(e->requests[1].stream.times.t0 - e->requests[0].stream.times.t0, 500'000'000) << "they overlap as they did";
  EXPECT_EQ(e->requests[0].stream.times.end - e->requests[0].stream.times.t0, 1'500'000'000);
  EXPECT_EQ(e->session.arm, "on");
  EXPECT_FALSE(e->requests[0].stream.usage.prompt_tokens) << "the tool's count is not the engine's";
  EXPECT_EQ(e->requests[0].plan.prompt_tokens, 591);
  EXPECT_EQ(e->requests[0].sent.wall, 0) << "this tool counts from a start of its own; the time of the import is not when it was sent";
  const auto dated = experiment_of(read(guidellm), guidellm, {});
  ASSERT_TRUE(dated);
  EXPECT_EQ(dated->requests[0].sent.wall, 1'796'119'291'000'000'000);
}

}  // namespace
}  // namespace kvcliff::exchange
