// SPDX-License-Identifier: GPL-3.0-or-later
// The emulator's parts without a server: command line, sizes, times, numbers of the metrics page.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "emulator/api.h"
#include "emulator/metrics.h"
#include "emulator/setup.h"
#include "emulator/text.h"
#include "support/data.h"

namespace kvcliff::emulator {
namespace {

Options parsed(std::vector<std::string> args) {
  auto p = parse_arguments(std::move(args), {});
  EXPECT_FALSE(p.exit_code) << p.err;
  return p.options;
}
double ms(TimeModel::Duration d) { return double(d.count()) / 1e6; }

TEST(MetricNumber, IsWrittenAsThePythonClientDoes) {
  EXPECT_EQ(metric_number(0), "0.0");
  EXPECT_EQ(metric_number(8105), "8105.0");
  EXPECT_EQ(metric_number(999999), "999999.0");
  EXPECT_EQ(metric_number(2293760), "2.29376e+06");
  EXPECT_EQ(metric_number(5505024000), "5.505024e+09");
  EXPECT_EQ(metric_number(1e10), "1e+010");
  EXPECT_EQ(metric_number(1.7961207107017865e9), "1.7961207107017865e+09");
  EXPECT_EQ(metric_number(0.3156642789990656), "0.3156642789990656");
  EXPECT_EQ(metric_number(1e-05), "1e-05");
  EXPECT_EQ(metric_number(0.0001), "0.0001");
  EXPECT_EQ(metric_number(-3), "-3.0");
  EXPECT_EQ(metric_number(std::numeric_limits<double>::infinity()), "+Inf");
  EXPECT_EQ(metric_number(std::nan("")), "NaN");
}

TEST(Setup, KvBytesFollowTheModelAndItsLaunch) {
  EXPECT_EQ(make_setup(parsed({"serve", "Qwen/Qwen3-0.6B"})).kv_bytes_per_token, 114'688);
  EXPECT_EQ(make_setup(parsed({"Qwen/Qwen3-8B"})).kv_bytes_per_token, 147'456);
  EXPECT_EQ(make_setup(parsed({"meta-llama/Llama-3.1-8B"})).kv_bytes_per_token, 131'072);
  EXPECT_EQ(make_setup(parsed({"Qwen/Qwen3-8B", "--kv-cache-dtype", "fp8"})).kv_bytes_per_token, 73'728);
  EXPECT_EQ(make_setup(parsed({"Qwen/Qwen3-8B", "-tp", "16"})).kv_bytes_per_token, 2 * 147'456);
  EXPECT_EQ(make_setup(parsed({test::data("vllm-cpu/models/tiny").string(), "--num-gpu-blocks-override", "66", "--max-model-len", "1040"})).kv_bytes_per_token, 1024);
}

TEST(Setup, TheReferencePlanHas384UsableBlocksAnd1250OnTheHost) {
  const auto s = make_setup(parsed({"qwen3-0.6b", "--num-gpu-blocks-override", "385", "--max-model-len", "2032", "--kv-transfer-config",
                                    R"({"kv_connector":"OffloadingConnector","kv_role":"kv_both","kv_connector_extra_config":{"cpu_bytes_to_use":2293760000}})"}));
  EXPECT_EQ(s.failure, "");
  EXPECT_EQ(s.cache.gpu_blocks, 384);
  EXPECT_EQ(s.cache.host_chunks, 1250);
  EXPECT_EQ(s.pinned_bytes, std::int64_t{28} << 27);  // 28 tensors of 78 MiB, each rounded up to 128 MiB
}

TEST(Setup, WhatARealServerRefusesIsRefused) {
  EXPECT_NE(make_setup(parsed({"tiny", "--num-gpu-blocks-override", "66", "--max-model-len", "1041"})).failure.find("estimated maximum model length is 1040"), std::string::npos);
  EXPECT_NE(make_setup(parsed({"no-such-model"})).failure, "");
  EXPECT_NE(make_setup(parsed({"tiny", "--num-gpu-blocks-override", "66", "--kv-transfer-config", R"({"kv_connector":"OffloadingConnector"})"})).failure, "");
  EXPECT_NE(make_setup(parsed({"tiny", "--num-gpu-blocks-override", "66", "--kv-offloading-size", "1e-9"})).failure, "");
  EXPECT_NE(make_setup(parsed({"tiny", "--num-gpu-blocks-override", "1"})).failure, "");
}

TEST(Timing, TheH200PresetGivesTheMeasuredTimesToFirstToken) {
  TimeModel::Settings settings;
  settings.timing = *find_preset("h200-8b");
  settings.noise = 0;
  TimeModel t(settings);
  for (const std::int64_t n : {1027, 2003, 4099, 8195}) {
    const double k = double(n) / 1e3;
    const TimeModel::Part whole{n, 0}, rest{3, n - 3};
    EXPECT_NEAR(ms(t.front_end(n)) + ms(t.step({&whole, 1}, 0, false)), 12.9 + 23.3 * k + 0.477 * k * k, 0.1) << n;
    EXPECT_NEAR(ms(t.front_end(n)) + ms(t.step({&rest, 1}, 0, false)), 17.7 + 1.37 * k, 0.1) << n;
    EXPECT_NEAR(ms(t.front_end(n)) + ms(t.load((n - 3) * 147'456)) + ms(t.step({&rest, 1}, 0, false)), 20.2 + 4.84 * k, 0.1) << n;
  }
  EXPECT_NEAR(ms(t.step({}, 1, false)), 4.8, 1e-6);
}

TEST(Timing, TheTierPaysOnTheDefaultPresetAndNotOnTheEagerOneAt2003Tokens) {
  const auto times = [](const char* name) {
    TimeModel::Settings settings;
    settings.timing = *find_preset(name);
    settings.noise = 0;
    TimeModel t(settings);
    const TimeModel::Part whole{2003, 0}, rest{3, 2000};
    return std::pair(ms(t.step({&whole, 1}, 0, false)), ms(t.load(2000 * 114'688)) + ms(t.step({&rest, 1}, 0, false)));
  };
  const auto paying = times("rtx5070"), not_paying = times("h200-0.6b-eager");
  EXPECT_GT(paying.first, 2 * paying.second);
  EXPECT_LT(not_paying.first, not_paying.second);
}

TEST(Timing, NoiseIsSeededAndTheScaleIsExact) {
  TimeModel::Settings settings;
  settings.timing = *find_preset("rtx5070");
  settings.seed = 7;
  TimeModel a(settings), b(settings);
  settings.seed = 8;
  TimeModel c(settings);
  const auto x = a.front_end(100);
  EXPECT_EQ(x, b.front_end(100));
  EXPECT_NE(x, c.front_end(100));
  settings.noise = 0;
  TimeModel one(settings);
  settings.scale = 0.01;
  TimeModel hundredth(settings);
  EXPECT_NEAR(ms(one.load(1 << 30)) / ms(hundredth.load(1 << 30)), 100, 1e-3);
}

TEST(Arguments, BadOnesAreNamedAndUnderscoresAreFine) {
  EXPECT_EQ(parsed({"tiny", "--num_gpu_blocks_override=70", "--max-model-len", "1k"}).max_model_len, 1000);
  EXPECT_EQ(parsed({"tiny", "--max-model-len", "1K"}).max_model_len, 1024);
  EXPECT_FALSE(parsed({"tiny", "--no-enable-prefix-caching"}).prefix_caching);
  for (const auto& bad : std::vector<std::vector<std::string>>{{"--port", "70000"}, {"--block-size", "0"}, {"--emulate-time-scale", "-1"}, {"--emulate-preset", "x"},
                                                              {"--emulate-fault", "kill-core:x"}, {"--kv-transfer-config", "[]"}, {"--emulate-generation", "0.99"},
                                                              {"--enforce-eager=1"}, {"tiny", "second"}, {"--gpu-memory-utilization", "nan"}}) {
    const auto p = parse_arguments(bad, {});
    EXPECT_EQ(p.exit_code, 2) << bad[0];
    EXPECT_NE(p.err.find("error:"), std::string::npos) << bad[0];
  }
}

TEST(Text, TokensReadBackAndKeysChainOverTheWholePrefix) {
  EXPECT_EQ(tokenize(detokenize(1202) + detokenize(300)), (std::vector<std::int32_t>{1202, 300}));
  EXPECT_EQ(tokenize("some text"), tokenize("some text"));
  std::vector<std::int32_t> tokens(48, 300);
  std::vector<std::uint64_t> a, b, salted;
  extend_keys(a, tokens, 16, "");
  tokens[0] = 301;
  extend_keys(b, tokens, 16, "");
  tokens[0] = 300;
  extend_keys(salted, tokens, 16, "s");
  ASSERT_EQ(a.size(), 3u);
  EXPECT_NE(a[2], b[2]);
  EXPECT_NE(a[0], salted[0]);
  EXPECT_NE(a[0], a[1]);
}

TEST(Requests, AnyBodyIsAnsweredWithoutACrash) {
  const Options o = parsed({"tiny", "--num-gpu-blocks-override", "66"});
  const auto s = make_setup(o);
  Rng rng(3);
  const std::string good = R"({"model":"tiny","prompt":[300,301],"max_tokens":3,"stream":true,"stream_options":{"include_usage":true}})";
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string body = good;
    for (std::uint64_t k = 0; k <= rng.below(4); ++k) body[rng.below(body.size())] = static_cast<char>(rng.below(256));
    const auto r = parse_request(body, i % 2 == 0, o, s);
    if (const auto* e = std::get_if<ApiError>(&r)) {
      ++refused;
      EXPECT_GE(e->status, 400);
      EXPECT_TRUE(Json::accept(e->body)) << body;
    }
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace kvcliff::emulator
