// SPDX-License-Identifier: GPL-3.0-or-later
// Logged pairs of memory and tokens of real engines, reproduced by the formulas or explained as there.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "model/capacity.h"
#include "model/catalogue.h"
#include "support/data.h"

namespace kvcliff::model {
namespace {

constexpr double gib = 1073741824.0;

const std::vector<CatalogueEntry>& all() {
  static const auto entries = catalogue(std::string(KVCLIFF_SOURCE_DIR) + "/resources/models").value();
  return entries;
}

// Rows name finetunes and unnamed models; the shape is that of a catalogue entry.
std::string shape_of(const std::string& row) {
  static const std::map<std::string, std::string> shapes{
      {"mistral-small-3.2-24b", "Mistral-Small-3.2-24B-Instruct-2506"}, {"qwen3-14b", "Qwen3-14B"},
      {"llama31-8b-v0-20k", "Llama-3.1-8B"},  {"llama31-8b-v0-29k", "Llama-3.1-8B"},  {"llama31-8b-v1", "Llama-3.1-8B"},
      {"llama32-1b-v1", "Llama-3.2-1B"},      {"qwen3-vl-30b-a3b-tp4", "Qwen3-VL-30B-A3B-Instruct"},
      {"qwen3-vl-235b-fp8-tp8-rank0", "Qwen3-235B-A22B"}, {"qwen3-vl-235b-fp8-tp8-rank1", "Qwen3-235B-A22B"},
      {"qwen3-vl-235b-fp8-tp8-rank2", "Qwen3-235B-A22B"}, {"qwen3-235b-fp8-tp4", "Qwen3-235B-A22B"},
      {"qwen2-7b-2nodes", "Qwen2.5-7B"},      {"kimi-k2-thinking-tp8", "Kimi-K2-Instruct"}, {"kimi-k2-thinking-tp8-dcp8", "Kimi-K2-Instruct"},
      {"minimax-m2.7-awq-tp2-need", "MiniMax-M2.7"}, {"minimax-m2.7-awq-tp2", "MiniMax-M2.7"}, {"deepseek-v2-lite-need", "DeepSeek-V2-Lite"},
      {"gpt-oss-120b-need", "gpt-oss-120b"},  {"gemma-4-31b", "gemma-4-31B-it"}, {"qwen3-next-80b-tp2", "Qwen3-Next-80B-A3B-Instruct"},
      {"qwen3.6-35b-a3b-fp8", "Qwen3.5-35B-A3B"}, {"fp8-unnamed-49152", "Qwen3-30B-A3B"}, {"r1-distill-qwen-14b-tp2", "Qwen2.5-14B"},
  };
  const auto it = shapes.find(row);
  return it == shapes.end() ? "" : it->second;
}

KvLayout layout_of(const Json& row) {
  Options o;
  o.kv_dtype = row.at("kv_dtype") == "fp8" ? "fp8" : "bf16";
  o.tp = row.value("tensor_parallel", 1);
  o.dcp = row.value("decode_context_parallel", 1);
  if (row.contains("block_size") && row["block_size"].is_number()) o.block_size = row["block_size"];
  if (row.at("id") == "qwen3-next-80b-tp2") o.mamba_cache_mode = "none";  // prefix caching was off
  auto l = derive(**find(all(), shape_of(row.at("id"))), o);
  EXPECT_TRUE(l) << row.at("id");
  return *l;
}

// The print rounds to two decimals: the true amount lies within half of the last digit.
std::pair<Bytes, Bytes> printed(double value) {
  return {Bytes(static_cast<std::int64_t>((value - 0.005) * gib)), Bytes(static_cast<std::int64_t>((value + 0.005) * gib))};
}

TEST(GroundTruth, LoggedTokensFollowFromLoggedMemory) {
  int inside = 0, explained = 0;
  for (const auto& row : test::read_json("kv-ground-truth.json")) {
    const std::string id = row.at("id");
    if (!row.contains("logged_tokens") || !row["logged_tokens"].is_number() || shape_of(id).empty()) continue;
    SCOPED_TRACE(id);
    const auto l = layout_of(row);
    const auto [low, high] = printed(row.at("available_kv_gib"));
    const Tokens len(row.value("max_model_len", 0));
    // From v0.21 on the line is concurrency x max_model_len; one row of the table has it.
    const auto line = id == "qwen3.6-35b-a3b-fp8" ? TokenLine::concurrency : TokenLine::blocks_over_groups;
    const auto blocks_low = *gpu_blocks(l, low), blocks_high = *gpu_blocks(l, high);
    const auto from = *logged_tokens(l, blocks_low, line, len), to = *logged_tokens(l, blocks_high, line, len);
    const auto logged = row["logged_tokens"].get<std::int64_t>();
    if (row.contains("formula_bytes_per_token_per_gpu") && !row.contains("decode_context_parallel")) {
      EXPECT_EQ(l.bytes_per_token_per_rank, row["formula_bytes_per_token_per_gpu"].get<std::int64_t>());
    }
    if (row.contains("predicted_tokens_range") && id != "gemma-4-31b") {
      EXPECT_NEAR(from.v, row["predicted_tokens_range"][0].get<double>(), 0.5);
      EXPECT_NEAR(to.v, row["predicted_tokens_range"][1].get<double>(), 0.5);
    }
    if (row.at("verdict").get<std::string>().rfind("match", 0) == 0) {
      EXPECT_LE(from.v, logged);
      EXPECT_GE(to.v, logged);
      ++inside;
    } else {
      // Reports of several GPUs that quote one rank: fewer tokens than its memory gives, because the poorest rank decides.
      EXPECT_GT(from.v, logged);
      EXPECT_GT(l.options.tp, 1);
      ++explained;
    }
    if (row.contains("logged_blocks") && row["logged_blocks"].is_number() && !explained) {
      EXPECT_LE(blocks_low.v, row["logged_blocks"].get<std::int64_t>());
      EXPECT_GE(blocks_high.v, row["logged_blocks"].get<std::int64_t>());
    }
  }
  EXPECT_EQ(inside, 17);
  EXPECT_EQ(explained, 3);
}

TEST(GroundTruth, NeededMemoryAndLongestRequest) {
  int rows = 0;
  for (const auto& row : test::read_json("kv-ground-truth.json")) {
    if (!row.contains("logged_needed_gib")) continue;
    SCOPED_TRACE(row.at("id").get<std::string>());
    ++rows;
    const auto l = layout_of(row);
    const std::int64_t batched = row.value("max_num_batched_tokens", 0);
    const std::int64_t len = row.value("max_model_len", 221'000);  // the unnamed report's length stands in its text
    const auto need = needed_bytes(l, Tokens(len), batched);
    ASSERT_TRUE(need) << need.error().sentence();
    EXPECT_NEAR(static_cast<double>(need->v) / gib, row["logged_needed_gib"].get<double>(), 0.0051);
    if (!row.contains("logged_estimated_max_len")) continue;
    const double available = row.at("id") == "fp8-unnamed-49152" ? 5.59 : row.at("available_kv_gib").get<double>();
    const auto [low, high] = printed(available);
    EXPECT_LE(longest_request(l, low, Tokens(1 << 22))->v, row["logged_estimated_max_len"].get<std::int64_t>());
    EXPECT_GE(longest_request(l, high, Tokens(1 << 22))->v, row["logged_estimated_max_len"].get<std::int64_t>());
  }
  EXPECT_EQ(rows, 4);
}

TEST(GroundTruth, HybridRowsToTheBlock) {
  const Json table = test::read_json("kv-ground-truth.json");
  for (const auto& row : table) {
    SCOPED_TRACE(row.at("id").get<std::string>());
    if (row.at("id") == "qwen3-next-80b-tp2") {
      const auto l = layout_of(row);
      EXPECT_EQ(l.block_size, row["logged_attention_block_size"].get<std::int64_t>());
      EXPECT_EQ(l.page_bytes, row["page_bytes"].get<std::int64_t>());
      EXPECT_EQ(l.state->raw_bytes_per_layer_rank, row["predicted_state_bytes_per_layer"].get<std::int64_t>());
      EXPECT_NEAR(l.state->padding_pct, row["logged_padding_pct"].get<double>(), 0.006);
      const auto [low, high] = printed(44.59);
      EXPECT_EQ(gpu_blocks(l, low)->v, 7161);
      EXPECT_EQ(gpu_blocks(l, high)->v, 7163);
      EXPECT_NEAR(*concurrency(l, Blocks(7162), Tokens(262'144)), 14.77, 0.005);
    }
    if (row.at("id") == "qwen3.6-35b-a3b-fp8") {
      const auto l = layout_of(row);
      EXPECT_EQ(l.block_size, 2096);
      EXPECT_EQ(blocks_for_request(l, Tokens(131'072))->v, 69);
      EXPECT_EQ(gpu_blocks(l, Bytes(static_cast<std::int64_t>(6.01 * gib)))->v, 300);
    }
    if (row.at("id") == "gemma-4-31b") {
      const auto l = layout_of(row);
      EXPECT_EQ(l.ranks.at(0).block_bytes, row["pool_bytes_per_block"].get<std::int64_t>());
      EXPECT_EQ(l.groups.at(0).block_size, 32);
      EXPECT_EQ(l.groups.at(1).block_size, 16);
    }
  }
}

TEST(GroundTruth, BlockSizeAndPaddingChecks) {
  // Nemotron-Nano-9B-v2: 128 heads x 80, state 128, 8 groups; 8 KV heads of 128.
  const Json nano = Json::parse(R"({"model_type":"nemotron_h","num_hidden_layers":4,"hybrid_override_pattern":"M-M*","num_attention_heads":40,
    "num_key_value_heads":8,"head_dim":128,"mamba_num_heads":128,"mamba_head_dim":80,"ssm_state_size":128,"n_groups":8,"conv_kernel":4})");
  EXPECT_EQ(derive(nano)->block_size, 672);
  EXPECT_EQ(derive(**find(all(), "Qwen3.5-35B-A3B"))->block_size, 1056);
  // Qwen3.6-27B with one drafting layer: 17 attention layers, 48 states in 3 groups of 17, 3 of them padding.
  Json config = (*find(all(), "Qwen3.5-27B"))->config;
  config["text_config"]["mtp_num_hidden_layers"] = 1;
  Options o;
  o.mtp = true;
  o.tp = 2;
  const auto l = derive(config, o);
  ASSERT_TRUE(l) << l.error().sentence();
  EXPECT_EQ(l->group_size, 17);
  EXPECT_EQ(l->groups.at(1).padding_layers, 3);
  EXPECT_NEAR(100.0 * 3 / 48, 6.25, 1e-9);
}

TEST(GroundTruth, TheGreatJumpOfTheTokenLineIsItsDefinition) {
  // Same memory, same blocks: about 55 thousand by the old line, about 525 thousand by the new one.
  const auto l = derive(**find(all(), "gemma-4-31B-it"));
  const auto blocks = gpu_blocks(*l, Bytes(static_cast<std::int64_t>(50 * gib)));
  EXPECT_NEAR(static_cast<double>(logged_tokens(*l, *blocks, TokenLine::blocks_over_groups)->v), 55'000, 1'500);
  const auto recent = logged_tokens(*l, *blocks, TokenLine::concurrency, Tokens(262'144), 8'192);
  ASSERT_TRUE(recent);
  EXPECT_GT(recent->v, 400'000);
}

TEST(GroundTruth, TheNullBlockIsTakenOut) {
  // 118 blocks of 1,444 were printed as 8.18 %: the divisor is 1,443.
  EXPECT_EQ(usable(Blocks(1444)).v, 1443);
  EXPECT_EQ(std::lround(118.0 / 1443 * 10'000), 818);
  EXPECT_NE(std::lround(118.0 / 1444 * 10'000), 818);
  EXPECT_EQ(usable(Blocks(0)).v, 0);
}

TEST(GroundTruth, PredictionForGptOss20b) {
  const auto l = derive(**find(all(), "gpt-oss-20b"));
  const auto n = logged_tokens(*l, *gpu_blocks(*l, Bytes(static_cast<std::int64_t>(36.56 * gib))), TokenLine::blocks_over_groups);
  EXPECT_NEAR(static_cast<double>(n->v), 798'656, 112);
}

}  // namespace
}  // namespace kvcliff::model
