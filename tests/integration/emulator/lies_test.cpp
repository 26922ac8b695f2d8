// SPDX-License-Identifier: GPL-3.0-or-later
// Every lie shows where it says it does, and an honest server shows none of it.
#include <gtest/gtest.h>

#include <chrono>

#include "emulator/lies.h"
#include "running_server.h"

namespace kvcliff::test {
namespace {

/// What a client can see of six visits (three documents, twice) on a pool of one and a tier for all.
struct Seen {
  std::vector<Streamed> streams;
  std::vector<std::map<std::string, double>> pages;  ///< settled, before the first and after each request
  std::string log;
};

Seen visit(const std::vector<std::string>& more) {
  std::vector<std::string> flags{"--num-gpu-blocks-override", "26", "--max-model-len", "400", "--kv-offloading-size", "0.001953125",
                                 "--enable-prompt-tokens-details", "--emulate-merge-tokens", "0", "--emulate-noise", "0"};
  flags.insert(flags.end(), more.begin(), more.end());
  RunningServer server(flags);
  Seen out;
  out.pages.push_back(server.settled());
  for (int i = 0; i < 6; ++i) {
    const Json body{{"model", "m"}, {"prompt", document(i % 3, 325)}, {"max_tokens", 6}, {"stream", true}, {"return_token_ids", true},
                    {"stream_options", {{"include_usage", true}}}};
    out.streams.push_back(read_stream(fetch(server.port(), "POST", "/v1/completions", body.dump(), "", 1'000)));
    auto page = server.metrics();
    for (int poll = 0; poll < 60; ++poll) {  // 0.3 s at most: a lie may keep it from settling
      auto next = server.metrics();
      const bool same = next == page && value(next, "vllm:num_requests_running") == 0;
      page = std::move(next);
      if (same && poll > 3) break;
    }
    out.pages.push_back(page);
  }
  out.log = server.child().output();
  return out;
}

double delta(const Seen& s, int request, const std::string& name, const std::string& extra = {}) {
  return value(s.pages[request + 1], name, extra) - value(s.pages[request], name, extra);
}
const std::string by = "vllm:prompt_tokens_by_source_total", local = "source=\"local_cache_hit\"", computed = "source=\"local_compute\"",
                  external = "source=\"external_kv_transfer\"", load = "vllm:kv_offload_load_bytes_total", store = "vllm:kv_offload_store_bytes_total",
                  old_bytes = "vllm:kv_offload_total_bytes_total", into = "transfer_type=\"CPU_to_GPU\"";
constexpr double block = 16'384;
std::int64_t cached(const Streamed& s) { return s.usage.at("prompt_tokens_details").at("cached_tokens").get<std::int64_t>(); }
Seen lying(const std::string& lie) { return visit({"--emulate-lie", lie}); }

TEST(Lies, AnHonestServerIsConsistentEverywhere) {
  const Seen s = visit({});
  for (int i = 0; i < 6; ++i) {
    const auto& stream = s.streams[i];
    EXPECT_TRUE(stream.done && stream.error.is_null());
    EXPECT_EQ(stream.ids.size(), 6u);
    EXPECT_EQ(stream.usages, 1);
    EXPECT_EQ(delta(s, i, by, computed), i < 3 ? 325 : 5) << i;
    EXPECT_EQ(delta(s, i, by, external), i < 3 ? 0 : 320) << i;
    EXPECT_EQ(delta(s, i, load), i < 3 ? 0 : 20 * block);
    EXPECT_EQ(delta(s, i, store), i < 3 ? 20 * block : 0);
    EXPECT_EQ(delta(s, i, old_bytes, into), delta(s, i, load));
    EXPECT_EQ(delta(s, i, "vllm:external_prefix_cache_hits_total"), delta(s, i, by, external));
    EXPECT_EQ(cached(stream), i < 3 ? 0 : 320);
    EXPECT_EQ(delta(s, i, "vllm:generation_tokens_total"), 6);
    EXPECT_EQ(delta(s, i, "vllm:prefix_cache_queries_total"), 325);
    EXPECT_EQ(delta(s, i, "vllm:num_preemptions_total"), 0);
  }
  EXPECT_EQ(s.pages[6].count("vllm:kv_offload_allocation_failure_total{" + base_label() + "}"), 0u);
}

TEST(Lies, CountersThatLie) {
  EXPECT_EQ(delta(lying("tier-off"), 4, by, computed), 325);
  const Seen warm = lying("warm-cache");
  EXPECT_EQ(delta(warm, 0, by, local), 320);
  EXPECT_EQ(delta(warm, 0, "vllm:prefix_cache_hits_total"), 320);
  EXPECT_EQ(delta(lying("double-count"), 4, by, external), 640);
  const Seen misbooked = lying("misbooked-source");
  EXPECT_EQ(delta(misbooked, 4, by, local), 320);
  EXPECT_EQ(delta(misbooked, 4, "vllm:external_prefix_cache_hits_total"), 320);
  const Seen announced = lying("external-not-loaded");
  EXPECT_EQ(delta(announced, 4, by, external), 320);
  EXPECT_EQ(delta(announced, 4, load), 0);
  EXPECT_EQ(delta(lying("bytes-short"), 4, load), 19 * block);
  EXPECT_EQ(delta(lying("bytes-long"), 4, load), 21 * block);
  EXPECT_EQ(delta(lying("store-bytes-short:1"), 1, store), 19 * block);
  const Seen two = lying("generations-differ");
  EXPECT_LT(delta(two, 4, old_bytes, into), delta(two, 4, load));
  EXPECT_EQ(delta(lying("generation-wrong"), 4, "vllm:generation_tokens_total"), 7);
  EXPECT_EQ(delta(lying("queries-wrong"), 4, "vllm:prefix_cache_queries_total"), 341);
  EXPECT_EQ(delta(lying("foreign-request"), 3, "vllm:prompt_tokens_total"), 425);
  EXPECT_LT(delta(lying("counter-reset"), 3, "vllm:prompt_tokens_total"), 0);
  const Seen again = lying("process-restarted");
  EXPECT_GT(again.pages[6].at("process_start_time_seconds"), again.pages[0].at("process_start_time_seconds"));
  const Seen alias = lying("aliased-metrics");
  EXPECT_LT(alias.pages[6].at("process_start_time_seconds"), alias.pages[0].at("process_start_time_seconds"));
  EXPECT_EQ(delta(lying("preemption"), 3, "vllm:num_preemptions_total"), 1);
  const Seen failed = lying("failed-stores:1");
  EXPECT_EQ(delta(failed, 1, "vllm:kv_offload_allocation_failure_total"), 1);
  EXPECT_EQ(delta(failed, 1, store), 0);
  EXPECT_EQ(delta(lying("skipped-stores:1"), 1, store), 0);
  EXPECT_EQ(delta(visit({"--emulate-lie", "late-counters", "--emulate-time-scale", "1"}), 4, load), 0);
}

TEST(Lies, BodiesThatLie) {
  EXPECT_FALSE(lying("cached-missing").streams[4].usage.contains("prompt_tokens_details"));
  EXPECT_EQ(cached(lying("cached-zero").streams[4]), 0);
  EXPECT_EQ(lying("usage-missing").streams[4].usages, 0);
  EXPECT_EQ(lying("usage-duplicate").streams[4].usages, 2);
  EXPECT_EQ(lying("usage-wrong").streams[4].usage["prompt_tokens"], 326);
  const Seen honest = visit({}), changed = lying("output-changed");
  EXPECT_EQ(changed.streams[1].ids, honest.streams[1].ids);
  EXPECT_NE(changed.streams[4].ids, honest.streams[4].ids);
}

TEST(Lies, StreamsThatLie) {
  const auto stuck = lying("stuck-request").streams[3];
  EXPECT_EQ(stuck.raw.status, 200);
  EXPECT_EQ(stuck.events, 0);
  const auto cut = lying("stream-cut").streams[3];
  EXPECT_FALSE(cut.raw.complete);
  EXPECT_EQ(cut.events, 3);
  const auto stall = lying("stream-stall").streams[3];
  EXPECT_FALSE(stall.done);
  EXPECT_EQ(stall.events, 4);
  EXPECT_EQ(lying("stream-coalesced").streams[4].events, 1);
  EXPECT_EQ(lying("role-only-first").streams[4].raw.chunks.size(), visit({}).streams[4].raw.chunks.size() + 1);
  EXPECT_EQ(lying("empty-tokens").streams[4].raw.chunks.size(), visit({}).streams[4].raw.chunks.size() + 2);
}

TEST(Lies, ConfigurationsThatLie) {
  const auto config = [](const Seen& s, const std::string& label) {
    for (const auto& [name, v] : s.pages[0])
      if (name.rfind("vllm:cache_config_info{", 0) == 0) return name.find("," + label + "\"") != name.npos || name.find("{" + label + "\"") != name.npos;
    return false;
  };
  EXPECT_TRUE(config(visit({}), "num_gpu_blocks=\"26"));
  EXPECT_TRUE(config(visit({"--emulate-lie", "smaller-cache", "--num-gpu-blocks-override", "40"}), "num_gpu_blocks=\"30"));
  const Seen hidden = visit({"--emulate-lie", "smaller-cache-hidden", "--num-gpu-blocks-override", "70"}), open = visit({"--num-gpu-blocks-override", "70"});
  EXPECT_TRUE(config(hidden, "num_gpu_blocks=\"70"));
  EXPECT_GT(delta(open, 4, by, local), delta(hidden, 4, by, local));
  EXPECT_TRUE(config(lying("block-size"), "block_size=\"32"));
}

TEST(Lies, TimesThatLie) {
  const auto ttft = [](const Seen& s, int request) { return delta(s, request, "vllm:time_to_first_token_seconds_sum"); };
  const auto slow = [](const std::vector<std::string>& flags) {
    std::vector<std::string> all{"--emulate-time-scale", "1"};  // well above what a busy machine adds
    all.insert(all.end(), flags.begin(), flags.end());
    return visit(all);
  };
  const Seen honest = slow({});
  EXPECT_GT(ttft(slow({"--emulate-lie", "offload-hurts"}), 4), ttft(honest, 4) + 0.005);
  EXPECT_GT(ttft(slow({"--emulate-lie", "slow-first-server"}), 0), ttft(honest, 0) * 1.5);
  EXPECT_GT(ttft(slow({"--emulate-lie", "drift", "--emulate-session", "20"}), 0), ttft(honest, 0) * 1.5);
  EXPECT_GT(ttft(slow({"--emulate-lie", "hit-without-speed"}), 4), ttft(honest, 4) + 0.001);
  const auto a = slow({"--emulate-session-effect", "0.5", "--emulate-noise-seed", "1"}), b = slow({"--emulate-session-effect", "0.5", "--emulate-noise-seed", "2"});
  EXPECT_GT(std::abs(ttft(a, 0) - ttft(b, 0)), 0.0005);
}

TEST(Lies, EveryLieOfTheTableIsAnnouncedInTheLogAndHasACheck) {
  for (const auto& e : emulator::lie_table()) {
    EXPECT_FALSE(e.what.empty());
    EXPECT_FALSE(e.caught_by.empty());
    EXPECT_TRUE(emulator::parse_lie(e.name)) << e.name;
  }
  EXPECT_NE(lying("bytes-short").log.find("this server lies on purpose: bytes-short"), std::string::npos);
  EXPECT_FALSE(emulator::parse_lie("bytes-short:x"));
  EXPECT_FALSE(emulator::parse_lie(""));
}

}  // namespace
}  // namespace kvcliff::test
