// SPDX-License-Identifier: GPL-3.0-or-later
// Several requests at once, aborts, transfers that take time.
#include <gtest/gtest.h>

#include <thread>

#include "running_server.h"

namespace kvcliff::test {
namespace {

const std::vector<std::string> tiered{"--num-gpu-blocks-override", "66", "--max-model-len", "1040", "--kv-offloading-size", "0.001953125",
                                      "--enable-prompt-tokens-details"};
std::vector<std::string> plus(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
std::string body_of(const std::vector<std::int32_t>& prompt, int tokens) {
  return Json{{"model", "m"}, {"prompt", prompt}, {"max_tokens", tokens}, {"stream", true}, {"return_token_ids", true}, {"stream_options", {{"include_usage", true}}}}.dump();
}

class EitherCacheAtOnce : public testing::TestWithParam<Which> {};
INSTANTIATE_TEST_SUITE_P(Emulator, EitherCacheAtOnce, testing::Values(Which::shipped, Which::naive),
                         [](const auto& p) { return p.param == Which::shipped ? "Shipped" : "Naive"; });

TEST_P(EitherCacheAtOnce, FourHundredStreamsAllEndWholeAndTheCountersAddUp) {
  RunningServer server({"--num-gpu-blocks-override", "4000", "--max-num-seqs", "500", "--kv-offloading-size", "0.125", "--enable-prompt-tokens-details"}, GetParam());
  constexpr int n = 400;
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < n; ++i) clients.push_back(std::make_unique<RawClient>(server.port()));
  for (int i = 0; i < n; ++i) clients[i]->send(http_request("POST", "/v1/completions", body_of(document(i % 40, 100 + i), 32), "Connection: close\r\n"));
  std::int64_t prompt = 0, cached = 0, tokens = 0;
  for (int i = 0; i < n; ++i) {
    const auto s = read_stream(parse_answer(clients[i]->read_until("", 60'000)));
    ASSERT_TRUE(s.done && s.raw.complete) << i;
    EXPECT_EQ(s.ids.size(), 32u);
    EXPECT_EQ(s.usage["prompt_tokens"], 100 + i);
    prompt += s.usage["prompt_tokens"].get<std::int64_t>();
    cached += s.usage["prompt_tokens_details"]["cached_tokens"].get<std::int64_t>();
    tokens += s.usage["completion_tokens"].get<std::int64_t>();
  }
  const auto page = server.settled();
  EXPECT_EQ(value(page, "vllm:prompt_tokens_total"), prompt);
  EXPECT_EQ(value(page, "vllm:prompt_tokens_cached_total"), cached);
  EXPECT_GT(cached, 0);
  EXPECT_EQ(value(page, "vllm:generation_tokens_total"), tokens);
  const auto s = sources({}, page);
  EXPECT_EQ(s[0] + s[1] + s[2], prompt);
  EXPECT_EQ(value(page, "vllm:kv_cache_usage_perc"), 0);
}

TEST_P(EitherCacheAtOnce, ASmallPoolPreemptsAndEveryRequestStillEnds) {
  RunningServer server({"--num-gpu-blocks-override", "13", "--max-model-len", "160"}, GetParam());
  RawClient a(server.port()), b(server.port());
  a.send(http_request("POST", "/v1/completions", body_of(document(1, 60), 60), "Connection: close\r\n"));
  b.send(http_request("POST", "/v1/completions", body_of(document(2, 60), 90), "Connection: close\r\n"));
  const auto sa = read_stream(parse_answer(a.read_until("", 20'000))), sb = read_stream(parse_answer(b.read_until("", 20'000)));
  EXPECT_EQ(sa.ids.size(), 60u);
  EXPECT_EQ(sb.ids.size(), 90u);
  const auto page = server.settled();
  EXPECT_GT(value(page, "vllm:num_preemptions_total"), 0);
  EXPECT_EQ(value(page, "vllm:prompt_tokens_total"), 120);  // a resumed request is not counted again
  EXPECT_EQ(value(page, "vllm:prefix_cache_queries_total"), 120);
}

TEST_P(EitherCacheAtOnce, TwoRequestsForOneDocumentOnTheHostLoadItOnce) {
  RunningServer server(plus(tiered, {"--emulate-time-scale", "0.5"}), GetParam());
  server.complete(document(1, 325), 1);
  server.settled();
  fetch(server.port(), "POST", "/reset_prefix_cache");
  const auto before = server.settled();
  RawClient a(server.port()), b(server.port());
  const auto body = http_request("POST", "/v1/completions", body_of(document(1, 325), 4), "Connection: close\r\n");
  a.send(body);
  b.send(body);
  a.read_until("", 20'000);
  b.read_until("", 20'000);
  const auto s = sources(before, server.settled());
  EXPECT_EQ(s, (std::vector<std::int64_t>{10, 320, 320, 0}));
}

TEST(EmulatorMoments, AClosedConnectionFreesItsBlocksAndIsNotCountedAsFinished) {
  RunningServer server({"--num-gpu-blocks-override", "66", "--emulate-time-scale", "0.5"});
  {
    RawClient client(server.port());
    client.send(http_request("POST", "/v1/completions", body_of(document(1, 200), 800)));
    client.read_until("data: ", 10'000);
    EXPECT_GT(value(server.metrics(), "vllm:kv_cache_usage_perc"), 0);
  }
  const auto page = server.settled();
  EXPECT_EQ(value(page, "vllm:kv_cache_usage_perc"), 0);
  EXPECT_EQ(value(page, "vllm:prompt_tokens_total"), 200);
  for (const char* reason : {"abort", "length", "stop"})
    EXPECT_EQ(page.at(std::string("vllm:request_success_total{engine=\"0\",finished_reason=\"") + reason + "\",model_name=\"m\"}"), 0) << reason;
}

TEST(EmulatorMoments, HitsMoveAtAdmissionPromptTokensAtTheFirstTokenBytesWhenTheJobEnds) {
  // A link slowed down makes the load last; the counters of the admission are there long before it ends.
  RunningServer server(plus(tiered, {"--emulate-time-scale", "20", "--emulate-lie", "offload-hurts", "--emulate-startup-seconds", "0.003"}));
  server.complete(document(1, 325), 1);
  server.settled();
  fetch(server.port(), "POST", "/reset_prefix_cache");
  const auto before = server.settled();
  RawClient client(server.port());
  client.send(http_request("POST", "/v1/completions", body_of(document(1, 325), 2), "Connection: close\r\n"));
  bool seen = false;
  for (int i = 0; i < 2000 && !seen; ++i) {
    const auto page = server.metrics();
    seen = value(page, "vllm:external_prefix_cache_hits_total") == 320 && value(page, "vllm:prompt_tokens_total") == value(before, "vllm:prompt_tokens_total");
    if (seen) {
      EXPECT_EQ(value(page, "vllm:kv_offload_load_bytes_total"), 0);
      EXPECT_EQ(value(page, "vllm:kv_offload_cpu_cache_read_usage_perc"), 20.0 / 128);
      EXPECT_EQ(value(page, "vllm:num_requests_waiting"), 1);
    }
  }
  EXPECT_TRUE(seen);
  client.read_until("", 60'000);
  const auto after = server.settled();
  EXPECT_EQ(value(after, "vllm:kv_offload_load_bytes_total"), 320 * 1024);
  EXPECT_EQ(sources(before, after), (std::vector<std::int64_t>{5, 0, 320, 0}));
}

TEST(EmulatorMoments, APlainResetKeepsTheHostAndAnExternalOneDoesNot) {
  RunningServer server(tiered);
  const auto visit = [&] {
    const auto before = server.settled();
    server.complete(document(1, 205), 4);
    return sources(before, server.settled());
  };
  EXPECT_EQ(visit(), (std::vector<std::int64_t>{205, 0, 0, 12}));
  EXPECT_EQ(fetch(server.port(), "POST", "/reset_prefix_cache").body, "{\"success\":true}");
  EXPECT_EQ(visit(), (std::vector<std::int64_t>{13, 0, 192, 0}));
  EXPECT_EQ(fetch(server.port(), "POST", "/reset_prefix_cache?reset_external=true").body, "{\"success\":true}");
  EXPECT_EQ(visit(), (std::vector<std::int64_t>{205, 0, 0, 12}));
}

TEST(EmulatorMoments, SaltMakesAPromptColdAndEventsMergeTokens) {
  RunningServer server({"--num-gpu-blocks-override", "66", "--enable-prompt-tokens-details", "--emulate-merge-tokens", "1"});
  const auto a = server.complete(document(1, 100), 8), b = server.complete(document(1, 100), 8);
  const auto c = server.complete(document(1, 100), 8, {{"cache_salt", "other"}});
  EXPECT_EQ(b.usage["prompt_tokens_details"]["cached_tokens"], 96);
  EXPECT_EQ(c.usage["prompt_tokens_details"]["cached_tokens"], 0);
  EXPECT_EQ(a.ids, b.ids);  // the same answer, whatever the source
  EXPECT_EQ(a.ids.size(), 8u);
  EXPECT_LT(a.events, 8);   // the last two came in one event
}

TEST(EmulatorMoments, TheTimeScaleScalesTheServersOwnTimes) {
  const auto mean = [](const char* scale) {
    RunningServer server({"--num-gpu-blocks-override", "400", "--max-model-len", "4096", "--emulate-time-scale", scale, "--emulate-noise", "0"});
    server.complete(document(1, 2003), 2);
    const auto page = server.settled();
    return value(page, "vllm:time_to_first_token_seconds_sum");
  };
  const double fast = mean("0.1"), slow = mean("2");
  EXPECT_GT(slow, 0.150);          // 2 x (6 + 2 + 78.5) ms
  EXPECT_LT(fast, slow / 4);
}

TEST(EmulatorMoments, PromptsArriveInLargeBodiesWithExpectContinue) {
  RunningServer server({"--num-gpu-blocks-override", "4000"}, Which::shipped, "qwen3-0.6b");
  RawClient client(server.port());
  const std::string body = body_of(document(3, 30'000), 2);
  client.send("POST /v1/completions HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: " +
              std::to_string(body.size()) + "\r\n\r\n");
  client.read_until("HTTP/1.1 100 Continue\r\n\r\n", 10'000);
  ASSERT_EQ(client.data(), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send(body);
  const auto s = read_stream(parse_answer(client.read_until("", 30'000).substr(25)));
  EXPECT_TRUE(s.done);
  EXPECT_EQ(s.usage["prompt_tokens"], 30'000);
}

}  // namespace
}  // namespace kvcliff::test
