// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/data.h"
#include "workload/trace.h"
#include "workload/trace_scan.h"

namespace kvcliff::workload {
namespace {

using testing::HasSubstr;

Trace good(const std::string& text, const TraceOptions& options = {}) {
  auto t = parse_trace(text, "test", options);
  if (!t) throw std::runtime_error(t.error().sentence());
  return std::move(*t);
}
Error bad(const std::string& text, const TraceOptions& options = {}) {
  const auto t = parse_trace(text, "test", options);
  if (t) throw std::runtime_error("accepted");
  return t.error();
}

TEST(TraceFormats, MooncakeConversationIsWhole) {
  const auto t = read_trace(test::data("traces/mooncake_conversation_trace.jsonl.zst").string());
  ASSERT_TRUE(t) << t.error().sentence();
  EXPECT_EQ(t->format, TraceFormat::mooncake);
  EXPECT_EQ(t->block_tokens, 512);
  EXPECT_EQ(t->requests.size(), 12'031u);
  EXPECT_EQ(t->distinct(), 182'790u);
  EXPECT_EQ(t->unchained, 0u);  // the file's ids already form a prefix tree
  std::int64_t tokens = 0, full = 0;
  for (const auto& r : t->requests) {
    tokens += r.input_tokens;
    full += r.input_tokens / 512;
    EXPECT_EQ(r.count, (r.input_tokens + 511) / 512);
  }
  EXPECT_EQ(tokens, 144'793'823);
  EXPECT_EQ(full, 276'491);
  EXPECT_EQ(t->requests[0].output_tokens, 500);
  EXPECT_EQ(t->requests[1].line, 2u);
}

TEST(TraceFormats, AzureConversationHasLengthsAndAStatedModel) {
  TraceOptions options;
  options.prefix_model = *parse_prefix_model("shared:64");
  const auto t = read_trace(test::data("traces/AzureLLMInferenceTrace_conv.csv.zst").string(), options);
  ASSERT_TRUE(t) << t.error().sentence();
  EXPECT_EQ(t->format, TraceFormat::azure);
  EXPECT_EQ(t->requests.size(), 19'366u);
  EXPECT_EQ(t->requests[0].input_tokens, 374);
  EXPECT_EQ(t->requests[0].output_tokens, 44);
  EXPECT_NEAR(t->requests[1].seconds, 4.314579, 1e-6);
  EXPECT_THAT(t->prefix_model, HasSubstr("first 64 tokens are the same"));
  EXPECT_EQ(t->ids[t->requests[0].first + 3], t->ids[t->requests[1].first + 3]);
  EXPECT_NE(t->ids[t->requests[0].first + 4], t->ids[t->requests[1].first + 4]);
}

TEST(TraceFormats, LlmServingSimTimingsAreLengths) {
  const auto t = read_trace(test::data("traces/llmservingsim_vllm_bench/RTX4090_Llama-3.1-8B.requests.jsonl.zst").string());
  ASSERT_TRUE(t) << t.error().sentence();
  EXPECT_EQ(t->format, TraceFormat::llmservingsim);
  EXPECT_EQ(t->requests.size(), 300u);
  EXPECT_EQ(t->requests[0].input_tokens, 2358);
  EXPECT_DOUBLE_EQ(t->requests[0].seconds, 0);
  EXPECT_GT(t->requests[1].seconds, 0.2);
}

TEST(TraceFormats, LlmServingSimTokenIdsAreHashedExactly) {
  const Trace t = good(R"({"input_toks":5,"output_toks":2,"input_tok_ids":[1,2,3,4,5]}
{"input_toks":6,"output_toks":2,"input_tok_ids":[1,2,3,9,5,6]})", {.block_tokens = 2});
  EXPECT_EQ(t.ids, (std::vector<std::uint32_t>{0, 1, 0, 2, 3}));  // the third block differs because the second does
}

TEST(TraceFormats, BailianNamesConversations) {
  const Trace t = good(R"({"chat_id":1,"parent_chat_id":-1,"timestamp":0.5,"input_length":32,"output_length":3,"type":"text","turn":1,"hash_ids":[7,8]}
{"chat_id":2,"parent_chat_id":1,"timestamp":2.5,"input_length":40,"output_length":3,"type":"text","turn":2,"hash_ids":[7,8,9]}
{"chat_id":3,"parent_chat_id":-1,"timestamp":1.5,"input_length":16,"output_length":3,"type":"text","turn":1,"hash_ids":[7]})");
  EXPECT_EQ(t.format, TraceFormat::bailian);
  EXPECT_EQ(t.block_tokens, 16);
  EXPECT_EQ(t.requests[0].conversation, t.requests[1].conversation);
  EXPECT_NE(t.requests[0].conversation, t.requests[2].conversation);
  EXPECT_EQ(t.backwards, 1u);
}

TEST(TraceFormats, KvcacheSimulatorTakesWordsAndBlockTokens) {
  const Trace t = good(R"({"block_size":64,"hash_ids":["a","b"],"input_length":100,"block_tokens":[64,36]}
{"block_size":64,"hash_ids":["a","c"],"input_length":128}
{"block_size":64,"hash_ids":["17",18446744073709551615],"input_length":128})");
  EXPECT_EQ(t.format, TraceFormat::kvcache_simulator);
  EXPECT_EQ(t.block_tokens, 64);
  EXPECT_EQ(t.ids, (std::vector<std::uint32_t>{0, 1, 0, 2, 3, 4}));
  EXPECT_EQ(t.requests[0].output_tokens, -1);
}

TEST(TraceFormats, BurstGptColumnsAreFoundByName) {
  const std::string text = "Timestamp,Session ID,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
                           "5,s1,ChatGPT,48,16,64,\"Conversation log\"\n9,s2,ChatGPT,100,4,104,API log\n45,s1,ChatGPT,80,10,90,Conversation log\n";
  TraceOptions options;
  options.prefix_model = *parse_prefix_model("continued");
  const Trace t = good(text, options);
  EXPECT_EQ(t.format, TraceFormat::burstgpt);
  ASSERT_EQ(t.requests.size(), 3u);
  // The third continues the first (48 + 16 tokens fit into its 80), not the longer one of another session.
  EXPECT_EQ(t.ids[t.requests[2].first + 2], t.ids[t.requests[0].first + 2]);
  EXPECT_EQ(t.requests[2].seconds, 40);
}

TEST(TraceFormats, EqualIdsAfterDifferentPrefixesAreDifferentBlocks) {
  const Trace t = good("{\"hash_ids\":[1,5],\"input_length\":1024}\n{\"hash_ids\":[2,5],\"input_length\":1024}\n{\"hash_ids\":[5,5],\"input_length\":1024}\n");
  EXPECT_EQ(t.distinct(), 6u);
  EXPECT_EQ(t.unchained, 3u);
}

TEST(TraceFormats, EveryBadLineIsNamedWithItsNumberAndReason) {
  const Error e = bad("{\"hash_ids\":[1],\"input_length\":512}\n\n{\"hash_ids\":[1,2],\"input_length\":512\n{\"hash_ids\":[1,2],\"input_length\":-4}\n"
                      "{\"hash_ids\":[1,2,3],\"input_length\":512}\n{\"input_length\":512}\n{\"hash_ids\":[1.5],\"input_length\":512}\nhello\n"
                      "{\"hash_ids\":[1],\"input_length\":512}\r\n");
  EXPECT_EQ(e.code, ErrorCode::bad_usage);
  EXPECT_THAT(e.what, HasSubstr("6 lines"));
  EXPECT_THAT(e.why, HasSubstr("line 3: the object has neither a comma nor its end"));
  EXPECT_THAT(e.why, HasSubstr("line 4: input_length -4"));
  EXPECT_THAT(e.why, HasSubstr("line 5: 3 hash_ids, but 512 tokens in blocks of 512 have 1"));
  EXPECT_THAT(e.why, HasSubstr("line 6: it has no hash_ids"));
  EXPECT_THAT(e.why, HasSubstr("line 7: a hash id with a point"));
  EXPECT_THAT(e.why, HasSubstr("line 8: the line is not a JSON object"));
}

TEST(TraceFormats, FaultsBeyondTheLimitAreCounted) {
  std::string text = "{\"hash_ids\":[1],\"input_length\":512}\n";
  for (int i = 0; i < 50; ++i) text += "{\"hash_ids\":[1,2,3],\"input_length\":512}\n";
  text += "{\"hash_ids\":[1],\"input_length\":512}\n";
  TraceOptions options;
  options.faults_kept = 3;
  EXPECT_THAT(bad(text, options).why, HasSubstr("and 47 more"));
  options.skip_bad_lines = true;
  const Trace t = good(text, options);
  EXPECT_EQ(t.requests.size(), 2u);
  EXPECT_EQ(t.fault_count, 50u);
  EXPECT_EQ(t.faults.size(), 3u);
}

TEST(TraceFormats, ABadCsvRowIsNamed) {
  const Error e = bad("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.97,10,1\n2023-11-16 18:17:03.97,abc,1\n2023-11-16 18:17:03.97,5\nyesterday,5,5\n");
  EXPECT_THAT(e.why, HasSubstr("line 3: \"abc\" is not a prompt's length"));
  EXPECT_THAT(e.why, HasSubstr("line 4: 2 fields, the header has 3"));
  EXPECT_THAT(e.why, HasSubstr("line 5: \"yesterday\" is not a time"));
}

TEST(TraceFormats, WhatIsNoTraceIsSaidToBeNone) {
  EXPECT_THAT(bad("").why, HasSubstr("empty"));
  EXPECT_THAT(bad("[{\"hash_ids\":[1]}]").why, HasSubstr("one object a line"));
  EXPECT_THAT(bad("{\"a\":1}\n").why, HasSubstr("without hash_ids"));
  EXPECT_THAT(bad("name,age\nx,3\n").why, HasSubstr("line 1 begins with"));
  EXPECT_THAT(bad("TIMESTAMP,ContextTokens,GeneratedTokens\n").why, HasSubstr("no line of data"));
  EXPECT_EQ(read_trace("/nonexistent/trace.jsonl").error().code, ErrorCode::not_found);
}

TEST(TraceFormats, ABlockSizeThatFitsTheLinesIsTakenOrNamed) {
  const std::string text = "{\"hash_ids\":[1,2,3],\"input_length\":192}\n{\"hash_ids\":[1,2],\"input_length\":100}\n";
  EXPECT_THAT(bad(text).next, HasSubstr("--block-size 64"));
  EXPECT_EQ(good(text, {.block_tokens = 64}).block_tokens, 64);
  // A size that the ids do not have is the size to cut them into: they keep their own.
  EXPECT_EQ(good("{\"hash_ids\":[1,2,3],\"input_length\":1400}\n", {.block_tokens = 16}).block_tokens, 512);
}

TEST(TraceBlocks, AnIdBecomesItsPartsAndTheLastAsManyAsItFills) {
  const Trace t = good("{\"hash_ids\":[1,2],\"input_length\":600}\n{\"hash_ids\":[1,3,4],\"input_length\":1040}\n{\"hash_ids\":[1,2],\"input_length\":600}\n");
  const auto small = in_blocks(t, 16);
  ASSERT_TRUE(small);
  EXPECT_EQ(small->requests[0].count, 32u + 5u);   // floor(88 / 16)
  EXPECT_EQ(small->requests[1].count, 64u + 1u);
  EXPECT_EQ(small->distinct(), 32u + 5u + 32u + 1u);
  for (int k = 0; k < 37; ++k) EXPECT_EQ(small->ids[static_cast<std::size_t>(k)], small->ids[small->requests[2].first + static_cast<std::size_t>(k)]);
  EXPECT_EQ(small->ids[small->requests[1].first + 31], small->ids[31]);
  EXPECT_NE(small->ids[small->requests[1].first + 32], small->ids[32]);
  const auto large = in_blocks(t, 1024);
  ASSERT_TRUE(large);
  EXPECT_EQ(large->requests[0].count, 0u);
  EXPECT_EQ(large->requests[1].count, 1u);
  EXPECT_FALSE(in_blocks(t, 48));
  EXPECT_FALSE(in_blocks(t, 0));
}

TEST(TraceScan, IdsOfAnyNumberOfDigitsAreReadAtAnyPlace) {
  std::string text = "{\"hash_ids\":[";
  std::vector<std::uint64_t> wanted;
  std::uint64_t v = 0;
  for (int digits = 1; digits <= 19; ++digits) {
    v = v * 10 + static_cast<std::uint64_t>(digits % 9 + 1);
    for (const char* separator : {",", ", ", " ,  "}) {
      text += std::to_string(v) + separator;
      wanted.push_back(v);
    }
  }
  text += "0]";
  wanted.push_back(0);
  TraceLine l;
  std::string why;
  for (const std::string end : {"}", ",\"input_length\":16}"}) {
    ASSERT_TRUE(l.read(text + end, why)) << why;
    EXPECT_EQ(std::vector<std::uint64_t>(l.hashes().begin(), l.hashes().end()), wanted);
  }
  for (std::uint64_t n = 0; n < 20'000; n += 7) {  // the last of the line, where fewer than eight bytes are left
    ASSERT_TRUE(l.read("{\"hash_ids\":[" + std::to_string(n) + "]}", why));
    ASSERT_EQ(l.hashes().front(), n);
  }
}

TEST(TraceScan, NumbersAreWholeInAnySpellingAndNothingElseIs) {
  TraceLine l;
  std::string why;
  ASSERT_TRUE(l.read(R"( { "input_length" : 5.12e2 , "x" : [ {"a\"b":[true,null,-0.5]} ] , "hash_ids":[ -1 , 2 ] } )", why)) << why;
  EXPECT_EQ(l.input, 512);
  EXPECT_EQ(l.hashes().size(), 2u);
  for (const char* wrong : {R"({"input_length":1.5})", R"({"input_length":1e400})", R"({"input_length":01})", R"({"input_length":+1})", R"({"input_length":"5"})",
                            R"({"input_length":99999999999999999999})", R"({"hash_ids":[1,]})", R"({"hash_ids":[1 2]})", R"({"hash_ids":{}})", R"({"a":tru})",
                            R"({"a":1}x)", R"({"a")", R"({"a":"b)", R"({,})", R"({"a":1,})", R"({"a":1.})", R"({"a":1e})", R"({"a":-})"})
    EXPECT_FALSE(l.read(wrong, why)) << wrong;
  EXPECT_FALSE(l.read("{\"a\":" + std::string(200, '[') + std::string(200, ']') + "}", why));
}

}  // namespace
}  // namespace kvcliff::workload
