// SPDX-License-Identifier: GPL-3.0-or-later
// The emulator does what a live vLLM 0.32.0 did: same requests, same counters, same words.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "running_server.h"
#include "support/data.h"

namespace kvcliff::test {
namespace {

const std::vector<std::string> native16{"--block-size", "16", "--num-gpu-blocks-override", "66", "--max-model-len", "1040", "--max-num-seqs", "4",
                                        "--kv-offloading-size", "0.001953125", "--kv-offloading-backend", "native", "--enable-prompt-tokens-details",
                                        "--enable-request-id-headers", "--enable-per-request-metrics"};

class EitherCache : public testing::TestWithParam<Which> {};
INSTANTIATE_TEST_SUITE_P(Emulator, EitherCache, testing::Values(Which::shipped, Which::naive),
                         [](const auto& p) { return p.param == Which::shipped ? "Shipped" : "Naive"; });

TEST_P(EitherCache, The25RecordedRequestsGiveTheRecordedSources) {
  const Json record = read_json("vllm-cpu/native16/record.json.zst");
  RunningServer server(native16, GetParam());
  ASSERT_TRUE(server.ready());
  auto before = server.settled();
  int compared = 0;
  for (const auto& r : record["requests"]) {
    const std::string name = fmt::format("vllm-cpu/native16/{:02d}-{}", r["i"].get<int>(), r["doc"].get<std::string>());
    const Json body = read_json(name + ".request.json.zst");
    const auto raw = fetch(server.port(), "POST", "/v1/completions", body.dump());
    const Streamed s = read_stream(raw);
    EXPECT_TRUE(s.done) << name;
    const auto after = server.settled();
    std::vector<std::int64_t> got;
    for (const auto& v : r["got"]) got.push_back(static_cast<std::int64_t>(v.get<double>()));
    EXPECT_EQ(sources(before, after), got) << name;
    EXPECT_EQ(s.usage, r["usage"]) << name;
    EXPECT_EQ(s.ids.size(), 16u) << name;
    before = after;
    ++compared;
  }
  EXPECT_EQ(compared, 25);
  // Totals as in the recording's last page, for every counter of both.
  const auto live = read_samples(read("vllm-cpu/native16/metrics-final.txt.zst"));
  int equal = 0;
  for (const auto& [name, v] : live) {
    if (name.find("_total{") == name.npos || name.find("time_total") != name.npos || name.rfind("vllm:", 0) != 0) continue;
    if (name.find("per_gpu") != name.npos || name.find("mm_cache") != name.npos || name.find("iteration") != name.npos) continue;
    ASSERT_TRUE(before.count(name)) << name;
    EXPECT_EQ(before.at(name), v) << name;
    ++equal;
  }
  EXPECT_GT(equal, 20);
}

// The reference plan by hand: off on on off, then the control; 78 requests.
TEST_P(EitherCache, TheReferencePlanGivesItsTotals) {
  for (const char* generation : {"0.21", "0.26", "0.32"}) {
    std::vector<std::int64_t> total(4, 0);
    double loaded = 0;
    int requests = 0;
    for (const auto& [tier, documents] : std::vector<std::pair<bool, int>>{{false, 6}, {true, 6}, {true, 6}, {false, 6}, {false, 2}}) {
      std::vector<std::string> flags{"--block-size", "16", "--num-gpu-blocks-override", "385", "--max-model-len", "2032", "--emulate-generation", generation,
                                     "--enable-prompt-tokens-details"};
      if (tier) {
        flags.push_back("--kv-transfer-config");
        flags.push_back(R"({"kv_connector":"OffloadingConnector","kv_role":"kv_both","kv_connector_extra_config":{"cpu_bytes_to_use":2293760000,"offload_prompt_only":true,"eviction_policy":"lru"}})");
      }
      RunningServer server(flags, GetParam(), "qwen3-0.6b");
      for (int round = 0; round < 3; ++round)
        for (int d = 0; d < documents; ++d, ++requests) {
          EXPECT_TRUE(server.complete(document(d, 2003), 16).done);
          server.settled();
        }
      const auto page = server.settled();
      const auto s = sources({}, page);
      for (int i = 0; i < 4; ++i) total[i] += s[i];
      loaded += value(page, "vllm:kv_offload_total_bytes_total", "transfer_type=\"CPU_to_GPU\"");
    }
    EXPECT_EQ(requests, 78);
    EXPECT_EQ(total, (std::vector<std::int64_t>{100'234, 8'000, 48'000, 2 * 6 * 125 * std::int64_t{112}})) << generation;
    EXPECT_EQ(loaded, 5'505'024'000.0) << generation;
  }
}

// Keys in order, without values: the shape of a JSON text.
std::string skeleton(const OrderedJson& j) {
  if (j.is_object()) {
    std::string out = "{";
    for (const auto& [key, v] : j.items()) out += key + ":" + skeleton(v) + ",";
    return out + "}";
  }
  if (j.is_array()) return j.empty() || !j[0].is_object() ? "[]" : "[" + skeleton(j[0]) + "]";
  return "";
}
// The shapes of all events in order; repeated ones once.
std::vector<std::string> shapes(const RawAnswer& raw) {
  std::vector<std::string> out;
  for (const auto& chunk : raw.chunks) {
    const std::string text = chunk.substr(6, chunk.size() - 8);
    const std::string s = text == "[DONE]" ? text : skeleton(OrderedJson::parse(text));
    if (out.empty() || out.back() != s) out.push_back(s);
  }
  return out;
}

TEST(EmulatorWords, EventsHaveTheKeysOfTheRecordingInItsOrderAndOneChunkEach) {
  RunningServer server(native16);
  const auto live = parse_answer(read("vllm-cpu/native16/00-A.http.zst"));
  const auto ours = fetch(server.port(), "POST", "/v1/completions", read("vllm-cpu/native16/00-A.request.json.zst"));
  ASSERT_FALSE(live.chunks.empty());
  EXPECT_EQ(shapes(ours), shapes(live));
  for (const auto& chunk : ours.chunks) EXPECT_EQ(chunk.substr(chunk.size() - 2), "\n\n");
  EXPECT_NE(ours.head.find("content-type: text/event-stream; charset=utf-8"), std::string::npos);
}

TEST(EmulatorWords, ChatEventsHaveTheKeysOfTheRecording) {
  std::vector<std::string> flags{"--max-model-len", "1024", "--num-gpu-blocks-override", "66", "--enable-prompt-tokens-details"};
  RunningServer server(flags);
  const Json body{{"model", "m"}, {"messages", {{{"role", "user"}, {"content", "some words that are long enough for a block or more, and then some"}}}},
                  {"max_tokens", 3}, {"stream", true}, {"stream_options", {{"include_usage", true}}}, {"return_token_ids", true}};
  EXPECT_EQ(shapes(fetch(server.port(), "POST", "/v1/chat/completions", body.dump())), shapes(parse_answer(read("vllm-cpu/lifecycle/chat-stream-ok.http"))));
}

TEST(EmulatorWords, ErrorsAreThoseOfTheRecordings) {
  RunningServer server({"--max-model-len", "1024", "--num-gpu-blocks-override", "66", "--enable-prompt-tokens-details"});
  const auto p = document(1, 200);
  const std::vector<std::pair<std::string, std::string>> cases{
      {"bad-json", "{bad"},
      {"bad-model", Json{{"model", "nope"}, {"prompt", p}}.dump()},
      {"empty-prompt", Json{{"model", "m"}, {"prompt", Json::array()}}.dump()},
      {"missing-prompt", Json{{"model", "m"}}.dump()},
      {"negative-max-tokens", Json{{"model", "m"}, {"prompt", p}, {"max_tokens", -1}}.dump()},
      {"stream-options-without-stream", Json{{"model", "m"}, {"prompt", p}, {"stream_options", {{"include_usage", true}}}}.dump()},
      {"token-out-of-range", Json{{"model", "m"}, {"prompt", {300, 999999}}}.dump()},
      {"too-long", Json{{"model", "m"}, {"prompt", document(1, 1025)}}.dump()},
      {"too-long-stream", Json{{"model", "m"}, {"prompt", document(1, 1300)}, {"stream", true}}.dump()},
  };
  for (const auto& [name, body] : cases) {
    const auto live = parse_answer(read("vllm-cpu/lifecycle/" + name + ".http"));
    const auto ours = fetch(server.port(), "POST", "/v1/completions", body);
    EXPECT_EQ(ours.status, live.status) << name;
    EXPECT_EQ(ours.body, live.body.substr(0, live.body.find_last_not_of("\r\n") + 1)) << name;
  }
  EXPECT_EQ(fetch(server.port(), "GET", "/no/such/path").body, "{\"detail\":\"Not Found\"}");
  // A prompt that fits with an output that does not is cut short without a word.
  const auto shortened = server.complete(document(1, 1020), 16);
  EXPECT_EQ(shortened.ids.size(), 4u);
  EXPECT_EQ(shortened.finish, "length");
}

TEST(EmulatorWords, TheMetricsPageUsesOnlyTheSeriesAndLabelsOfTheRecording) {
  RunningServer server(native16);
  for (int i = 0; i < 6; ++i) server.complete(document(i, 325), 16);
  server.complete(document(0, 325), 4);
  server.settled();
  const auto strip = [](const std::string& page) {
    std::set<std::string> out;
    for (const auto& [name, v] : read_samples(page))
      if (name.rfind("vllm:", 0) == 0 && name.find("cache_config_info") == name.npos) out.insert(name);
    return out;
  };
  const auto ours = strip(fetch(server.port(), "GET", "/metrics").body), live = strip(read("vllm-cpu/native16/metrics-final.txt.zst"));
  for (const auto& name : ours) EXPECT_TRUE(live.count(name)) << name;
  for (const auto& name : live) {
    if (name.find("per_gpu") != name.npos || name.find("mm_cache") != name.npos || name.find("sleep_state") != name.npos) continue;
    EXPECT_TRUE(ours.count(name)) << "missing: " << name;
  }
  const auto head = fetch(server.port(), "GET", "/metrics").head;
  EXPECT_NE(head.find("content-type: text/plain; version=1.0.0; charset=utf-8"), std::string::npos);
}

TEST(EmulatorWords, BeforeTheFirstTransferTheNewByteCountersHaveATypeButNoSample) {
  RunningServer server(native16);
  const auto page = fetch(server.port(), "GET", "/metrics").body;
  EXPECT_NE(page.find("# TYPE vllm:kv_offload_load_bytes_total counter\n"), std::string::npos);
  EXPECT_EQ(page.find("\nvllm:kv_offload_load_bytes_total{"), std::string::npos);
  EXPECT_NE(page.find("\nvllm:kv_offload_total_bytes_total{engine=\"0\",model_name=\"m\",transfer_type=\"CPU_to_GPU\"} 0.0\n"), std::string::npos);
}

}  // namespace
}  // namespace kvcliff::test
