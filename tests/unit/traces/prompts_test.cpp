// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "cache/session.h"
#include "cache/trace_stream.h"
#include "support/data.h"
#include "workload/trace_prompts.h"

namespace kvcliff::workload {
namespace {

Spec mooncake(std::int64_t requests, double scale) {
  Spec s;
  s.kind = Spec::Kind::trace;
  s.trace = test::data("traces/mooncake_conversation_trace.jsonl.zst").string();
  s.trace_requests = requests;
  s.trace_scale = scale;
  return s;
}

TEST(TracePrompts, ShareExactlyTheBlocksThatTheTraceSharesAtFullScale) {
  const Spec spec = mooncake(60, 1);
  const auto prompts = realise(spec, 512);
  ASSERT_TRUE(prompts) << prompts.error().sentence();
  const auto trace = read_trace(spec.trace, {.first_requests = 60});
  ASSERT_TRUE(trace);
  ASSERT_EQ(prompts->size(), 60u);
  const auto of_trace = cache::stream_of(*trace);
  ASSERT_TRUE(of_trace);
  const auto of_prompts = cache::stream_of(*prompts, 512);
  EXPECT_EQ(of_prompts.ids, of_trace->ids);  // both numbered in order of first use
  for (std::size_t i = 0; i < 60; ++i) {
    EXPECT_EQ(static_cast<std::int64_t>((*prompts)[i].tokens.size()), trace->requests[i].input_tokens);
    EXPECT_EQ((*prompts)[i].output_tokens, trace->requests[i].output_tokens);
  }
}

TEST(TracePrompts, ScaledLengthsKeepTheSharing) {
  const auto prompts = realise(mooncake(200, 1.0 / 32), 16);  // 16 tokens an id
  ASSERT_TRUE(prompts) << prompts.error().sentence();
  const auto full = realise(mooncake(200, 1), 512);
  ASSERT_TRUE(full);
  EXPECT_EQ(cache::stream_of(*prompts, 16).ids.size(), cache::stream_of(*full, 512).ids.size());
  EXPECT_EQ(cache::stream_of(*prompts, 16).distinct, cache::stream_of(*full, 512).distinct);
  const auto again = realise(mooncake(200, 1.0 / 32), 16);
  for (std::size_t i = 0; i < prompts->size(); ++i) {
    EXPECT_EQ((*prompts)[i].hash, (*again)[i].hash);
    EXPECT_GE((*prompts)[i].output_tokens, 1);
    EXPECT_GE((*prompts)[i].round, 1);
    for (const auto t : (*prompts)[i].tokens) ASSERT_TRUE(t >= first_token_id && t <= last_token_id);
  }
}

TEST(TracePrompts, AWarmUpSharesNothingWithThem) {
  const Spec spec = mooncake(20, 0.1);
  const auto prompts = realise(spec, 16);
  ASSERT_TRUE(prompts);
  const auto warm = warmup_prompt(spec, 16, 300, 0);
  ASSERT_TRUE(warm);
  for (const auto& p : *prompts) EXPECT_NE(p.keys.front(), warm->keys.front());
}

TEST(TracePrompts, ASessionOfATraceIsPlannedAndPredicted) {
  cache::Config c;
  c.gpu_blocks = 2000;
  c.host_chunks = 4000;
  const auto session = cache::plan_session(mooncake(200, 0.125), c, 2);
  ASSERT_TRUE(session) << session.error().sentence();
  ASSERT_EQ(session->size(), 202u);
  std::int64_t gpu = 0, host = 0, prompt = 0, computed = 0;
  for (std::size_t i = 2; i < session->size(); ++i) {
    const auto& r = (*session)[i];
    gpu += r.predicted.gpu_hit.min;
    host += r.predicted.host_loaded.min;
    computed += r.predicted.computed.min;
    prompt += r.prompt_tokens;
  }
  EXPECT_GT(gpu, 0);
  EXPECT_GE(gpu + host + computed, prompt);
}

TEST(TracePrompts, WhatCannotBeBuiltIsRefusedWithItsField) {
  EXPECT_EQ(realise(mooncake(10, 0), 16).error().where, "workload.trace_scale");
  EXPECT_EQ(realise(mooncake(10, -1), 16).error().where, "workload.trace_scale");
  EXPECT_EQ(realise(mooncake(0, 1000), 16).error().where, "workload.trace_scale");  // 1.4 x 10^11 tokens
  EXPECT_EQ(realise(mooncake(12'000, 0.0001), 16).error().where, "workload.trace_scale");  // one token an id
  Spec none = mooncake(1, 1);
  none.trace = "/nonexistent.jsonl";
  EXPECT_EQ(realise(none, 16).error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace kvcliff::workload
