// SPDX-License-Identifier: GPL-3.0-or-later
// Real answers through the parser, against the numbers kept beside them.
#include <gtest/gtest.h>

#include <filesystem>

#include "support/data.h"
#include "wire/recording.h"

namespace kvcliff::wire {
namespace {
namespace fs = std::filesystem;

StreamRecord read(const fs::path& path) {
  auto r = read_stream_recording(test::read(fs::relative(path, test::data("")).string()), nullptr, path.string());
  if (!r) throw std::runtime_error(r.error().sentence());
  return r->record;
}

TEST(Recordings, EveryAnswerOfTheRealServerAgreesWithItsRecord) {
  int answers = 0, with_ids = 0;
  for (const char* folder : {"native16", "native16-out1", "native16-slow", "samples16", "vanilla32"}) {
    const fs::path dir = test::data(std::string("vllm-cpu/") + folder);
    const Json record = test::read_json(std::string("vllm-cpu/") + folder + "/record.json.zst");
    for (const auto& request : record.at("requests")) {
      char prefix[8];
      std::snprintf(prefix, sizeof prefix, "%02d-", request.at("i").get<int>());
      for (const auto& entry : fs::directory_iterator(dir)) {
        const std::string name = entry.path().filename().string();
        if (name.rfind(prefix, 0) != 0 || !name.ends_with(".http.zst")) continue;
        const StreamRecord r = read(entry.path());
        const Json& usage = request.at("usage");
        EXPECT_EQ(r.outcome, Outcome::complete) << name << r.why;
        EXPECT_TRUE(r.transport_clean) << name;
        EXPECT_EQ(r.parse_errors, 0) << name;
        EXPECT_EQ(r.usage.prompt_tokens, usage.at("prompt_tokens").get<std::int64_t>()) << name;
        EXPECT_EQ(r.usage.completion_tokens, usage.at("completion_tokens").get<std::int64_t>()) << name;
        if (usage.contains("prompt_tokens_details") && usage["prompt_tokens_details"].is_object()) {
          EXPECT_EQ(r.usage.cached_tokens, usage["prompt_tokens_details"].at("cached_tokens").get<std::int64_t>()) << name;
        }
        EXPECT_EQ(Json::parse(r.usage.raw), usage) << name;
        if (r.ids_returned) {
          ++with_ids;
          EXPECT_EQ(static_cast<std::int64_t>(r.token_ids.size()), *r.usage.completion_tokens) << name;
        }
        if (request.contains("metrics") && request["metrics"].is_object())
          for (const auto& [key, value] : request["metrics"].items())
            if (value.is_number()) {
              EXPECT_EQ(r.engine_timings.at(key), value.get<double>()) << name << key;
            }
        ++answers;
      }
    }
  }
  EXPECT_EQ(answers, 25 + 11 + 11 + 6 + 21);
  EXPECT_GT(with_ids, 50);
}

TEST(Recordings, LifecycleAnswersAreJudgedByTheirOutcome) {
  const auto outcome = [](const char* name) { return read(test::data(std::string("vllm-cpu/lifecycle/") + name)); };
  for (const char* ok : {"chat-stream-ok.http", "chat-stream-warm.http", "continuous-usage.http", "no-usage.http"}) {
    const auto r = outcome(ok);
    EXPECT_EQ(r.outcome, Outcome::complete) << ok << r.why;
    EXPECT_GT(r.content_events, 0) << ok;
  }
  EXPECT_EQ(outcome("no-usage.http").usage.prompt_tokens, std::nullopt);
  EXPECT_EQ(outcome("continuous-usage.http").usage.prompt_tokens, 200);
  EXPECT_FALSE(outcome("continuous-usage.http").usage.conflicting);
  const auto killed = outcome("kill-core.http");  // an error event, then [DONE], inside a 200
  EXPECT_EQ(killed.outcome, Outcome::error);
  EXPECT_EQ(killed.error_code, 500);
  EXPECT_TRUE(killed.saw_done);
  EXPECT_GT(killed.content_events, 0);
  EXPECT_EQ(outcome("sigterm-running.http").outcome, Outcome::truncated);
  for (const char* bad : {"bad-json.http", "too-long.http", "negative-max-tokens.http", "too-long-stream.http"}) {
    const auto r = outcome(bad);
    EXPECT_EQ(r.outcome, Outcome::error) << bad;
    EXPECT_EQ(r.http_status, 400) << bad;
    EXPECT_EQ(r.error_code, 400) << bad;
    EXPECT_FALSE(r.error_message.empty()) << bad;
  }
  EXPECT_EQ(outcome("no-such-path.http").error_message, "Not Found");
  EXPECT_EQ(outcome("non-stream-ok.http").outcome, Outcome::error);  // not a stream
}

TEST(Recordings, OtherEnginesDialects) {
  const auto sglang = read(test::data("engine-samples/sglang-hicache/chat-stream.sse"));
  EXPECT_EQ(sglang.outcome, Outcome::complete);
  EXPECT_EQ(sglang.usage.cached_tokens, 1152);
  EXPECT_EQ(sglang.usage.cached_by_tier.at("device"), 448);
  EXPECT_EQ(sglang.usage.cached_by_tier.at("host"), 704);
  const auto native = read(test::data("engine-samples/sglang-hicache/generate-stream.sse"));
  EXPECT_EQ(native.outcome, Outcome::complete) << native.why;
  EXPECT_EQ(native.text, " warm cache");
  EXPECT_EQ(native.usage.prompt_tokens, 1203);
  EXPECT_EQ(native.usage.cached_by_tier.at("host"), 704);
  const auto llama = read(test::data("engine-samples/llama-cpp/chat-stream.sse"));
  EXPECT_EQ(llama.engine_timings.at("cache_n"), 1202);
  EXPECT_EQ(llama.engine_timings.at("prompt_n"), 1);
  const auto sim = read(test::data("engine-samples/llm-d-inference-sim/chat-stream.sse"));
  EXPECT_EQ(sim.usage.blocks, 1);  // "usage": null on the others
  EXPECT_EQ(sim.usage.cached_tokens, 1200);
}

TEST(Recordings, EveryCutOfARealAnswerIsNeverCompleteWithoutItsFinishReason) {
  const std::string bytes = test::read("vllm-cpu/native16/00-A.http.zst");
  const std::size_t finish = bytes.find("\"finish_reason\":\"length\"");
  for (std::size_t n = 0; n < bytes.size(); n += n < 300 ? 1 : 13) {
    const auto r = read_stream_recording(bytes.substr(0, n), nullptr, "cut")->record;
    EXPECT_FALSE(r.transport_clean) << n;
    if (n < finish) {
      EXPECT_EQ(r.outcome, Outcome::truncated) << n;
    }
  }
  EXPECT_TRUE(read(test::data("vllm-cpu/native16/00-A.http.zst")).transport_clean);
}

}  // namespace
}  // namespace kvcliff::wire
