// SPDX-License-Identifier: GPL-3.0-or-later
// Every published result of the model table, and the models whose results are derived by hand here.
#include <gtest/gtest.h>

#include <regex>

#include "base/file.h"
#include "model/capacity.h"
#include "model/catalogue.h"
#include "support/data.h"

namespace kvcliff::model {
namespace {

const std::vector<CatalogueEntry>& all() {
  static const auto entries = catalogue(std::string(KVCLIFF_SOURCE_DIR) + "/resources/models").value();
  return entries;
}

KvLayout of(const std::string& id, Options o = {}) {
  const auto entry = find(all(), id);
  EXPECT_TRUE(entry) << id;
  auto l = derive(**entry, o);
  EXPECT_TRUE(l) << id << ": " << (l ? "" : l.error().sentence());
  return l.value_or(KvLayout{});
}

Options with(const std::string& dtype, std::string mode = "align") {
  Options o;
  o.kv_dtype = dtype;
  o.mamba_cache_mode = std::move(mode);
  return o;
}

// Without embedding and head the linear layers of a dense model are most of the parameters in its name; of a model of
// experts, of those that its name calls active.
TEST(Catalogue, FeedForwardSizesGiveTheParametersOfTheName) {
  int dense = 0, experts = 0;
  for (const auto& e : all()) {
    const auto l = derive(e);
    ASSERT_TRUE(l) << e.id;
    const auto& d = l->dimensions;
    if (!d.active_linear_parameters) continue;
    static const std::regex active("-A([0-9.]+)B"), whole("[-_]([0-9.]+)([bBmM])(-|$)");
    std::smatch m;
    if (std::regex_search(e.id, m, active)) {
      ++experts;
    } else if (d.experts_per_token || !std::regex_search(e.id, m, whole)) {
      continue;
    } else {
      ++dense;
    }
    const double named = std::stod(m[1]) * (m.size() > 2 && (m[2] == "m" || m[2] == "M") ? 1e6 : 1e9);
    EXPECT_GT(static_cast<double>(*d.active_linear_parameters), 0.55 * named) << e.id;
    EXPECT_LT(static_cast<double>(*d.active_linear_parameters), 1.25 * named) << e.id;  // granite-3.1-2b has 2.5 billion
  }
  EXPECT_GE(dense, 38);
  EXPECT_GE(experts, 3);
  EXPECT_NEAR(static_cast<double>(*of("mistralai/Mixtral-8x7B-v0.1").dimensions.active_linear_parameters), 12.6e9, 0.2e9);
}

TEST(Catalogue, HasAllModelsAndEachIsDerived) {
  EXPECT_EQ(all().size(), 96u);
  for (const auto& e : all()) {
    const auto l = derive(e);
    ASSERT_TRUE(l) << e.id << ": " << l.error().sentence();
    EXPECT_FALSE(l->derivation.empty()) << e.id;
    EXPECT_FALSE(e.origin.empty()) << e.id;
  }
}

TEST(Catalogue, EveryPublishedResultIsReproduced) {
  int results = 0;
  const Json table = test::read_json("kv-models.json");
  for (const auto& m : table) {
    const std::string id = m.at("id");
    SCOPED_TRACE(id);
    EXPECT_EQ(of(id).kind, m.at("kind").get<std::string>());
    for (const std::string t : {"bf16", "fp8"}) {
      if (!m.contains("bytes_per_token_" + t)) continue;
      ++results;
      SCOPED_TRACE(t);
      const auto l = of(id, with(t));
      EXPECT_EQ(l.bytes_per_token, m.at("bytes_per_token_" + t).get<std::int64_t>());
      EXPECT_EQ(l.bytes_per_token_all_ranks, l.bytes_per_token);
      if (m.contains("bytes_per_token_all_layers_full")) {
        EXPECT_EQ(l.bytes_per_token_all_full, m["bytes_per_token_all_layers_full"][t].get<std::int64_t>());
      }
      auto hybrid = with(t);
      hybrid.hybrid_manager = true;  // Llama 4's row lists the grouping that its default leaves off
      const auto h = of(id, hybrid);
      EXPECT_EQ(h.growing_layers, m.at("growing_layers").get<int>());
      if (m.contains("window_tokens")) {
        EXPECT_EQ(h.window_tokens, m["window_tokens"].get<std::int64_t>());
        EXPECT_EQ(h.window_extra, m["bytes_per_token_inside_window_extra"][t].get<std::int64_t>());
      }
      if (m.contains("vllm_groups")) {
        const auto& g = m["vllm_groups"];
        EXPECT_EQ(h.group_size, g.at("group_size").get<int>());
        EXPECT_EQ(h.groups.at(0).pool_groups, g.at("full_groups").get<int>());
        EXPECT_EQ(h.groups.at(1).pool_groups, g.at("window_groups").get<int>());
        EXPECT_EQ(h.groups.at(0).padding_layers + h.groups.at(1).padding_layers, g.at("padding_layers").get<int>());
      }
      if (m.contains("state")) {
        const auto& s = m["state"];
        ASSERT_TRUE(l.state);
        EXPECT_EQ(l.state->layers, s.at("layers").get<int>());
        EXPECT_EQ(l.state->raw_bytes_per_layer, s.at("raw_bytes_per_layer_tp1").get<std::int64_t>());
        EXPECT_EQ(l.state->raw_bytes_per_sequence, s.at("raw_bytes_per_sequence_tp1").get<std::int64_t>());
        if (s.contains(t + "_kv")) {
          const auto& k = s[t + "_kv"];
          EXPECT_EQ(l.block_size, k.at("attention_block_size").get<std::int64_t>());
          EXPECT_EQ(l.page_bytes, k.at("page_bytes").get<std::int64_t>());
          EXPECT_NEAR(l.state->padding_pct, k.at("state_padding_pct").get<double>(), 0.006);
          EXPECT_EQ(l.group_size, k.at("group_size").get<int>());
          EXPECT_EQ(l.groups.at(1).pool_groups, k.at("state_groups").get<int>());
          const std::int64_t one = l.page_bytes * l.state->layers;
          EXPECT_EQ(one, k.at("padded_bytes_per_sequence_mode_none").get<std::int64_t>());
          EXPECT_EQ(one * l.state->blocks_per_sequence, k.at("padded_bytes_per_sequence_mode_align").get<std::int64_t>());
          EXPECT_EQ(of(id, with(t, "none")).state->blocks_per_sequence, 1);
        }
      }
    }
  }
  EXPECT_EQ(results, 128);  // 64 models, two types each
}

struct Derived {
  const char* id;
  std::int64_t bf16, fp8;
};

// The third of the table without results, worked out from the fields: layers x heads x size x sides.
TEST(Catalogue, TheOthersFollowFromTheirFields) {
  const Derived rows[] = {
      {"Qwen/Qwen2.5-3B", 2 * 36 * 2 * 128 * 2, 2 * 36 * 2 * 128},
      {"Qwen/Qwen2.5-32B", 2 * 64 * 8 * 128 * 2, 2 * 64 * 8 * 128},
      {"Qwen/Qwen3-1.7B", 2 * 28 * 8 * 128 * 2, 2 * 28 * 8 * 128},
      {"Qwen/Qwen3-14B", 163'840, 81'920},
      {"Qwen/Qwen3-235B-A22B", 2 * 94 * 4 * 128 * 2, 2 * 94 * 4 * 128},
      {"Qwen/Qwen3-Next-80B-A3B-Instruct", 12 * 2 * 2 * 256 * 2, 12 * 2 * 2 * 256},
      {"Qwen/Qwen3.5-397B-A17B", 15 * 2 * 2 * 256 * 2, 15 * 2 * 2 * 256},
      {"meta-llama/Llama-2-70b-hf", 327'680, 163'840},
      {"meta-llama/Llama-3.1-405B", 2 * 126 * 8 * 128 * 2, 2 * 126 * 8 * 128},
      {"meta-llama/Llama-3.3-70B-Instruct", 327'680, 163'840},
      {"nvidia/Llama-3_3-Nemotron-Super-49B-v1", 49 * 2 * 8 * 128 * 2, 49 * 2 * 8 * 128},  // not 327,680
      {"mistralai/Mixtral-8x7B-v0.1", 131'072, 65'536},
      {"mistralai/Mistral-Small-3.2-24B-Instruct-2506", 163'840, 81'920},
      {"google/gemma-2-9b", 21 * 2 * 8 * 256 * 2, 21 * 2 * 8 * 256},
      {"google/gemma-3-4b-it", 5 * 2 * 4 * 256 * 2, 5 * 2 * 4 * 256},
      {"google/gemma-3n-E4B-it", 4 * 2 * 2 * 256 * 2, 4 * 2 * 2 * 256},
      {"microsoft/phi-2", 2 * 32 * 32 * 80 * 2, 2 * 32 * 32 * 80},
      {"microsoft/phi-4", 2 * 40 * 10 * 128 * 2, 2 * 40 * 10 * 128},
      {"deepseek-ai/DeepSeek-V2", 60 * 1152, 60 * 576},
      {"deepseek-ai/DeepSeek-V3.2", 61 * 1284, 61 * 788},
      {"moonshotai/Kimi-K3", 24 * 1152, 24 * 576},
      {"tiiuae/falcon-7b", 2 * 32 * 1 * 64 * 2, 2 * 32 * 1 * 64},
      {"tiiuae/Falcon3-7B-Base", 2 * 28 * 4 * 256 * 2, 2 * 28 * 4 * 256},
      {"bigcode/gpt_bigcode-santacoder", 2 * 24 * 1 * 128 * 2, 2 * 24 * 1 * 128},
      {"TinyLlama/TinyLlama-1.1B-Chat-v1.0", 2 * 22 * 4 * 64 * 2, 2 * 22 * 4 * 64},
      {"HuggingFaceTB/SmolLM2-1.7B", 2 * 24 * 32 * 64 * 2, 2 * 24 * 32 * 64},
      {"ibm-granite/granite-3.1-2b-instruct", 2 * 40 * 8 * 64 * 2, 2 * 40 * 8 * 64},
      {"CohereForAI/c4ai-command-r7b-12-2024", 8 * 2 * 8 * 128 * 2, 8 * 2 * 8 * 128},
      {"THUDM/chatglm3-6b", 2 * 28 * 2 * 128 * 2, 2 * 28 * 2 * 128},
      {"MiniMaxAI/MiniMax-M2.7", 253'952, 126'976},
      {"nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", 6 * 2 * 2 * 128 * 2, 6 * 2 * 2 * 128},
      {"XiaomiMiMo/MiMo-V2-Flash", 9 * 4 * (192 + 128) * 2, 9 * 4 * (192 + 128)},
  };
  EXPECT_EQ(std::size(rows), 32u);
  const Json table = test::read_json("kv-models.json");
  for (const auto& r : rows) {
    EXPECT_EQ(of(r.id, with("bf16")).bytes_per_token, r.bf16) << r.id;
    EXPECT_EQ(of(r.id, with("fp8")).bytes_per_token, r.fp8) << r.id;
    for (const auto& m : table) {
      if (m.at("id") == r.id) {
        EXPECT_FALSE(m.contains("bytes_per_token_bf16")) << r.id;
      }
    }
  }
}

TEST(Catalogue, StatesOfTheOthers) {
  EXPECT_EQ(of("Qwen3-Next-80B-A3B-Instruct").state->raw_bytes_per_layer, (3 * (2 * 16 * 128 + 32 * 128) + 32 * 128 * 128) * 2);
  EXPECT_EQ(of("Qwen3.5-397B-A17B").state->raw_bytes_per_layer, 3 * (2 * 16 * 128 + 64 * 128) * 2 + 64 * 128 * 128 * 4);
  EXPECT_EQ(of("Kimi-K3").state->raw_bytes_per_layer, 3 * 3 * 96 * 128 * 2 + 96 * 128 * 128 * 4);  // recurrent part always float32
  const auto nano = of("NVIDIA-Nemotron-3-Nano-30B-A3B-BF16");
  EXPECT_EQ(nano.state->layers, 23);
  EXPECT_EQ(nano.state->raw_bytes_per_layer, 3 * (64 * 64 + 2 * 8 * 128) * 2 + 64 * 64 * 128 * 4);
}

TEST(Catalogue, AutoOfSparseAttentionIsItsOwnLayout) {
  const auto l = of("DeepSeek-V3.2");
  EXPECT_EQ(l.kv_dtype, "fp8_ds_mla");
  EXPECT_EQ(l.bytes_per_token, 61 * 788);
}

TEST(Catalogue, SlidingLayersWithHeadsOfTheirOwn) {
  const auto l = of("MiMo-V2-Flash");
  EXPECT_EQ(l.window_extra, 39 * 8 * (192 + 128) * 2);
  EXPECT_EQ(l.window_tokens, 128);
}

TEST(Catalogue, IdsAreFoundByTheirLastPartAndMistakesGetAHint) {
  EXPECT_EQ((*find(all(), "qwen3-0.6b"))->id, "Qwen/Qwen3-0.6B");
  const auto wrong = find(all(), "Qwen3-0.5B");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, ErrorCode::not_found);
  EXPECT_NE(wrong.error().next.find("Qwen/Qwen3-0.6B"), std::string::npos);
}

TEST(Catalogue, ADamagedFileIsNamed) {
  EXPECT_EQ(parse_catalogue("{", "x.json").error().code, ErrorCode::bad_usage);
  EXPECT_FALSE(parse_catalogue(R"({"schema":"other","models":[]})", "x.json"));
  const auto e = parse_catalogue(R"({"schema":"kvcliff.models/1","models":[{"id":"a"}]})", "x.json");
  ASSERT_FALSE(e);
  EXPECT_EQ(e.error().where, "x.json, models[0]");
  test::TempDir dir;
  EXPECT_EQ(catalogue(dir.path().string()).error().code, ErrorCode::not_found);
  const std::string twice = R"({"schema":"kvcliff.models/1","models":[{"id":"a/b","config":{}},{"id":"A/B","config":{}}]})";
  ASSERT_TRUE(write_file(dir / "m.json", twice));
  EXPECT_EQ(catalogue(dir.path().string()).error().code, ErrorCode::bad_usage);
}

}  // namespace
}  // namespace kvcliff::model
