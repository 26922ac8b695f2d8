// SPDX-License-Identifier: GPL-3.0-or-later
// Single rules: field spellings, refusals, dtypes, parallel splits, host sizes.
#include <gtest/gtest.h>

#include <numeric>

#include "base/text.h"
#include "model/capacity.h"
#include "model/config_text.h"
#include "model/derive.h"

namespace kvcliff::model {
namespace {

Json llama() {
  return Json::parse(R"({"model_type":"llama","num_hidden_layers":32,"num_attention_heads":32,"num_key_value_heads":8,"hidden_size":4096,"torch_dtype":"bfloat16"})");
}

Options options(const std::string& dtype, int tp = 1, int pp = 1) {
  Options o;
  o.kv_dtype = dtype, o.tp = tp, o.pp = pp;
  return o;
}

std::string refused(const Json& config, const Options& o = {}) {
  const auto l = derive(config, o);
  return l ? "" : l.error().sentence();
}

TEST(Spellings, AreAllUnderstood) {
  const std::pair<const char*, std::int64_t> rows[] = {
      {R"({"model_type":"mpt","n_layers":4,"n_heads":8,"d_model":512})", 2 * 4 * 8 * 64 * 2},
      {R"({"model_type":"mpt","n_layers":4,"n_heads":8,"d_model":512,"attn_config":{"kv_n_heads":2}})", 2 * 4 * 2 * 64 * 2},
      {R"({"model_type":"dbrx","n_layers":40,"n_heads":48,"d_model":6144,"attn_config":{"kv_n_heads":8}})", 2 * 40 * 8 * 128 * 2},
      {R"({"model_type":"falcon","num_hidden_layers":32,"num_attention_heads":71,"hidden_size":4544,"multi_query":true,"new_decoder_architecture":false,"num_kv_heads":71})", 2 * 32 * 64 * 2},
      {R"({"model_type":"falcon","num_hidden_layers":60,"num_attention_heads":128,"hidden_size":8192,"multi_query":true,"new_decoder_architecture":true,"num_kv_heads":8})", 2 * 60 * 8 * 64 * 2},
      {R"({"n_layers":4,"n_heads":8,"n_kv_heads":2,"dim":512})", 2 * 4 * 2 * 64 * 2},
      {R"({"num_hidden_layers":4,"num_attention_heads":8,"num_key_value_heads":null,"hidden_size":512})", 2 * 4 * 8 * 64 * 2},
      {R"({"num_hidden_layers":4,"num_attention_heads":8,"num_attention_groups":4,"hidden_size":512})", 2 * 4 * 4 * 64 * 2},
      {R"({"llm_config":{"num_hidden_layers":4,"num_attention_heads":8,"hidden_size":512}})", 2 * 4 * 8 * 64 * 2},
      {R"({"language_config":{"num_hidden_layers":4,"num_attention_heads":8,"hidden_size":512},"vision_config":{"num_hidden_layers":99}})", 2 * 4 * 8 * 64 * 2},
      {R"({"num_hidden_layers":4.0,"num_attention_heads":8,"hidden_size":512})", 2 * 4 * 8 * 64 * 2},
  };
  for (const auto& [text, bytes] : rows) {
    const auto l = derive(Json::parse(text));
    ASSERT_TRUE(l) << text << ": " << l.error().sentence();
    EXPECT_EQ(l->bytes_per_token, bytes) << text;
  }
}

TEST(Refusals, NameTheKeyAndTheReason) {
  const auto with = [](const char* key, Json value) {
    Json c = llama();
    c[key] = std::move(value);
    return c;
  };
  EXPECT_NE(refused(with("num_hidden_layers", "many")).find("num_hidden_layers is not a number"), std::string::npos);
  EXPECT_NE(refused(with("num_attention_heads", -4)).find("num_attention_heads is -4"), std::string::npos);
  EXPECT_NE(refused(with("head_dim", 1.5)).find("head_dim is not a whole number"), std::string::npos);
  EXPECT_NE(refused(with("num_key_value_heads", 5)).find("cannot share 5 KV heads"), std::string::npos);
  EXPECT_NE(refused(with("num_hidden_layers", std::uint64_t{1} << 63)).find("too large"), std::string::npos);
  EXPECT_NE(refused(with("layer_types", Json::array({"full_attention"}))).find("1 entries for 32 layers"), std::string::npos);
  EXPECT_NE(refused(with("is_encoder_decoder", true)).find("Encoder-decoder"), std::string::npos);
  EXPECT_NE(refused(with("compress_ratios", Json::array())).find("DeepSeek V4"), std::string::npos);
  EXPECT_NE(refused(with("kv_lora_rank", 512)).find("qk_rope_head_dim"), std::string::npos);
  EXPECT_NE(refused(with("mamba_d_state", 16)).find("keeps a state"), std::string::npos);
  EXPECT_NE(refused(with("torch_dtype", "posit16")).find("posit16"), std::string::npos);
  EXPECT_NE(refused(Json::array()).find("not a JSON object"), std::string::npos);
  EXPECT_NE(refused(Json::object()).find("no number of layers"), std::string::npos);
  EXPECT_NE(refused(Json{{"text_config", {{"model_type", "llama"}}}}).find("text_config"), std::string::npos);
  EXPECT_NE(refused(llama(), options("auto", 3)).find("32 attention heads"), std::string::npos);
  EXPECT_NE(refused(llama(), options("auto", 1, 33)).find("33 pipeline ranks"), std::string::npos);
  EXPECT_NE(refused(llama(), options("int8")).find("int8_per_token_head"), std::string::npos);
  EXPECT_NE(refused(llama(), options("turboquant_3bit")).find("not known"), std::string::npos);
  EXPECT_NE(refused(llama(), options("q4")).find("Unknown KV dtype"), std::string::npos);
  EXPECT_NE(refused(llama(), options("fp8_ds_mla")).find("sparse"), std::string::npos);
  EXPECT_NE(refused(llama(), options("auto", 0)).find("parallel size of 0"), std::string::npos);
}

TEST(KvDtypes, HaveTheBytesOfTheirLayout) {
  const std::int64_t vectors = 2 * 32 * 8;  // of 128 elements
  for (const auto& [name, bytes] : {std::pair{"bf16", 256}, {"float16", 256}, {"fp8", 128}, {"fp8_e5m2", 128}, {"int8_per_token_head", 132}, {"fp8_per_token_head", 132}, {"nvfp4", 72}})
    EXPECT_EQ(derive(llama(), options(name))->bytes_per_token, vectors * bytes) << name;
  Json f32 = llama();
  f32["torch_dtype"] = "float32";
  EXPECT_EQ(derive(f32)->bytes_per_token, vectors * 256);  // runs in 16 bit
  Json odd = llama();
  odd["head_dim"] = 100;
  EXPECT_NE(refused(odd, options("nvfp4")).find("multiples of 16"), std::string::npos);
}

TEST(KvDtypes, AutoFollowsTheCheckpointsScheme) {
  Json c = llama();
  c["quantization_config"] = {{"quant_method", "modelopt"}, {"kv_cache_quant_algo", "FP8"}};
  EXPECT_EQ(derive(c)->kv_dtype, "fp8");
  EXPECT_EQ(derive(c, options("bf16"))->kv_dtype, "bfloat16") << "an explicit type wins";
  c["quantization_config"] = {{"quantization", {{"kv_cache_quant_algo", "NVFP4"}}}};
  EXPECT_EQ(derive(c)->kv_dtype, "nvfp4");
  c["quantization_config"] = {{"quant_method", "fp8"}};  // a weight type says nothing about the KV type
  EXPECT_EQ(derive(c)->kv_dtype, "bfloat16");
  c["quantization_config"] = {{"quant_method", "compressed-tensors"}, {"kv_cache_scheme", {{"num_bits", 8}, {"type", "int"}}}};
  EXPECT_NE(refused(c).find("no known size"), std::string::npos);
  c["quantization_config"]["kv_cache_scheme"] = nullptr;
  EXPECT_EQ(derive(c)->kv_dtype, "bfloat16");
}

TEST(KvDtypes, SkippedLayersStayIn16Bit) {
  auto o = options("fp8");
  o.kv_skip_layers = {"0", "31"};
  EXPECT_EQ(derive(llama(), o)->bytes_per_token, 2 * 8 * 128 * (30 * 1 + 2 * 2));
}

TEST(KvDtypes, ALayerThatIsNotThereCannotBeSkipped) {
  auto o = options("fp8");
  for (const char* skip : {"32", "-1", "last", ""}) {
    o.kv_skip_layers = {"0", skip};
    const auto l = derive(llama(), o);
    ASSERT_FALSE(l) << skip;
    EXPECT_NE(l.error().sentence().find("There is no layer \"" + std::string(skip) + "\""), std::string::npos) << l.error().sentence();
  }
  o.kv_skip_layers = {"sliding_window"};
  EXPECT_TRUE(derive(llama(), o)) << "a word for layers that this model has none of";
}

TEST(Heads, AHeadSizeOfZeroIsOneThatIsNotGiven) {
  Json c = llama();
  const auto given = *derive(c);
  c["head_dim"] = 0;
  const auto divided = derive(c);
  ASSERT_TRUE(divided) << divided.error().sentence();
  EXPECT_EQ(divided->bytes_per_token, given.bytes_per_token);
  EXPECT_NE(std::find_if(divided->warnings.begin(), divided->warnings.end(), [](const std::string& w) { return w.find("head_dim is 0") != std::string::npos; }), divided->warnings.end());
  c["head_dim"] = -128;
  EXPECT_FALSE(derive(c));
}

// The state kernels' chunk stands beside the sizes, also where those are in a nested part.
TEST(States, TheChunkOfTheKernelsIsFoundBesideTheSizes) {
  const Json flat = Json::parse(R"({"model_type":"qwen3_5_moe_text","num_hidden_layers":40,"num_attention_heads":16,"num_key_value_heads":2,"head_dim":256,"hidden_size":2048,
    "full_attention_interval":4,"linear_key_head_dim":128,"linear_num_key_heads":16,"linear_value_head_dim":128,"linear_num_value_heads":32,"linear_conv_kernel_dim":4,
    "mamba_ssm_dtype":"float32","torch_dtype":"bfloat16","mamba_chunk_size":256})");
  Options o;
  o.mamba_cache_mode = "all";
  const auto at_top = derive(flat, o);
  ASSERT_TRUE(at_top) << at_top.error().sentence();
  EXPECT_EQ(at_top->block_size, 1280) << "a multiple of 256 that holds the state";
  const auto nested = derive(Json{{"model_type", "q"}, {"text_config", flat}}, o);
  ASSERT_TRUE(nested) << nested.error().sentence();
  EXPECT_EQ(nested->block_size, 1280);
}

TEST(Windows, UnusedOnesAreNotCounted) {
  Json c = llama();
  c["sliding_window"] = 4096;
  EXPECT_EQ(derive(c)->kind, "swa_all");
  c["use_sliding_window"] = false;
  EXPECT_EQ(derive(c)->kind, "gqa");
  c.erase("use_sliding_window");
  c["max_position_embeddings"] = 4096;
  EXPECT_EQ(derive(c)->kind, "gqa") << "a window as long as the context bounds nothing";
}

TEST(Windows, WithoutTheHybridManagerEveryLayerIsChargedInFull) {
  const Json gemma = Json::parse(R"({"model_type":"gemma3_text","num_hidden_layers":12,"num_attention_heads":4,"num_key_value_heads":1,"head_dim":256,"sliding_window":512})");
  Options off;
  off.hybrid_manager = false;
  EXPECT_EQ(derive(gemma)->bytes_per_token, 2 * 2 * 256 * 2);
  EXPECT_EQ(derive(gemma, off)->bytes_per_token, 12 * 2 * 256 * 2);
  EXPECT_EQ(derive(gemma, off)->groups.size(), 1u);
}

TEST(Parallel, PipelineSplitAndSmallestRank) {
  using V = std::vector<std::int64_t>;
  EXPECT_EQ(pipeline_split(28, 1), (V{28}));
  EXPECT_EQ(pipeline_split(28, 3), (V{9, 10, 9}));
  EXPECT_EQ(pipeline_split(62, 4), (V{15, 16, 16, 15}));
  Json c = llama();
  c["num_hidden_layers"] = 61;
  const auto l = derive(c, options("bf16", 1, 4));
  ASSERT_TRUE(l);
  EXPECT_EQ(l->bytes_per_token_per_rank, 16 * 4096);
  EXPECT_EQ(l->bytes_per_token_all_ranks, 61 * 4096);
  EXPECT_EQ(l->bytes_per_token, 61 * 4096);
  // All ranks use the minimum: the one with most layers.
  EXPECT_EQ(gpu_blocks(*l, Bytes(16 * 4096 * 16 * 10 + 5))->v, 10);
}

TEST(Parallel, LatentsAreCopiedAndContextParallelDividesTokens) {
  const Json mla = Json::parse(R"({"model_type":"kimi_k2","num_hidden_layers":61,"num_attention_heads":64,"kv_lora_rank":512,"qk_rope_head_dim":64})");
  auto o = options("bf16", 8);
  EXPECT_EQ(derive(mla, o)->bytes_per_token_per_rank, 70'272);
  EXPECT_EQ(derive(mla, o)->bytes_per_token_all_ranks, 8 * 70'272);
  o.dcp = 8;
  EXPECT_EQ(derive(mla, o)->bytes_per_token_per_rank, 8'784);
  EXPECT_EQ(derive(mla, o)->bytes_per_token_all_ranks, 70'272);
  o.dcp = 3;
  EXPECT_FALSE(derive(mla, o));
}

// Logged on a real server: --kv-offloading-size 2.2 held 1,287 blocks and pinned 3.50 GiB; one tensor would be 4 GiB.
TEST(Host, ChunksAndPinnedMemoryAsMeasured) {
  const Json qwen = Json::parse(R"({"model_type":"qwen3","num_hidden_layers":28,"num_attention_heads":16,"num_key_value_heads":8,"head_dim":128,"hidden_size":1024})");
  const auto l = *derive(qwen);
  const Bytes asked(1287LL * 1'835'008);
  EXPECT_EQ(host_chunks(l, asked)->v, 1287);
  EXPECT_EQ(host_chunks(l, asked - Bytes(1))->v, 1286);
  EXPECT_EQ(host_chunks(l, asked, 3)->v, 429);
  EXPECT_EQ(pinned_host_bytes(l, asked)->v, 28LL * 134'217'728);
  EXPECT_EQ(pinned_host_bytes(l, asked, 1, true)->v, 4LL << 30);
  // 8B shape, 8,400 blocks: 36 GiB.
  Json big = qwen;
  big["num_hidden_layers"] = 36, big["num_attention_heads"] = 32;
  const auto b = *derive(big);
  EXPECT_EQ(pinned_host_bytes(b, Bytes(8'400 * block_bytes_all_ranks(b)))->v, 36LL << 30);
  EXPECT_EQ(host_chunks(l, Bytes(0))->v, 0);
  EXPECT_FALSE(host_chunks(l, asked, 0));
}

TEST(Host, ASmallChunkIsRoundedUpTo4096) {
  const Json tiny = Json::parse(R"({"num_hidden_layers":1,"num_attention_heads":1,"head_dim":8})");
  const auto l = *derive(tiny);
  EXPECT_EQ(block_bytes_all_ranks(l), 512);
  EXPECT_EQ(host_chunks(l, Bytes(8192))->v, 2);
}

TEST(ConfigTextRules, WordsInsideStringsStayAndPositionsAreTheSources) {
  const auto t = parse_config_text("{\"a\": \"NaN, // ,}\\\" Infinity\", \"b\": [-Infinity, NaN,], /* x\ny */ \"c\": 1,}", "x");
  ASSERT_TRUE(t) << t.error().sentence();
  EXPECT_EQ(t->value.at("a"), "NaN, // ,}\" Infinity");
  EXPECT_EQ(t->value.at("b"), (Json{"-Infinity", "NaN"}));
  EXPECT_FALSE(t->strict);
  EXPECT_EQ(t->notes.size(), 3u);
  EXPECT_TRUE(parse_config_text("{\"a\": 1}", "x")->strict);
  EXPECT_FALSE(parse_config_text("{\"a\": 1,, }", "x"));
  EXPECT_FALSE(parse_config_text("{\"a\": NaNny}", "x"));
  EXPECT_FALSE(parse_config_text("{} /* open", "x"));
  EXPECT_FALSE(parse_config_text("", "x"));
}

TEST(DimensionsForTimes, CountTheWeightsOneTokenPasses) {
  Json c = llama();
  c["intermediate_size"] = 14336;
  const auto d = derive(c)->dimensions;
  EXPECT_EQ(d.active_linear_parameters, 32LL * (4096LL * 128 * (2 * 32 + 2 * 8) + 3LL * 4096 * 14336));
  EXPECT_FALSE(derive(llama())->dimensions.active_linear_parameters);
  EXPECT_FALSE(derive(llama())->dimensions.why.empty());
}

}  // namespace
}  // namespace kvcliff::model
