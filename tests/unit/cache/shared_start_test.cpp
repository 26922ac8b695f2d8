// SPDX-License-Identifier: GPL-3.0-or-later
// Prompts that begin alike: found in the prompts, and seen in what a cache hits.
#include <gtest/gtest.h>

#include "base/text.h"
#include "cache/predict.h"
#include "support/data.h"
#include "support/expect_file.h"
#include "workload/shared_start.h"

namespace kvcliff::cache {
namespace {

std::vector<workload::Prompt> read_prompts(const std::string& file, std::int64_t block_size) {
  std::vector<workload::Prompt> out;
  const Json all = test::read_json("cases/107-prompts-share-a-start-by-accident/" + file);
  for (const auto& [name, ids] : all.items()) {
    workload::Prompt p;
    p.document = static_cast<int>(out.size());
    p.round = 1;
    p.output_tokens = 1;
    p.tokens = ids.get<std::vector<std::int32_t>>();
    p.keys = workload::block_keys(p.tokens, block_size);
    out.push_back(std::move(p));
  }
  return out;
}

/// GPU hits of the prompts in order, on a cache that holds them all.
std::vector<std::int64_t> hits_of(const std::vector<workload::Prompt>& prompts, std::int64_t block_size) {
  Config c;
  c.block_size = block_size;
  c.gpu_blocks = 10'000;
  std::vector<Input> inputs;
  for (const auto& p : prompts) {
    Input in;
    in.request.prompt_tokens = static_cast<std::int64_t>(p.tokens.size());
    in.request.output_tokens = p.output_tokens;
    in.request.keys = p.keys;
    inputs.push_back(in);
  }
  const auto all = predict(c, inputs);
  EXPECT_TRUE(all) << all.error().sentence();
  std::vector<std::int64_t> out;
  for (const auto& one : *all) out.push_back(one.gpu_hit.min);
  return out;
}

TEST(Case107, PromptsThatShareAStartAreFoundAndTheirHitsExpected) {
  for (const auto& e : test::read_expectations("107-prompts-share-a-start-by-accident")) {
    const auto comma = e.part.find(", block size ");
    const std::string file = e.part.substr(0, comma);
    const std::int64_t block = comma == std::string::npos ? 16 : *parse_int(e.part.substr(comma + 13));
    const auto prompts = read_prompts(file, block);
    ASSERT_EQ(prompts.size(), 3u);
    const auto found = workload::shared_start(prompts, block);
    if (e.key == "common_start_tokens")
      EXPECT_EQ(std::to_string(found.tokens), e.value) << e.part;
    else if (e.key == "common_blocks")
      EXPECT_EQ(std::to_string(found.blocks), e.value) << e.part;
    else if (e.key.rfind("expected_hit(p", 0) == 0)
      EXPECT_EQ(std::to_string(hits_of(prompts, block).at(static_cast<std::size_t>(e.key[14] - '1'))), e.value) << e.part << " " << e.key;
    else if (e.key == "warning")
      EXPECT_EQ(workload::shared_start_warning(found, {}, block).value_or("none"), e.value) << e.part;
    else
      ADD_FAILURE() << e.key;
  }
}

TEST(SharedStart, OfSomeDocumentsOnlyIsFoundToo) {
  std::vector<workload::Prompt> prompts(4);
  const std::vector<std::vector<std::int32_t>> ids{{1, 2, 3, 4, 5}, {9, 9, 9, 9, 9}, {1, 2, 3, 7, 7}, {8, 8, 8, 8, 8}};
  for (std::size_t i = 0; i < 4; ++i) {
    prompts[i].document = static_cast<int>(i);
    prompts[i].tokens = ids[i];
  }
  const auto found = workload::shared_start(prompts, 2);
  EXPECT_EQ(found.tokens, 3);
  EXPECT_EQ(found.blocks, 1);
  EXPECT_EQ(found.documents, 2);
  EXPECT_FALSE(workload::shared_start_warning(workload::shared_start(prompts, 4), {}, 4)) << "it fills no block of 4";
}

TEST(SharedStart, WhatWasAskedForAndRevisitsAreNoAccident) {
  workload::Spec spec;
  spec.documents = 4;
  spec.tokens = 100;
  spec.rounds = 2;
  const auto plain = workload::realise(spec, 16);
  ASSERT_TRUE(plain);
  EXPECT_FALSE(workload::shared_start_warning(workload::shared_start(*plain, 16), spec, 16)) << "each document is sent twice";
  spec.shared_prefix_tokens = 40;
  const auto asked = workload::realise(spec, 16);
  ASSERT_TRUE(asked);
  const auto found = workload::shared_start(*asked, 16);
  EXPECT_GE(found.tokens, 40);
  EXPECT_EQ(found.documents, 4);
  EXPECT_FALSE(workload::shared_start_warning(found, spec, 16));
  spec.shared_prefix_tokens = 0;
  EXPECT_TRUE(workload::shared_start_warning(found, spec, 16)) << "the same prompts, not asked for";
}

}  // namespace
}  // namespace kvcliff::cache
