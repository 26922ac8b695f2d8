// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/trace_walk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/file.h"
#include "support/data.h"

namespace kvcliff::workload {
namespace {

using testing::HasSubstr;

/// Both ways of reading give the same requests, and blocks that are equal in one are equal in the other.
void expect_same(const std::filesystem::path& file, const TraceOptions& options, std::int64_t block_tokens) {
  const std::string path = file.string();
  const auto whole = read_trace(path, options);
  ASSERT_TRUE(whole) << whole.error().sentence();
  const auto cut = in_blocks(*whole, block_tokens > 0 ? block_tokens : whole->block_tokens);
  ASSERT_TRUE(cut);
  std::map<std::uint64_t, std::uint32_t> number;
  std::size_t at = 0;
  const auto walk = walk_trace(path, options, block_tokens, [&](const TraceRequest& r, std::span<const std::uint64_t> keys, std::int64_t size) {
    EXPECT_EQ(size, cut->block_tokens);
    const TraceRequest& wanted = cut->requests.at(at++);
    EXPECT_EQ(r.input_tokens, wanted.input_tokens);
    EXPECT_EQ(r.output_tokens, wanted.output_tokens);
    EXPECT_EQ(r.seconds, wanted.seconds);
    EXPECT_EQ(r.line, wanted.line);
    EXPECT_EQ(keys.size(), wanted.count) << r.line;
    for (std::size_t i = 0; i < keys.size() && i < wanted.count; ++i) {
      const auto [it, fresh] = number.try_emplace(keys[i], cut->ids[wanted.first + i]);
      if (it->second != cut->ids[wanted.first + i]) return ADD_FAILURE() << "line " << r.line << ", block " << i, false;
    }
    return true;
  });
  ASSERT_TRUE(walk) << walk.error().sentence();
  EXPECT_EQ(at, cut->requests.size());
  EXPECT_EQ(number.size(), cut->distinct());
  EXPECT_EQ(walk->format, whole->format);
  EXPECT_EQ(walk->prefix_model, whole->prefix_model);
  EXPECT_EQ(walk->backwards, whole->backwards);
}

TEST(TraceWalk, GivesTheBlocksOfTheTraceInMemory) {
  const auto conversation = test::data("traces/mooncake_conversation_trace.jsonl.zst");
  for (const std::int64_t size : {0, 512, 64, 2048}) expect_same(conversation, {.first_requests = 3'000}, size);
  const auto azure = test::data("traces/AzureLLMInferenceTrace_conv.csv.zst");
  for (const char* model : {"unique", "shared:100", "continued"}) {
    TraceOptions options{.block_tokens = 64, .first_requests = 4'000};
    options.prefix_model = *parse_prefix_model(model);
    expect_same(azure, options, 64);
  }
}

TEST(TraceWalk, SessionsAndTokenIdsAreReadAlike) {
  const test::TempDir dir;
  ASSERT_TRUE(write_file(dir / "b.csv", "Timestamp,Session ID,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,s1,C,48,16,64,\"a, b\"\n"
                                        "9,s2,C,100,4,104,x\n4,s1,C,80,10,90,x\n50,s2,C,110,10,120,x\n60,,C,200,1,201,x\n"));
  TraceOptions options;
  options.prefix_model.kind = PrefixModel::Kind::continued;
  expect_same(dir / "b.csv", options, 0);
  ASSERT_TRUE(write_file(dir / "t.jsonl", "{\"input_toks\":5,\"output_toks\":2,\"input_tok_ids\":[1,2,3,4,5]}\n{\"input_toks\":6,\"output_toks\":2,\"input_tok_ids\":[1,2,3,9,5,6]}"));
  expect_same(dir / "t.jsonl", {.block_tokens = 2}, 2);
}

TEST(TraceWalk, IsRefusedAsTheTraceIs) {
  const test::TempDir dir;
  const auto each = [](const TraceRequest&, std::span<const std::uint64_t>, std::int64_t) { return true; };
  ASSERT_TRUE(write_file(dir / "broken.jsonl", "{\"hash_ids\":[1],\"input_length\":512}\n{\"hash_ids\":[1,\n"));
  EXPECT_THAT(walk_trace((dir / "broken.jsonl").string(), {}, 0, each).error().why, HasSubstr("line 2"));
  EXPECT_EQ(walk_trace((dir / "broken.jsonl").string(), {.skip_bad_lines = true}, 0, each)->fault_count, 1u);
  EXPECT_THAT(walk_trace((dir / "broken.jsonl").string(), {.skip_bad_lines = true}, 48, each).error().why, HasSubstr("48 neither divides"));
  EXPECT_EQ(walk_trace((dir / "none.jsonl").string(), {}, 0, each).error().code, ErrorCode::not_found);
}

// Long enough for several pieces and threads; every line's number and every bad line keep their place.
TEST(TraceReading, ManyThreadsReadWhatOneReads) {
  std::string text;
  std::vector<std::size_t> wrong;
  std::size_t number = 0;
  for (int i = 0; i < 40'000; ++i) {
    ++number;
    if (i % 9'973 == 5) {
      text += "\n\r\n";
      number += 2;
    }
    if (i % 7'001 == 3) {
      text += "{\"hash_ids\":[1,2,\n";
      wrong.push_back(number);
      continue;
    }
    text += "{\"timestamp\":" + std::to_string(i) + ",\"input_length\":2048,\"hash_ids\":[" + std::to_string(i % 50) + "," + std::to_string(i) + ",7,8]}\n";
  }
  TraceOptions one{.faults_kept = 100, .skip_bad_lines = true, .threads = 1}, many = one;
  many.threads = 5;
  const auto a = parse_trace(text, "test", one), b = parse_trace(text, "test", many);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->ids, b->ids);
  EXPECT_EQ(a->parents, b->parents);
  ASSERT_EQ(a->requests.size(), b->requests.size());
  ASSERT_EQ(b->faults.size(), wrong.size());
  for (std::size_t i = 0; i < wrong.size(); ++i) EXPECT_EQ(b->faults[i].line, wrong[i]);
  for (std::size_t i = 0; i < a->requests.size(); ++i) ASSERT_EQ(a->requests[i].line, b->requests[i].line);
  many.first_requests = 12'345;
  EXPECT_EQ(parse_trace(text, "test", many)->requests.size(), 12'345u);
}

}  // namespace
}  // namespace kvcliff::workload
