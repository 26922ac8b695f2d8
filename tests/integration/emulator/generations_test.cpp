// SPDX-License-Identifier: GPL-3.0-or-later
// What differs between releases: cache rules, names, usage details.
#include <gtest/gtest.h>

#include "running_server.h"

namespace kvcliff::test {
namespace {

// Sources of each request from usage (generations without by_source have no other witness per request).
std::vector<std::int64_t> cached(RunningServer& server, const std::vector<std::pair<int, int>>& visits) {
  std::vector<std::int64_t> out;
  for (const auto& [name, tokens] : visits) {
    const auto s = server.complete(document(name, tokens), 1);
    server.settled();
    out.push_back(s.usage.contains("prompt_tokens_details") ? s.usage["prompt_tokens_details"]["cached_tokens"].get<std::int64_t>() : 0);
  }
  return out;
}

TEST(Generations, TheFreeOrderOfPartialBlocksChangesWith023) {
  const std::vector<std::pair<int, int>> g09{{1, 65}, {2, 17}, {3, 17}, {1, 65}};
  const auto last = [&](const char* generation) {
    RunningServer server({"--emulate-generation", generation, "--num-gpu-blocks-override", "6", "--max-model-len", "80", "--enable-prompt-tokens-details"});
    return cached(server, g09).back();
  };
  EXPECT_EQ(last("0.22"), 16);  // 49 computed
  EXPECT_EQ(last("0.23"), 32);  // 33 computed
  EXPECT_EQ(last("0.32"), 32);
}

TEST(Generations, HostRecencyAtFinishFrom031) {
  const std::vector<std::pair<int, int>> h03{{1, 65}, {2, 65}, {3, 65}, {1, 65}, {2, 65}, {3, 65}};
  const auto last = [&](const char* generation) {
    RunningServer server({"--emulate-generation", generation, "--num-gpu-blocks-override", "6", "--max-model-len", "80", "--enable-prompt-tokens-details",
                          "--kv-transfer-config", R"({"kv_connector":"OffloadingConnector","kv_role":"kv_both","kv_connector_extra_config":{"cpu_bytes_to_use":163840}})"});
    auto all = cached(server, h03);
    return std::vector<std::int64_t>(all.end() - 3, all.end());
  };
  EXPECT_EQ(last("0.25"), (std::vector<std::int64_t>{32, 32, 32}));
  EXPECT_EQ(last("0.32"), (std::vector<std::int64_t>{32, 64, 64}));
}

TEST(Generations, CachedTokensAreLeftOutAtZeroUpTo023) {
  const auto usage = [](const char* generation, bool details) {
    std::vector<std::string> flags{"--emulate-generation", generation, "--num-gpu-blocks-override", "66"};
    if (details) flags.push_back("--enable-prompt-tokens-details");
    RunningServer server(flags);
    const Json cold = server.complete(document(1, 100), 2).usage;
    return std::pair(cold, server.complete(document(1, 100), 2).usage);
  };
  const auto old = usage("0.23", true), young = usage("0.24", true), without = usage("0.32", false);
  EXPECT_FALSE(old.first.contains("prompt_tokens_details"));
  EXPECT_EQ(old.second["prompt_tokens_details"]["cached_tokens"], 96);
  EXPECT_EQ(young.first["prompt_tokens_details"]["cached_tokens"], 0);
  EXPECT_EQ(young.second["prompt_tokens_details"]["cached_tokens"], 96);
  EXPECT_FALSE(without.second.contains("prompt_tokens_details"));
}

TEST(Generations, SeriesComeAndGoWithTheReleases) {
  const auto page = [](const char* generation) {
    const std::string flag = std::string(generation) >= "0.14" ? "cpu_bytes_to_use\":2097152" : "num_cpu_blocks\":128";
    RunningServer server({"--emulate-generation", generation, "--num-gpu-blocks-override", "66", "--kv-transfer-config",
                          "{\"kv_connector\":\"OffloadingConnector\",\"kv_connector_extra_config\":{\"" + flag + "}}"});
    server.complete(document(1, 320), 2);
    server.complete(document(1, 320), 2);
    server.settled();
    return server.metrics();
  };
  const std::string by = "vllm:prompt_tokens_by_source_total", rec = "vllm:prompt_tokens_recomputed_total{" + base_label() + "}";
  const auto has = [](const auto& p, const std::string& name) { return p.count(name + "{" + base_label() + "}") > 0; };
  const auto v10 = page("0.10"), v12 = page("0.12"), v18 = page("0.18"), v21 = page("0.21"), v26 = page("0.26"), v32 = page("0.32");
  EXPECT_TRUE(has(v10, "vllm:gpu_prefix_cache_hits_total"));
  EXPECT_FALSE(has(v10, "vllm:prefix_cache_hits_total"));
  EXPECT_FALSE(has(v10, "vllm:external_prefix_cache_hits_total"));
  EXPECT_TRUE(has(v12, "vllm:external_prefix_cache_hits_total"));
  EXPECT_EQ(value(v12, "vllm:external_prefix_cache_queries_total"), 640);  // the whole prompt each time
  EXPECT_EQ(value(v12, by, "source=\"local_compute\""), 0);
  // 0.18: 320 + (1 computed + 304 GPU + 16 host - 1 recomputed).
  EXPECT_EQ(value(v18, by, "source=\"local_compute\""), 321);
  EXPECT_EQ(v18.at(rec), 1);
  EXPECT_EQ(value(v21, by, "source=\"local_compute\""), 320);
  EXPECT_FALSE(v21.count(rec));
  EXPECT_TRUE(has(v26, "vllm:kv_offload_store_bytes_total"));
  EXPECT_FALSE(has(v21, "vllm:kv_offload_store_bytes_total"));
  EXPECT_EQ(value(v21, "vllm:kv_offload_total_bytes_total", "transfer_type=\"CPU_to_GPU\""), 16384);
  EXPECT_EQ(value(v32, "vllm:prompt_tokens_cached_by_source_total", "source=\"host\""), 16);
}

TEST(Generations, LookUpsOfAWaitingRequestCountAgainAndAgainBefore027) {
  const auto queries = [](const char* generation) {
    RunningServer server({"--emulate-generation", generation, "--num-gpu-blocks-override", "12", "--max-model-len", "160"});
    RawClient first(server.port());
    const Json body{{"model", "m"}, {"prompt", document(1, 100)}, {"max_tokens", 40}, {"stream", true}};
    first.send(http_request("POST", "/v1/completions", body.dump()));
    first.read_until("data: ", 10'000);
    server.complete(document(2, 100), 2);  // needs more blocks than are free until the first has ended
    first.read_until("[DONE]", 10'000);
    const auto page = server.settled();
    return value(page, "vllm:prefix_cache_queries_total");
  };
  EXPECT_EQ(queries("0.27"), 200);
  EXPECT_GT(queries("0.26"), 300);
}

}  // namespace
}  // namespace kvcliff::test
