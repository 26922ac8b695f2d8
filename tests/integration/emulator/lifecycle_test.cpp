// SPDX-License-Identifier: GPL-3.0-or-later
// Start, stop, death: exit codes, logs, streams.
#include <gtest/gtest.h>
#include <signal.h>

#include "running_server.h"

namespace kvcliff::test {
namespace {

std::pair<int, std::string> run_to_end(std::vector<std::string> args) {
  args.insert(args.begin(), emulator_path(Which::shipped));
  Child child(args);
  const auto code = child.wait(30'000);
  return {code.value_or(-1), child.output()};
}
const std::vector<std::string> quick{"--emulate-time-scale", "0.02", "--emulate-startup-seconds", "0.1", "--port", "0"};
std::vector<std::string> with(std::vector<std::string> flags) {
  flags.insert(flags.end(), quick.begin(), quick.end());
  return flags;
}
std::string stream_body(int tokens) {
  return Json{{"model", "m"}, {"prompt", document(1, 100)}, {"max_tokens", tokens}, {"stream", true}, {"stream_options", {{"include_usage", true}}}}.dump();
}

TEST(Lifecycle, AnUnknownFlagEndsWithArgparseWordsAndTwo) {
  const auto [code, out] = run_to_end({"serve", "tiny", "--no-such-flag"});
  EXPECT_EQ(code, 2);
  EXPECT_NE(out.find("vllm: error: unrecognized arguments: --no-such-flag\n"), std::string::npos) << out;
  EXPECT_EQ(run_to_end({"serve", "tiny", "--port", "abc"}).first, 2);
  EXPECT_EQ(run_to_end({"serve", "tiny", "--port"}).first, 2);
  EXPECT_EQ(run_to_end({"serve", "tiny", "--kv-transfer-config", "{oops"}).first, 2);
  EXPECT_EQ(run_to_end({"serve", "tiny", "--emulate-lie", "nothing-like-it"}).first, 2);
  EXPECT_EQ(run_to_end({"serve", "tiny", "--emulate-generation", "0.16", "--shutdown-timeout", "3"}).first, 2);
  EXPECT_EQ(run_to_end({"--help"}).first, 0);
  EXPECT_NE(run_to_end({"--version"}).second.find("simulated"), std::string::npos);
}

TEST(Lifecycle, FailedStartsEndWithOneAndTheCauseInTheLog) {
  const auto expect = [](std::vector<std::string> flags, const std::string& cause) {
    const auto [code, out] = run_to_end(with(std::move(flags)));
    EXPECT_EQ(code, 1) << out;
    EXPECT_NE(out.find(cause), std::string::npos) << out;
  };
  expect({"serve", "tiny", "--emulate-fault", "die-loading"}, "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}");
  expect({"serve", "tiny", "--emulate-fault", "oom"}, "torch.OutOfMemoryError: CUDA out of memory.");
  expect({"serve", "tiny", "--num-gpu-blocks-override", "66", "--max-model-len", "4096"}, "the estimated maximum model length is 1040.");
  expect({"serve", "/nonexistent/model"}, "HFValidationError: Repo id must be in the form 'repo_name' or 'namespace/repo_name': '/nonexistent/model'");
  expect({"serve", "tiny", "--kv-transfer-config", "{\"kv_connector\":\"NoSuch\"}"}, "Unsupported connector type: NoSuch");
  expect({"serve", "tiny", "--enable-per-request-metrics", "--disable-log-stats"}, "--enable-per-request-metrics requires engine statistics logging");
}

TEST(Lifecycle, ATakenPortEndsWithErrno98) {
  RunningServer server({"--num-gpu-blocks-override", "66"});
  const auto [code, out] = run_to_end({"serve", "tiny", "--port", std::to_string(server.port()), "--emulate-startup-seconds", "0"});
  EXPECT_EQ(code, 1);
  EXPECT_NE(out.find("OSError: [Errno 98] Address already in use"), std::string::npos);
}

TEST(Lifecycle, SigtermWhenIdleEndsWithZeroAndNothingSurvives) {
  RunningServer server({"--num-gpu-blocks-override", "66"});
  const long core = server.child().first_child();
  EXPECT_GT(core, 0);
  server.child().signal(SIGTERM);
  EXPECT_EQ(server.child().wait(10'000), 0);
  EXPECT_NE(kill(static_cast<pid_t>(core), 0), 0);
}

TEST(Lifecycle, SigtermWithAnOpenStreamIsSilenceUntilTheClientCloses) {
  RunningServer server({"--num-gpu-blocks-override", "66", "--emulate-time-scale", "1"});
  RawClient client(server.port());
  client.send(http_request("POST", "/v1/completions", stream_body(800)));
  client.read_until("data: ", 10'000);
  server.child().signal(SIGTERM);
  ASSERT_TRUE(server.child().wait_for("Waiting for connections to close. (CTRL+C to force quit)", 10'000));
  client.read_until("never there", 300);
  const auto size = client.data().size();
  client.read_until("never there", 700);
  EXPECT_EQ(client.data().size(), size);
  EXPECT_FALSE(client.closed_by_peer());
  EXPECT_EQ(server.child().wait(0), std::nullopt);
  client.close();
  EXPECT_EQ(server.child().wait(10'000), 0);
}

TEST(Lifecycle, AShutdownTimeoutLetsTheStreamRunToItsEnd) {
  RunningServer server({"--num-gpu-blocks-override", "66", "--shutdown-timeout", "3000"});
  RawClient client(server.port());
  client.send(http_request("POST", "/v1/completions", stream_body(400), "Connection: close\r\n"));
  client.read_until("data: ", 10'000);
  server.child().signal(SIGTERM);
  const auto s = read_stream(parse_answer(client.read_until("", 20'000)));
  EXPECT_TRUE(s.done);
  EXPECT_EQ(s.usage["completion_tokens"], 400);
  EXPECT_EQ(server.child().wait(10'000), 0);
}

TEST(Lifecycle, AKilledCoreGivesAnErrorEventThenDoneAndExitZero) {
  RunningServer server({"--num-gpu-blocks-override", "66", "--emulate-time-scale", "0.5"});
  RawClient client(server.port());
  client.send(http_request("POST", "/v1/completions", stream_body(800), "Connection: close\r\n"));
  client.read_until("data: ", 10'000);
  ASSERT_GT(server.child().first_child(), 0);
  kill(static_cast<pid_t>(server.child().first_child()), SIGKILL);
  const auto s = read_stream(parse_answer(client.read_until("", 10'000)));
  EXPECT_TRUE(s.raw.complete);
  EXPECT_TRUE(s.done);
  EXPECT_EQ(s.error["type"], "InternalServerError");
  EXPECT_TRUE(s.finish.empty());
  EXPECT_EQ(fetch(server.port(), "GET", "/health").status, 503);
  EXPECT_EQ(fetch(server.port(), "POST", "/v1/completions", stream_body(3)).status, 500);
  EXPECT_EQ(server.child().wait(20'000), 0);
}

TEST(Lifecycle, TheKillCoreFaultDoesTheSameAfterSoManyTokens) {
  RunningServer server({"--num-gpu-blocks-override", "66", "--emulate-fault", "kill-core:6"});
  const auto s = server.complete(document(1, 100), 20);
  EXPECT_TRUE(s.done);
  EXPECT_EQ(s.error["code"], 500);
  EXPECT_EQ(server.child().wait(10'000), 0);
}

TEST(Lifecycle, SigkillOfTheServerLeavesTheCoreBehind) {
  RunningServer server({"--num-gpu-blocks-override", "66"});
  const long core = server.child().first_child();
  server.child().signal(SIGKILL);
  EXPECT_EQ(server.child().wait(5'000), 128 + SIGKILL);
  EXPECT_EQ(kill(static_cast<pid_t>(core), 0), 0);
  kill(static_cast<pid_t>(core), SIGKILL);
}

TEST(Lifecycle, AHangingStartNeverAnswersAndAHangingStopNeverEnds) {
  std::vector<std::string> args{emulator_path(Which::shipped)};
  for (const auto& a : with({"serve", "tiny", "--emulate-fault", "hang-start"})) args.push_back(a);
  Child start(args);
  EXPECT_TRUE(start.wait_for("Loading model from scratch", 10'000));
  EXPECT_FALSE(start.wait_for("Application startup complete", 500));
  RunningServer server({"--num-gpu-blocks-override", "66", "--emulate-fault", "hang-stop"});
  server.child().signal(SIGTERM);
  EXPECT_EQ(server.child().wait(700), std::nullopt);
}

TEST(Lifecycle, MetricsCanBeAnErrorWhileCompletionsAreFine) {
  RunningServer server({"--num-gpu-blocks-override", "66", "--emulate-fault", "metrics-500"});
  EXPECT_EQ(fetch(server.port(), "GET", "/metrics").status, 500);
  EXPECT_TRUE(server.complete(document(1, 100), 3).done);
}

TEST(Lifecycle, ItSaysSimulatedInLogAndVersion) {
  RunningServer server({"--num-gpu-blocks-override", "66"});
  EXPECT_NE(server.child().output().find("version 0.32.0+simulated\n"), std::string::npos);
  EXPECT_NE(server.child().output().find("kvcliff-emulator: no model runs here; simulated timing: preset rtx5070 (assumed"), std::string::npos);
  EXPECT_EQ(fetch(server.port(), "GET", "/version").body, "{\"version\":\"0.32.0+simulated\"}");
}

}  // namespace
}  // namespace kvcliff::test
