// SPDX-License-Identifier: GPL-3.0-or-later
// Start-up logs of real servers give their facts, failures their causes, orderly stops none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "engine/vllm/failure.h"
#include "engine/vllm/log_facts.h"
#include "engine/vllm/log_fold.h"
#include "engine/vllm/log_head.h"
#include "engine/vllm/log_report.h"
#include "support/data.h"

namespace kvcliff::engine::vllm {
namespace {

using testing::HasSubstr;

std::vector<LogLine> log_of(const std::string& name) { return lines_of(test::read(name)); }
std::vector<LogLine> cpu(const std::string& name) { return log_of("vllm-cpu/logs/" + name + ".log.zst"); }
std::vector<LogLine> gpu(const std::string& name) { return log_of("vllm-gpu/captures/" + name + ".log.zst"); }

TEST(LogFacts, ACpuServerStatesItsCache) {
  const auto f = read_log(cpu("serve-native16"));
  EXPECT_EQ(f.engine, "vllm");
  EXPECT_EQ(f.version, "0.32.0");
  EXPECT_FALSE(f.simulated);
  EXPECT_EQ(f.block_size, 16);
  EXPECT_EQ(f.gpu_blocks, 66);
  EXPECT_EQ(f.gpu_blocks_usable, 65);
  EXPECT_EQ(f.gpu_tokens, 1056);
  EXPECT_EQ(f.kv_bytes_available, 1081344);
  EXPECT_EQ(f.host_bytes, 2097152);
  EXPECT_EQ(f.max_concurrency, 1.02);
  EXPECT_EQ(f.max_model_len, 1040);
  EXPECT_EQ(f.kv_dtype, "auto");
  EXPECT_EQ(f.dtype, "bfloat16");
  EXPECT_EQ(f.connector, "OffloadingConnector");
  EXPECT_EQ(f.offloading_spec, "CPUOffloadingSpec");
  EXPECT_TRUE(f.ready);
}

TEST(LogFacts, AServerWithoutTierHasNoHostBytes) {
  const auto f = read_log(cpu("serve-vanilla32"));
  EXPECT_EQ(f.block_size, 32);
  EXPECT_EQ(f.gpu_tokens, 2112);
  EXPECT_EQ(f.gpu_blocks, 66);
  EXPECT_FALSE(f.host_bytes);
  EXPECT_EQ(f.connector, "");
  EXPECT_TRUE(f.ready);
}

TEST(LogFacts, AGpuServerStatesItsCacheInOtherWords) {
  const auto f = read_log(gpu("B1"));
  EXPECT_EQ(f.version, "0.26.0");
  EXPECT_EQ(f.gpu_blocks, 385);
  EXPECT_EQ(f.gpu_blocks_usable, 384);
  EXPECT_EQ(f.gpu_tokens, 6160);
  EXPECT_EQ(f.kv_bytes_available, 21474836480);
  EXPECT_EQ(f.host_bytes, 2362572800);  // floor(2.200317383 x 2^30)
  EXPECT_EQ(f.max_concurrency, 1.5);
  EXPECT_TRUE(f.ready);
}

TEST(LogFacts, AnExplicitTransferConfigGivesTheHostBytes) {
  const auto f = read_log(gpu("rehearsal/arc2"));
  EXPECT_EQ(f.host_bytes, 826671104);
  EXPECT_EQ(f.gpu_blocks, 257);
}

TEST(LogFacts, TheSimpleConnectorIsWarnedOf) {
  const auto f = read_log(gpu("simple"));
  EXPECT_EQ(f.connector, "SimpleCPUOffloadConnector");
  ASSERT_FALSE(f.warnings.empty());
  EXPECT_THAT(f.warnings.front(), HasSubstr("simple offload connector"));
}

TEST(LogFacts, EveryGpuServerWasReadyAndStatesItsPool) {
  int logs = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test::data("vllm-gpu/captures"))) {
    const auto name = entry.path().filename().string();
    if (name.find(".log.zst") == std::string::npos) continue;
    SCOPED_TRACE(name);
    const auto f = read_log(log_of(std::filesystem::relative(entry.path(), test::data("")).string()));
    EXPECT_TRUE(f.ready);
    EXPECT_EQ(f.version, "0.26.0");
    EXPECT_EQ(f.block_size, 16);
    ASSERT_TRUE(f.gpu_blocks && f.gpu_tokens);
    // Without the override's line the blocks follow from the tokens.
    std::vector<LogLine> without;
    for (const auto& line : log_of(std::filesystem::relative(entry.path(), test::data("")).string()))
      if (line.text.find("num_gpu_blocks") == std::string::npos || line.text.find("non-default args") != std::string::npos) {
        without.push_back(line);
        if (const auto at = without.back().text.find("'num_gpu_blocks_override'"); at != std::string::npos)
          without.back().text.erase(at, 25);
      }
    EXPECT_EQ(read_log(without).gpu_blocks, f.gpu_blocks);
    ++logs;
  }
  EXPECT_GE(logs, 39);
}

TEST(LogFacts, OlderWordings) {
  const auto f = read_log(lines_of(
      "INFO 01-01 10:00:00 [api_server.py:1032] vLLM API server version 0.8.5.post1\n"
      "INFO 01-01 10:00:01 [api_server.py:1033] args: Namespace(host=None, port=8000, block_size=32, kv_cache_dtype='fp8', "
      "max_model_len=4096)\n"
      "INFO 01-01 10:00:20 [worker.py:287] # GPU blocks: 27,445, # CPU blocks: 2340\n"));
  EXPECT_EQ(f.version, "0.8.5.post1");
  EXPECT_EQ(f.block_size, 32);
  EXPECT_EQ(f.kv_dtype, "fp8");
  EXPECT_EQ(f.gpu_blocks, 27445);
  EXPECT_EQ(f.gpu_blocks_usable, 27445);  // no null block there
  const auto g = read_log(lines_of(
      "(EngineCore_DP0 pid=5) INFO 11-20 10:00:00 [gpu_worker.py:298] Available KV cache memory: 52.36 GiB\n"
      "(EngineCore_DP0 pid=5) INFO 11-20 10:00:00 [kv_cache_utils.py:1087] GPU KV cache size: 686,320 tokens\n"
      "(EngineCore_DP0 pid=5) INFO 11-20 10:00:00 [kv_cache_utils.py:1091] Maximum concurrency for 100,000 tokens per request: 6.86x\n"));
  EXPECT_EQ(g.gpu_tokens, 686320);
  EXPECT_EQ(g.max_concurrency, 6.86);
  EXPECT_EQ(g.kv_bytes_available, 56221121905);
  EXPECT_FALSE(g.block_size);  // not stated: not assumed
  EXPECT_FALSE(g.gpu_blocks);
  EXPECT_FALSE(g.ready);
}

TEST(LogFacts, SeveralEngineCoresAreNotAdded) {
  const auto f = read_log(lines_of(
      "(EngineCore_DP0 pid=5) INFO 11-20 10:00:00 [k.py:1] GPU KV cache size: 6,160 tokens\n"
      "(EngineCore_DP1 pid=6) INFO 11-20 10:00:00 [k.py:1] GPU KV cache size: 6,160 tokens\n"));
  EXPECT_EQ(f.gpu_tokens, 6160);
  EXPECT_EQ(f.engines, 2);
  EXPECT_THAT(f.warnings.front(), HasSubstr("2 engine cores"));
}

TEST(LogFacts, TheRankWithTheLeastMemorySizesTheCache) {
  const auto line = [](const std::string& who, const char* gib) {
    return who + "INFO 12-01 09:00:00 [gpu_worker.py:1] Available KV cache memory: " + gib + " GiB\n";
  };
  const auto bytes = [](double gib) { return static_cast<std::int64_t>(gib * 1024 * 1024 * 1024 + 0.5); };
  const std::string start = "(EngineCore_DP0 pid=9) INFO 12-01 08:59:00 [core.py:1] Initializing a V1 LLM engine (v0.26.0) with config: model='m'\n";
  const std::string ranks = line("(Worker_TP0 pid=1) ", "9.73") + line("(Worker_TP1 pid=2) ", "9.71") + line("(Worker_TP2 pid=3) ", "9.72");
  const auto f = read_log(lines_of(ranks));
  EXPECT_EQ(f.kv_bytes_available, bytes(9.71));
  EXPECT_EQ(f.line_of.at("kv_bytes_available"), 2);
  EXPECT_EQ(read_log(lines_of(line("", "9.73") + line("", "9.71") + line("", "9.72"))).kv_bytes_available, bytes(9.71));
  // A later start in the same log counts alone.
  EXPECT_EQ(read_log(lines_of(start + ranks + start + line("(Worker_TP0 pid=5) ", "9.90"))).kv_bytes_available, bytes(9.9));
}

TEST(LogFacts, UnpinnedMemoryComesFirstAmongWarnings) {
  const auto f = read_log(lines_of("WARNING 11-20 10:00:00 [a.py:1] Enforce eager set\n"
                                   "WARNING 11-20 10:00:01 [i.py:1] Using 'pin_memory=False' as WSL is detected.\n"));
  ASSERT_EQ(f.warnings.size(), 2u);
  EXPECT_THAT(f.warnings[0], HasSubstr("not pinned"));
}

TEST(LogFacts, TheBlockSizeOfAHybridModelComesFromTheLog) {
  EXPECT_EQ(read_log(log_of("cases/041-prefix-shorter-than-one-block/server.log")).block_size, 1600);
}

struct Failure {
  std::vector<LogLine> log;
  std::string what, line;
};

void expect_cause(const std::vector<LogLine>& log, const std::string& what, const std::string& line) {
  const auto cause = find_failure(log);
  ASSERT_TRUE(cause) << what;
  EXPECT_THAT(cause->what, HasSubstr(what));
  EXPECT_FALSE(cause->next.empty());
  ASSERT_FALSE(cause->lines.empty());
  EXPECT_THAT(cause->lines.back(), HasSubstr(line));
}

TEST(FailureCause, EveryRecordedFailureNamesItsCause) {
  expect_cause(cpu("badflag"), "does not know the flag --no-such-flag", "unrecognized arguments");
  expect_cause(cpu("block16"), "no kernel for block size 16", "No common block size");
  expect_cause(cpu("fail-block16"), "no kernel for block size 16", "No common block size");
  expect_cause(cpu("fail-memory-utilization"), "Less memory is free", "19.16/21.34 GiB");
  expect_cause(cpu("nomodel"), "model is not there", "/nonexistent/model");
  expect_cause(cpu("offload-stock"), "cannot offload KV blocks", "CUDA-alike and XPU");
  expect_cause(cpu("port"), "in use by another process", "Errno 98");
  expect_cause(cpu("small"), "too small for one request of the maximum length (4,096 tokens)", "estimated maximum model length is 1040");
  expect_cause(cpu("kill-core"), "engine core was ended from outside", "engine core exited unexpectedly");
  expect_cause(cpu("reset-running"), "a transfer was open", "AssertionError");
  EXPECT_THAT(find_failure(cpu("small"))->next, HasSubstr("--max-model-len 1040"));
}

TEST(FailureCause, AnOrderlyStopAndRequestErrorsAreNoFailures) {
  for (const char* name : {"api", "serve-native16", "serve-vanilla32", "serve-samples16", "sigint", "stop-idle", "stop-drain",
                           "stop-close-first", "stop-second-term", "stop2-notier-reading", "stop2-tier-reading",
                           "stop2-tier-notreading", "stop2-notier-reading-keepalive"}) {
    const auto cause = find_failure(cpu(name));
    EXPECT_FALSE(cause) << name << ": " << cause->what;
  }
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test::data("vllm-gpu/captures"))) {
    const auto name = std::filesystem::relative(entry.path(), test::data("")).string();
    if (name.find(".log.zst") == std::string::npos) continue;
    const auto cause = find_failure(log_of(name));
    EXPECT_FALSE(cause) << name << ": " << cause->what;
  }
}

TEST(FailureCause, FieldCases) {
  expect_cause(log_of("cases/038-negative-source-kills-output/server.log"), "Metrics counter error in the server",
               "Counters can only be incremented");
  expect_cause(log_of("cases/049-shared-memory-too-small/server-a.log"), "Shared memory too small", "OSError: [Errno 14] Bad address");
  expect_cause(log_of("cases/049-shared-memory-too-small/server-b.log"), "needs 32,768 MiB and has 64 MiB free", "Insufficient space");
  expect_cause(log_of("cases/055-abort-of-queued-request-kills-engine/server.log"), "AssertionError", "AssertionError");
  expect_cause(log_of("cases/062-port-taken-or-other-server-answers/server.log"), "Port 8000 in use by another process", "Errno 98");
  expect_cause(log_of("cases/070-model-hub-offline/server.log"), "Model hub not reachable", "cannot reach the hub");
}

TEST(FailureCause, MessagesOfOtherReleases) {
  const auto of = [](const std::string& m) {
    const auto c = known_cause(m);
    return c ? c->what : std::string("none");
  };
  EXPECT_THAT(of("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."), HasSubstr("GPU is out of memory"));
  EXPECT_THAT(of("ValueError: Free memory on device (10.1/23.6 GiB) on startup is less than desired GPU memory utilization (0.9, 21.2 GiB)."),
              HasSubstr("Less memory is free"));
  EXPECT_THAT(of("ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization`"), HasSubstr("no GPU memory for the KV cache"));
  EXPECT_THAT(of("ValueError: The model's max seq len (32768) is larger than the maximum number of tokens that can be stored in KV cache (6144)."),
              HasSubstr("too small for one request"));
  EXPECT_THAT(of("RuntimeError: cudaHostRegister failed: out of memory"), HasSubstr("could not be pinned"));
  EXPECT_THAT(of("OSError: We couldn't connect to 'https://huggingface.co' to load the files"), HasSubstr("Model hub not reachable"));
  EXPECT_THAT(of("RuntimeError: Failed to infer device type"), HasSubstr("no GPU"));
  EXPECT_EQ(of("ValueError: something else"), "none");
}

TEST(FailureCause, AnUnknownExceptionIsShownAsItIs) {
  const auto cause = find_failure(lines_of(
      "(EngineCore_DP0 pid=8) ERROR 12-01 09:02:10 [core.py:900] EngineCore failed to start.\n"
      "(EngineCore_DP0 pid=8) ERROR 12-01 09:02:10 [core.py:900] Traceback (most recent call last):\n"
      "(EngineCore_DP0 pid=8) ERROR 12-01 09:02:10 [core.py:900] KeyError: 'moon'\n"
      "(APIServer pid=7) RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}\n"));
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->what, "The engine failed: KeyError: 'moon'");
  EXPECT_EQ(cause->lines.size(), 2u);
  EXPECT_FALSE(find_failure(lines_of("")));
  EXPECT_FALSE(find_failure(lines_of("INFO: all is well\n")));
}

TEST(FailureCause, ATraceOfTheFrontEndNamesItToo) {
  const std::string front = "(APIServer pid=700) ";
  const auto trace = [&](const std::string& last) {
    return lines_of(front + "INFO 12-01 09:40:31 [launcher.py:20] Starting vLLM API server 0 on http://0.0.0.0:9001\n" + front +
                    "Traceback (most recent call last):\n" + front + "  File \"x.py\", line 1, in f\n" + front + last + "\n");
  };
  expect_cause(trace("OSError: [Errno 98] Address already in use"), "Port 9001 in use", "Errno 98");
  expect_cause(trace("OSError: cannot reach the hub and no cached file config.json for org/m"), "Model hub not reachable", "cannot reach the hub");
  expect_cause(trace("ValueError: Unsupported connector type: FooConnector"), "tier's settings are refused", "Unsupported connector");
  expect_cause(trace("RuntimeError: something odd"), "The engine failed: RuntimeError: something odd", "something odd");
  expect_cause(trace("RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}"),
               "Engine core initialization failed", "Engine core initialization failed");
  // A message that goes on in the next line, with and without the prefix.
  const std::string more = "  Value error, User-specified max_model_len (9999) is greater than the derived max_model_len (4096)";
  expect_cause(trace("pydantic_core._pydantic_core.ValidationError: 1 validation error for ModelConfig\n" + front + more),
               "maximum length asked for is more than the model allows", "ValidationError");
  expect_cause(lines_of("Traceback (most recent call last):\nValidationError: 1 validation error for ModelConfig\n" + more + "\n"),
               "maximum length asked for is more than the model allows", "ValidationError");
  // An error with a level, before anything is served; words of uvicorn that are no exception.
  expect_cause(lines_of(front + "ERROR 12-01 09:40:31 [a.py:1] ValueError: odd\n"), "The engine failed: ValueError: odd", "odd");
  expect_cause(lines_of("ERROR:    [Errno 98] error while attempting to bind on address ('127.0.0.1', 8123): address already in use\n"),
               "Port 8123 in use", "Errno 98");
}

TEST(FailureCause, WhatTheFrontEndCatchesIsNoFailure) {
  const std::string front = "(APIServer pid=700) ";
  const std::string trace = "Traceback (most recent call last):\n", odd = "ValueError: odd\n";
  const std::string up = front + "INFO:     Application startup complete.\n";
  for (const std::string& who : {front, std::string()})
    EXPECT_FALSE(find_failure(lines_of(up + who + "ERROR:    Exception in ASGI application\n" + who + trace + who + odd)));
  EXPECT_FALSE(find_failure(lines_of(up + front + "ERROR 12-01 09:40:31 [a.py:1] " + odd)));
  EXPECT_FALSE(find_failure(lines_of(front + trace + front + odd + up)));
  EXPECT_FALSE(find_failure(lines_of(front + trace + front + odd + front + "INFO:     127.0.0.1:5 - \"POST /v1/completions HTTP/1.1\" 200 OK\n")));
  EXPECT_FALSE(find_failure(lines_of(up + front + trace + front + "KeyboardInterrupt\n")));
  EXPECT_TRUE(find_failure(lines_of(up + front + trace + front + odd)));
}

TEST(LogFacts, RetriesOfTheHubAreShownInEveryForm) {
  const auto waits = [](const std::string& line) { return read_log(lines_of(line + "\n")).waiting_for; };
  EXPECT_EQ(waits("WARNING 12-01 10:00:10 retry 2 of 8: cannot reach the hub"), "the network (retry 2 of 8)");
  EXPECT_EQ(waits("WARNING 12-01 10:00:10 Retry 3 of 7: cannot reach the Hub"), "the network (retry 3 of 7)");
  EXPECT_EQ(waits("MaxRetryError of 9 at huggingface.co, retry 3 of 7"), "the network (retry 3 of 7)");
  EXPECT_EQ(waits("WARNING 12-01 10:00:10 [_http.py:300] Retrying in 1s [Retry 1/5]."), "the network (retry 1 of 5)");
  EXPECT_EQ(waits("WARNING 12-01 10:00:10 [a.py:3] retry 3 of 7: queue full"), "");
  EXPECT_EQ(waits("INFO 12-01 10:00:10 [a.py:3] retry policy of the hub: 5 of 7"), "");
}

TEST(FailureCause, AServerThatDiedIsNotWaiting) {
  const auto j = log_report(lines_of("(APIServer pid=700) WARNING 12-01 10:00:50 retry 3 of 3: cannot reach the hub\n"
                                     "(APIServer pid=700) OSError: cannot reach the hub and no cached file config.json for org/m\n"));
  EXPECT_FALSE(j.contains("waiting_for"));
  EXPECT_TRUE(j.contains("cause"));
}

TEST(LogHead, PrefixesInEveryOrder) {
  const auto h = split_log_line("(APIServer pid=7) (EngineCore pid=9) WARNING 12-01 09:00:01 [utils.py:6] [shutdown] text");
  EXPECT_EQ(h.process, "EngineCore");
  EXPECT_EQ(h.level, "WARNING");
  EXPECT_EQ(h.text, "[shutdown] text");
  EXPECT_EQ(split_log_line("INFO:     Shutting down").level, "INFO");
  EXPECT_EQ(split_log_line("plain").text, "plain");
  EXPECT_EQ(split_log_line("").text, "");
  EXPECT_EQ(split_log_line("(((").text, "(((");
}

TEST(LogFold, LinesThatDifferInTimeOnlyAreOneRow) {
  const auto rows = fold(log_of("cases/058-endless-lookup-loop/server.log"));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].count, 200u);
  EXPECT_EQ(rows[0].first_time, "12-01 09:30:00.000");
  EXPECT_EQ(rows[0].last_time, "12-01 09:30:02.388");
  EXPECT_EQ(fold(lines_of("a\nb\na\n")).size(), 3u);
}

TEST(LogFold, EveryFormOfATimeIsKnown) {
  const auto folded = [](const std::string& a, const std::string& b) {
    const auto rows = fold(lines_of(a + "\n" + b + "\n"));
    return rows.size() == 1 ? rows[0].first_time + " .. " + rows[0].last_time : "not folded";
  };
  const std::string pid = "(EngineCore_DP0 pid=801) ";
  EXPECT_EQ(folded("2026-12-01T09:30:00.000Z WARN x", "2026-12-01T09:31:00.037Z WARN x"), "2026-12-01T09:30:00.000Z .. 2026-12-01T09:31:00.037Z");
  EXPECT_EQ(folded("2026-12-01T09:30:00+01:00 x", "2026-12-01T09:30:01+01:00 x"), "2026-12-01T09:30:00+01:00 .. 2026-12-01T09:30:01+01:00");
  EXPECT_EQ(folded("[2026-12-01 09:30:00,000] x", "[2026-12-02 00:00:00,037] x"), "2026-12-01 09:30:00,000 .. 2026-12-02 00:00:00,037");
  EXPECT_EQ(folded("2026/12/01 09:30:00 x", "2026/12/01 09:30:01 x"), "2026/12/01 09:30:00 .. 2026/12/01 09:30:01");
  EXPECT_EQ(folded("09:30:00.000 x", "09:30:00.037 x"), "09:30:00.000 .. 09:30:00.037");
  EXPECT_EQ(folded(pid + "INFO 09:30:00 x", pid + "INFO 09:30:02 x"), "09:30:00 .. 09:30:02");
  EXPECT_EQ(folded("[1796117400.000] x", "[1796117400.037] x"), "1796117400.000 .. 1796117400.037");
  EXPECT_EQ(folded("1796117400000 x", "1796117400037 x"), "1796117400000 .. 1796117400037");
  EXPECT_EQ(folded("I1201 09:30:00.000000 801 a.cc:10] x", "I1201 09:30:00.037000 801 a.cc:10] x"), "1201 09:30:00.000000 .. 1201 09:30:00.037000");
  EXPECT_EQ(folded("Dec  1 09:30:00 host x", "Dec 11 09:30:00 host x"), "Dec  1 09:30:00 .. Dec 11 09:30:00");
  // What differs in more than the time, or speaks of a time or a number.
  EXPECT_EQ(folded("09:30:00 x", "09:30:00 y"), "not folded");
  EXPECT_EQ(folded("I1201 09:30:00 x", "W1201 09:30:00 x"), "not folded");
  EXPECT_EQ(folded("restart planned at 09:30:00", "restart planned at 09:31:00"), "not folded");
  EXPECT_EQ(folded("1796117400 x", "1796117401 x"), "not folded");
  EXPECT_EQ(folded("request 1796117400.001 done", "request 1796117400.002 done"), "not folded");
  EXPECT_EQ(folded("00:00:00:01 x", "00:00:00:02 x"), "not folded");
}

TEST(LogReport, SaysWhatTheContractAsks) {
  const auto j = log_report(gpu("B1"));
  for (const char* key : {"engine", "version", "block_size", "gpu_blocks", "gpu_tokens", "gpu_blocks_usable", "kv_bytes_available",
                          "host_bytes", "kv_dtype", "max_concurrency", "ready", "fatal", "warnings"})
    EXPECT_TRUE(j.contains(key)) << key;
  EXPECT_TRUE(j.at("fatal").empty());
  const auto failed = log_report(cpu("small"));
  EXPECT_EQ(failed.at("ready"), false);
  EXPECT_FALSE(failed.at("fatal").empty());
  const auto waiting = log_report(lines_of("WARNING 12-01 10:00:30 retry 3 of 5: cannot reach the hub\n"));
  EXPECT_EQ(waiting.at("waiting_for"), "the network (retry 3 of 5)");
  EXPECT_TRUE(waiting.at("gpu_blocks").is_null());
  EXPECT_TRUE(waiting.contains("why"));
}

}  // namespace
}  // namespace kvcliff::engine::vllm
