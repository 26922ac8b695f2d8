// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/file.h"
#include "engine/adapter.h"
#include "engine/tables/capabilities.h"
#include "engine/tables/interpret.h"
#include "engine/vllm/adapter.h"
#include "engine/vllm/flags.h"
#include "engine/vllm/log_facts.h"
#include "process/launcher.h"
#include "support/data.h"

namespace kvcliff::engine::vllm {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

plan::Plan reference() {
  plan::Plan p;
  p.capacity.host_bytes = 2293760000;
  return p;
}

std::string value_of(const std::vector<std::string>& argv, const std::string& flag) {
  const auto it = std::find(argv.begin(), argv.end(), flag);
  return it == argv.end() || it + 1 == argv.end() ? "" : *(it + 1);
}

TEST(CommandLine, HoldsEverythingOfThePlanExactly) {
  CommandOptions options;
  options.block_bytes_per_rank = 1835008;
  const auto c = serve_command(reference(), true, {"127.0.0.1", 8123}, options);
  ASSERT_TRUE(c) << c.error().sentence();
  EXPECT_EQ(c->argv[0], "vllm");
  EXPECT_EQ(c->argv[1], "serve");
  EXPECT_EQ(value_of(c->argv, "--port"), "8123");
  EXPECT_EQ(value_of(c->argv, "--block-size"), "16");
  EXPECT_EQ(value_of(c->argv, "--num-gpu-blocks-override"), "385");
  EXPECT_EQ(value_of(c->argv, "--kv-cache-memory-bytes"), std::to_string(385 * 1835008));
  EXPECT_EQ(value_of(c->argv, "--max-model-len"), "2032");  // 2003 + 16 in whole blocks
  EXPECT_EQ(value_of(c->argv, "--load-format"), "dummy");
  EXPECT_THAT(c->argv, Contains("--enable-prompt-tokens-details"));
  EXPECT_THAT(c->argv, Contains("--enable-request-id-headers"));
  EXPECT_THAT(c->argv, Not(Contains("--enable-force-include-usage")));
  EXPECT_THAT(c->argv, Not(Contains("--disable-log-stats")));
  EXPECT_EQ(Json::parse(value_of(c->argv, "--kv-transfer-config")),
            Json::parse(R"({"kv_connector":"OffloadingConnector","kv_role":"kv_both","kv_connector_extra_config":
                            {"cpu_bytes_to_use":2293760000,"offload_prompt_only":true,"eviction_policy":"lru"}})"));
  EXPECT_EQ(c->env_set.at("VLLM_SERVER_DEV_MODE"), "1");
  EXPECT_EQ(c->env_set.at("VLLM_USE_RUST_FRONTEND"), "0");
  EXPECT_THAT(c->env_unset, Contains("VLLM_USE_SIMPLE_KV_OFFLOAD"));
  EXPECT_THAT(c->env_unset, Contains("PROMETHEUS_MULTIPROC_DIR"));
}

TEST(CommandLine, TheArmsDifferInOffloadSettingsOnly) {
  const auto on = serve_command(reference(), true, {"127.0.0.1", 1}, {});
  const auto off = serve_command(reference(), false, {"127.0.0.1", 1}, {});
  ASSERT_TRUE(on && off);
  std::vector<std::string> stripped;
  for (std::size_t i = 0; i < on->argv.size(); ++i) {
    if (is_offload_setting(on->argv[i])) ++i;
    else stripped.push_back(on->argv[i]);
  }
  EXPECT_EQ(stripped, off->argv);
  EXPECT_EQ(on->env_set, off->env_set);
  EXPECT_EQ(on->env_unset, off->env_unset);
  for (const char* s : {"--kv-transfer-config", "--kv-offloading-size", "--kv-offloading-size=2", "--kv-offloading-backend"})
    EXPECT_TRUE(is_offload_setting(s)) << s;
  EXPECT_FALSE(is_offload_setting("--block-size"));
}

TEST(CommandLine, PoliciesAndChunksAreSaid) {
  auto p = reference();
  p.capacity.offload = {false, "arc", 4};
  const auto c = serve_command(p, true, {"127.0.0.1", 1}, {});
  const auto extra = Json::parse(value_of(c->argv, "--kv-transfer-config")).at("kv_connector_extra_config");
  EXPECT_EQ(extra, Json::parse(R"({"cpu_bytes_to_use":2293760000,"offload_prompt_only":false,"eviction_policy":"arc","blocks_per_chunk":4})"));
}

TEST(CommandLine, TheUsersOwnArgumentsWin) {
  auto p = reference();
  p.engine.extra_args = {"--seed", "7", "--enforce-eager"};
  p.engine.extra_env = {{"VLLM_API_KEY", "k"}};
  const auto c = serve_command(p, false, {"127.0.0.1", 1}, {});
  EXPECT_EQ(std::count(c->argv.begin(), c->argv.end(), "--seed"), 1);
  EXPECT_EQ(value_of(c->argv, "--seed"), "7");
  EXPECT_EQ(c->env_set.at("VLLM_API_KEY"), "k");
  EXPECT_THAT(c->env_unset, Not(Contains("VLLM_API_KEY")));
}

// Each of these made a real vLLM 0.32 end, or say something that the plan had taken back.
TEST(CommandLine, WhatTheUserSwitchesOffIsNotSwitchedOnBesides) {
  CommandOptions o;
  auto p = reference();
  const auto all = serve_command(p, false, {"127.0.0.1", 1}, {});
  o.accepted = std::set<std::string>(all->argv.begin(), all->argv.end());
  o.accepted->insert("--enable-per-request-metrics");
  EXPECT_THAT(serve_command(p, false, {"127.0.0.1", 1}, o)->argv, Contains("--enable-per-request-metrics"));
  p.engine.extra_args = {"--disable-log-stats"};
  EXPECT_THAT(serve_command(p, false, {"127.0.0.1", 1}, o)->argv, Not(Contains("--enable-per-request-metrics"))) << "it wants statistics";
  p.engine.extra_args = {"--no-enable-prompt-tokens-details", "--no-enable-prefix-caching"};
  const auto off = serve_command(p, false, {"127.0.0.1", 1}, o);
  EXPECT_THAT(off->argv, Not(Contains("--enable-prompt-tokens-details")));
  EXPECT_THAT(off->argv, Not(Contains("--enable-prefix-caching")));
}

TEST(CommandLine, WhatTheProgramDoesNotKnowIsLeftOutOrRefused) {
  CommandOptions o;
  o.accepted = std::set<std::string>{"--served-model-name", "--host", "--port", "--load-format", "--seed", "--block-size",
                                     "--num-gpu-blocks-override", "--max-model-len", "--enable-per-request-metrics"};
  const auto off = serve_command(reference(), false, {"127.0.0.1", 1}, o);
  ASSERT_TRUE(off) << off.error().sentence();
  EXPECT_THAT(off->argv, Not(Contains("--enable-prompt-tokens-details")));
  EXPECT_THAT(off->argv, Contains("--enable-per-request-metrics"));
  const auto on = serve_command(reference(), true, {"127.0.0.1", 1}, o);
  ASSERT_FALSE(on);
  EXPECT_EQ(on.error().code, ErrorCode::unsupported);
  EXPECT_THAT(on.error().sentence(), HasSubstr("--kv-transfer-config"));
}

TEST(CommandLine, FaultsAreErrorsNotCommands) {
  auto p = reference();
  p.capacity.host_bytes = 0;
  EXPECT_EQ(serve_command(p, true, {}, {}).error().code, ErrorCode::bad_usage);
  EXPECT_TRUE(serve_command(p, false, {}, {}));
  p = reference();
  p.engine.version = "0.12.0";
  EXPECT_EQ(serve_command(p, true, {}, {}).error().code, ErrorCode::unsupported);
  p = reference();
  p.model.id.clear();
  EXPECT_EQ(serve_command(p, false, {}, {}).error().code, ErrorCode::bad_usage);
}

TEST(CommandLine, AModelFolderIsNamedByItsConfig) {
  test::TempDir dir;
  std::filesystem::copy_file(test::data("vllm-cpu/models/tiny/config.json"), dir / "config.json");
  auto p = reference();
  p.model.config = (dir / "config.json").string();
  const auto c = VllmAdapter(Kind::vllm).command(p, false, {"127.0.0.1", 1});
  ASSERT_TRUE(c) << c.error().sentence();
  EXPECT_EQ(c->argv[2], dir.path().string());
  EXPECT_EQ(c->env_set.at("HF_HUB_OFFLINE"), "1");
  // tiny: 2 layers x 2 heads x 64 x 2 x 2 bytes = 1,024 bytes per token
  EXPECT_EQ(value_of(c->argv, "--kv-cache-memory-bytes"), std::to_string(385 * 16 * 1024));
  EXPECT_EQ(value_of(c->argv, "--served-model-name"), dir.path().filename().string());
}

TEST(CommandLine, CatalogueIdsBecomeHubNames) {
  const auto resources = std::string(KVCLIFF_SOURCE_DIR) + "/resources";
  const auto c = VllmAdapter(Kind::vllm, resources).command(reference(), false, {"127.0.0.1", 1});
  ASSERT_TRUE(c);
  EXPECT_EQ(c->argv[2], "Qwen/Qwen3-0.6B");
  EXPECT_EQ(value_of(c->argv, "--kv-cache-memory-bytes"), std::to_string(385LL * 16 * 114688));
  EXPECT_EQ(value_of(c->argv, "--served-model-name"), "qwen3-0.6b");
}

TEST(CommandLine, MultiTurnSequencesGrow) {
  auto p = reference();
  p.workload.kind = workload::Spec::Kind::sessions;
  p.workload.tokens = 1000;
  p.workload.rounds = 3;
  p.workload.turn_tokens = 200;
  EXPECT_EQ(longest_sequence(p), 1648);  // 1000 + 3 x 216
  p.workload.kind = workload::Spec::Kind::trace;
  EXPECT_FALSE(longest_sequence(p));
}

TEST(Body, IsOneExactCompletion) {
  const std::vector<std::int32_t> ids{258, 0, 151935};
  const auto j = Json::parse(completion_body("a \"b\"", ids, 16, "s1"));
  EXPECT_EQ(j.at("model"), "a \"b\"");
  EXPECT_EQ(j.at("prompt"), Json::parse("[258,0,151935]"));
  EXPECT_EQ(j.at("max_tokens"), 16);
  EXPECT_EQ(j.at("min_tokens"), 16);
  EXPECT_EQ(j.at("ignore_eos"), true);
  EXPECT_EQ(j.at("temperature"), 0);
  EXPECT_EQ(j.at("stream_options"), Json::parse(R"({"include_usage":true})"));
  EXPECT_EQ(j.at("cache_salt"), "s1");
  EXPECT_FALSE(Json::parse(completion_body("m", ids, 1, "")).contains("cache_salt"));
}

TEST(Flags, AreReadFromHelpInAllItsForms) {
  const auto f = flags_in_help("  --port PORT  Port.\n  --enable-prefix-caching, --no-enable-prefix-caching\n text--not-a-flag, see --help=all. -- \n  --kv-transfer-config.\n");
  EXPECT_EQ(f, (std::set<std::string>{"--port", "--enable-prefix-caching", "--no-enable-prefix-caching", "--help", "--kv-transfer-config"}));
}

net::HttpAnswer answer(int status, std::string type, std::string body) {
  net::HttpAnswer a;
  a.status = status;
  a.content_type = std::move(type);
  a.body = std::move(body);
  return a;
}

TEST(Flags, AProgramThatDiesIsQuotedWithItsExitCode) {
  const auto launcher = process::make_local_launcher();
  const auto r = probe_flags(*launcher, {.argv = {"sh", "-c", "echo 'ImportError: libcuda.so.1' >&2; exit 7"}}, std::chrono::seconds(60));
  ASSERT_FALSE(r);
  EXPECT_THAT(r.error().sentence(), AllOf(HasSubstr("exit code 7"), HasSubstr("ImportError: libcuda.so.1")));
  const auto quiet = probe_flags(*launcher, {.argv = {"sh", "-c", "kill -9 $$"}}, std::chrono::seconds(60));
  ASSERT_FALSE(quiet);
  EXPECT_THAT(quiet.error().sentence(), AllOf(HasSubstr("signal 9"), HasSubstr("it said nothing")));
}

TEST(Program, AFileThatIsNotExecutableIsSaidSo) {
  const test::TempDir dir;
  ASSERT_TRUE(write_file(dir / "vllm", "#!/bin/sh\n"));
  const auto r = program_of(Kind::vllm, (dir / "vllm").string());
  ASSERT_FALSE(r);
  EXPECT_THAT(r.error().sentence(), HasSubstr("not executable"));
}

TEST(Interpret, AnythingButAPageIsAFailedScrape) {
  const VllmAdapter v(Kind::vllm);
  EXPECT_EQ(v.interpret(answer(500, "text/plain", "Internal Server Error"), "").error, "HTTP 500");
  EXPECT_EQ(v.interpret(answer(200, "text/html", "<!doctype html>"), "").error, "not a metrics page");
  EXPECT_EQ(v.interpret(answer(200, "text/plain", " \n"), "").error, "the metrics page is empty");
  EXPECT_FALSE(v.interpret(answer(200, "text/plain", "hello there everyone\n"), "").good());
  const auto good = v.interpret(answer(200, "text/plain", test::read("vllm-gpu/samples/metrics-B1-last.txt.zst")), "kv");
  ASSERT_TRUE(good.good()) << good.error;
  EXPECT_EQ(good.value("kv_offload_load_bytes"), 2981888000.0);
  EXPECT_EQ(good.generation, "0.26-0.31");
  EXPECT_EQ(good.parse_errors, 0);
  const auto other = v.interpret(answer(200, "text/plain", test::read("vllm-gpu/samples/metrics-B1-last.txt.zst")), "nope");
  EXPECT_THAT(other.error, HasSubstr("\"kv\""));
}

TEST(Interpret, ALastLineWithoutAnEndCountsOnlyWhereTheLengthWasStated) {
  const VllmAdapter v(Kind::vllm);
  net::HttpAnswer page = answer(200, "text/plain", "vllm:num_preemptions_total 3\nvllm:prompt_tokens_total 1024");
  EXPECT_FALSE(v.interpret(page, "").value("prompt_tokens")) << "it may be the beginning of a longer number";
  page.headers = {{"Content-Length", "60"}};
  EXPECT_EQ(v.interpret(page, "").value("prompt_tokens"), 1024.0);
}

CounterSnapshot sample(const std::string& name) {
  return tables::interpret(wire::parse_prometheus(test::read(name), true));
}

TEST(Capabilities, FollowThePageAndNameWhatIsMissing) {
  const auto full = tables::from_metrics(sample("vllm-gpu/samples/metrics-B1-last.txt.zst"));
  for (const char* c : {"sources", "load_bytes", "store_bytes", "two_byte_generations", "transfers_pinned", "process_start", "cache_config"})
    EXPECT_TRUE(full.at(c).present) << c << ": " << full.at(c).how;
  const auto without_tier = tables::from_metrics(sample("vllm-gpu/samples/metrics-A1-last.txt.zst"));
  EXPECT_TRUE(without_tier.at("sources").present);
  for (const char* c : {"load_bytes", "store_bytes", "two_byte_generations", "allocation_failures"}) {
    EXPECT_FALSE(without_tier.at(c).present) << c;
    EXPECT_FALSE(without_tier.at(c).how.empty()) << c;
  }
  const auto simple = tables::from_metrics(sample("vllm-gpu/samples/metrics-simple-last.txt.zst"));
  EXPECT_FALSE(simple.at("load_bytes").present);
  const auto old = tables::from_metrics(sample("cases/040-hits-in-blocks-not-tokens/after.prom"));
  EXPECT_FALSE(old.at("sources").present);
  EXPECT_TRUE(old.at("prefix_lookups").present);
  CounterSnapshot failed;
  failed.error = "HTTP 500";
  for (const auto& [name, c] : tables::from_metrics(failed)) {
    if (name == "two_byte_generations") continue;
    EXPECT_FALSE(c.present) << name;
    EXPECT_EQ(c.how, "HTTP 500") << name;
  }
  for (const auto& info : tables::capability_table()) EXPECT_FALSE(info.checks.empty()) << info.name;
}

TEST(Capabilities, DeclaredFamiliesArePresentBeforeTheirFirstSample) {
  const auto first = tables::from_metrics(sample("vllm-gpu/samples/metrics-B1-first.txt.zst"));
  EXPECT_TRUE(first.at("load_bytes").present) << first.at("load_bytes").how;
  EXPECT_TRUE(first.at("allocation_failures").present);
}

TEST(Capabilities, AnAnswerTellsTheRest) {
  Capabilities known;
  StreamRecord r;
  r.usage.prompt_tokens = 10;
  tables::learn_from_answer(known, r, "0.20.0");
  EXPECT_TRUE(known.at("usage").present);
  EXPECT_FALSE(known.at("cached_tokens").present);
  EXPECT_THAT(known.at("cached_tokens").how, HasSubstr("up to 0.23"));
  tables::learn_from_answer(known, r, "0.32.0");
  EXPECT_THAT(known.at("cached_tokens").how, HasSubstr("--enable-prompt-tokens-details"));
  r.usage.details_seen = true;
  r.usage.cached_tokens = -1;
  tables::learn_from_answer(known, r, "0.32.0");
  EXPECT_FALSE(known.at("cached_tokens").present);
  r.usage.cached_tokens = 0;
  tables::learn_from_answer(known, r, "0.32.0");
  EXPECT_TRUE(known.at("cached_tokens").present);
  tables::learn_from_answer(known, StreamRecord{}, "0.32.0");  // seen once stays present
  EXPECT_TRUE(known.at("cached_tokens").present);
}

TEST(Effective, MergesLogAndPageWithTheirEvidence) {
  const auto log = lines_of(test::read("vllm-gpu/captures/B1.log.zst"));
  const auto c = effective_of(log, sample("vllm-gpu/samples/metrics-B1-first.txt.zst"), "0.26.0");
  EXPECT_EQ(c.engine_version, "0.26.0");
  EXPECT_EQ(c.block_size, 16);
  EXPECT_EQ(c.gpu_blocks, 385);
  EXPECT_EQ(c.host_bytes, 2362572800);
  EXPECT_EQ(c.offload, true);
  EXPECT_EQ(c.model, "kv");
  EXPECT_EQ(c.from.at("block_size"), "cache_config_info, label block_size");
  const auto off = effective_of(lines_of(test::read("vllm-gpu/captures/A1.log.zst")), sample("vllm-gpu/samples/metrics-A1-last.txt.zst"), "");
  EXPECT_EQ(off.offload, false);
  EXPECT_FALSE(off.host_bytes);
  EXPECT_EQ(off.engine_version, "0.26.0");
  // A connector without counters shows in the log only; the page alone cannot tell.
  const auto simple = effective_of(lines_of(test::read("vllm-gpu/captures/simple.log.zst")), sample("vllm-gpu/samples/metrics-simple-last.txt.zst"), "");
  EXPECT_EQ(simple.offload, true);
  const auto blind = effective_of({}, sample("vllm-gpu/samples/metrics-simple-last.txt.zst"), "");
  EXPECT_FALSE(blind.offload);
  EXPECT_TRUE(blind.from.count("offload"));
}

TEST(Adapters, AreMadeByName) {
  for (const char* name : {"vllm", "emulator", "attach"}) EXPECT_EQ((*make_adapter(name))->name(), name);
  EXPECT_THAT(make_adapter("sglang").error().sentence(), HasSubstr("emulator, vllm and attach"));
  EXPECT_EQ((*make_adapter("attach"))->command(reference(), false, {}).error().code, ErrorCode::unsupported);
  auto p = reference();
  p.engine.environment = "/nonexistent/place";
  EXPECT_EQ((*make_adapter("vllm"))->command(p, false, {}).error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace kvcliff::engine::vllm
