// SPDX-License-Identifier: GPL-3.0-or-later
// Launchers that start an engine elsewhere, against programs on PATH that stand for ssh, docker and srun.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include "base/file.h"
#include "base/text.h"
#include "process/preflight.h"
#include "process/remote.h"
#include "process/table.h"
#include "support/data.h"

namespace kvcliff::process {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
constexpr auto patience = 60s;

template <class F>
bool eventually(F condition) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

bool alive(std::int64_t pid) {
  for (const auto& e : read_table())
    if (e.process.pid == pid) return !e.zombie;
  return false;
}

std::int64_t number_after(Process& p, const std::string& word) {
  std::int64_t found = 0;
  eventually([&] {
    for (const auto& l : p.lines())
      if (l.text.rfind(word + " ", 0) == 0) found = parse_int(l.text.substr(word.size() + 1)).value_or(0);
    return found != 0;
  });
  return found;
}

std::string texts(Process& p) {
  std::string out;
  for (const auto& l : p.lines()) out += l.text + "\n";
  return out;
}

/// A folder in front of PATH with programs written by the test.
class Remote : public ::testing::Test {
 protected:
  Remote() : path_(std::getenv("PATH")) { ::setenv("PATH", (dir_.path().string() + ":" + path_).c_str(), 1); }
  ~Remote() override { ::setenv("PATH", path_.c_str(), 1); }
  void program(const std::string& name, const std::string& body) {
    std::ofstream(dir_ / name) << "#!/bin/sh\n" << body;
    std::filesystem::permissions(dir_ / name, std::filesystem::perms::owner_all);
  }
  std::string recorded(const std::string& name) { return read_file(dir_ / name).value_or(""); }
  std::unique_ptr<Process> start(const plan::LauncherSpec& spec, const Command& command) {
    auto launcher = make_launcher(spec);
    if (!launcher) throw std::runtime_error(launcher.error().sentence());
    auto p = (*launcher)->start(command, {});
    if (!p) throw std::runtime_error(p.error().sentence());
    return std::move(*p);
  }
  test::TempDir dir_;
  std::string path_;
};

const Command engine{.argv = {"sh", "-c", "echo \"me $$\"; echo \"got $A\"; trap 'echo bye; exit 0' TERM; while :; do sleep 0.02; done", "x", "--port", "8123"},
                     .env_set = {{"A", "it's 1"}}};

TEST_F(Remote, SshPassesTheCommandAndStopsTheOtherSide) {
  program("ssh", "echo \"$@\" > " + (dir_ / "args").string() + "\nfor last; do :; done\nexec sh -c \"$last\"\n");
  auto p = start({"ssh", {{"host", "gpu7"}, {"user", "u"}, {"port", "2222"}}}, engine);
  const auto remote = number_after(*p, "me");
  ASSERT_GT(remote, 0);
  EXPECT_TRUE(eventually([&] { return texts(*p).find("got it's 1") != std::string::npos; })) << texts(*p);
  EXPECT_TRUE(eventually([&] { return node_of(p->lines()).has_value(); }));
  EXPECT_THAT(recorded("args"), HasSubstr("-p 2222 -L 127.0.0.1:8123:127.0.0.1:8123 -- u@gpu7 "));
  const auto stopped = p->stop(patience);
  ASSERT_TRUE(stopped) << stopped.error().sentence();
  EXPECT_TRUE(stopped->terminated_in_grace);
  EXPECT_EQ(stopped->exit.code, 0);
  EXPECT_THAT(texts(*p), HasSubstr("bye")) << "the last lines come through";
  EXPECT_FALSE(alive(remote));
}

// A host that is a flag would run a command here; it is refused before ssh is asked anything.
TEST_F(Remote, WordsThatWouldBeFlagsStartNothing) {
  for (const char* name : {"ssh", "docker", "srun"}) program(name, "touch " + (dir_ / "started").string());
  for (const plan::LauncherSpec& spec : {plan::LauncherSpec{"ssh", {{"host", "-oProxyCommand=touch x"}}}, plan::LauncherSpec{"ssh", {{"host", "h"}, {"user", "-oProxyCommand=x"}}},
                                         plan::LauncherSpec{"container", {{"image", "--privileged"}, {"runtime", "docker"}}}, plan::LauncherSpec{"slurm", {{"partition", "--x"}}},
                                         plan::LauncherSpec{"ssh", {{"host", "a\nb"}}}}) {
    const auto launcher = make_launcher(spec);
    ASSERT_FALSE(launcher) << spec.kind;
    EXPECT_EQ(launcher.error().code, ErrorCode::bad_usage);
    EXPECT_EQ(check_launcher(spec).state, host::PreflightItem::State::fail) << spec.kind;
  }
  EXPECT_FALSE(std::filesystem::exists(dir_ / "started"));
}

TEST_F(Remote, TheOtherSideEndsWhenTheConnectionDies) {
  // The engine is detached from the stand-in for ssh, as it is on another machine: only the end of stdin tells it.
  program("ssh", "for last; do :; done\nexec 4<&0\nsetsid sh -c \"$last\" <&4 &\nwait\n");
  auto p = start({"ssh", {{"host", "gpu7"}}}, {.argv = {"sh", "-c", "echo \"me $$\"; trap '' TERM; while :; do sleep 0.02; done"}});
  const auto remote = number_after(*p, "me");
  ASSERT_GT(remote, 0);
  const auto stopped = p->stop(1s);
  ASSERT_TRUE(stopped) << stopped.error().sentence();
  EXPECT_TRUE(eventually([&] { return !alive(remote); }));
}

TEST_F(Remote, ContainerIsRemovedEvenWhenItsClientIsKilled) {
  // The "daemon" starts the engine outside our tree as far as a test can: a copy whose marker is another's.
  program("docker", "case $1 in\nrun) echo \"$@\" > " + (dir_ / "args").string() + "; echo up; trap '' TERM; while :; do sleep 0.02; done;;\n" +
                        "rm) echo \"$@\" > " + (dir_ / "removed").string() + ";;\nesac\n");
  auto p = start({"container", {{"image", "vllm/vllm-openai:v0.26.0"}, {"gpus", "0,1"}, {"shm_size", "8g"}, {"runtime", "docker"}, {"volumes", "/m:/m"}}},
                 {.argv = {"vllm", "serve", "m"}, .env_set = {{"B", "2"}}});
  ASSERT_TRUE(eventually([&] { return !p->lines().empty(); }));
  EXPECT_THAT(recorded("args"), HasSubstr("--gpus \"device=0,1\" --shm-size 8g --network host -v /m:/m -e PYTHONUNBUFFERED=1 -e B=2 --entrypoint vllm vllm/vllm-openai:v0.26.0 serve m"));
  const auto stopped = p->stop(200ms);
  ASSERT_TRUE(stopped) << stopped.error().sentence();
  EXPECT_FALSE(stopped->terminated_in_grace);
  EXPECT_THAT(recorded("removed"), HasSubstr("rm -f kvcliff-"));
}

TEST_F(Remote, ContainerIsRemovedWhenTheWorkbenchDies) {
  program("docker", "case $1 in\nrun) echo up; while :; do sleep 0.02; done;;\nrm) echo \"$@\" > " + (dir_ / "removed").string() + ";;\nesac\n");
  Command c = container_command({"container", {{"image", "i"}}}, "docker", "n1", {.argv = {"vllm"}});
  auto p = make_local_launcher()->start(c, {});
  ASSERT_TRUE(p);
  ::kill(static_cast<pid_t>((*p)->pid()), SIGKILL);
  ASSERT_TRUE((*p)->wait(patience));
  EXPECT_TRUE(eventually([&] { return recorded("removed").find("rm -f n1") != std::string::npos; }));
}

TEST_F(Remote, SlurmRunsOneTaskAndCancelsTheJob) {
  program("srun", "echo \"$@\" > " + (dir_ / "args").string() + "\nwhile [ \"$1\" != sh ]; do shift; done\nexec \"$@\"\n");
  program("scancel", "echo \"$@\" > " + (dir_ / "cancelled").string() + "\n");
  auto p = start({"slurm", {{"partition", "debug"}, {"gres", "gpu:1"}, {"cpus", "2"}}}, engine);
  const auto remote = number_after(*p, "me");
  ASSERT_GT(remote, 0);
  EXPECT_TRUE(eventually([&] { return texts(*p).find("got it's 1") != std::string::npos; })) << texts(*p);
  EXPECT_THAT(recorded("args"), HasSubstr("--ntasks=1 --unbuffered --kill-on-bad-exit=1 --export=ALL --nodes=1 --partition=debug --gres=gpu:1 --cpus-per-task=2 sh -c"));
  const auto stopped = p->stop(patience);
  ASSERT_TRUE(stopped) << stopped.error().sentence();
  EXPECT_EQ(stopped->exit.code, 0);
  EXPECT_FALSE(alive(remote));
  EXPECT_THAT(recorded("cancelled"), HasSubstr("--name=kvcliff-"));
}

TEST_F(Remote, ExitCodeComesThrough) {
  program("ssh", "for last; do :; done\nexec sh -c \"$last\"\n");
  auto p = start({"ssh", {{"host", "h"}}}, {.argv = {"sh", "-c", "exit 7"}});
  const auto exit = p->wait(patience);
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->code, 7);
}

TEST(RemoteCommands, OddWordsSurviveTheShell) {
  const auto c = ssh_command({"ssh", {{"host", "h"}, {"directory", "/a b"}}}, {.argv = {"vllm", "{\"x\": 'y'}"}, .env_unset = {"Z"}});
  EXPECT_THAT(c.argv.back(), HasSubstr("cd '/a b' && exec env -u Z PYTHONUNBUFFERED=1 sh -c '"));
  EXPECT_THAT(c.argv.back(), HasSubstr("kvcliff-run vllm '{\"x\": '\\''y'\\''}'"));
  EXPECT_EQ(port_in({"a", "--port=99"}), 99);
  EXPECT_EQ(port_in({"--port"}), std::nullopt);
  const auto podman = container_command({"container", {{"image", "i"}, {"gpus", "all"}, {"network", "bridge"}}}, "/usr/bin/podman", "n", {.argv = {"vllm", "--port", "9"}});
  EXPECT_THAT(shell_line(podman.argv), HasSubstr("--device nvidia.com/gpu=all --network bridge -p 127.0.0.1:9:9"));
  EXPECT_THAT(podman.cleanup, ElementsAre("/usr/bin/podman", "rm", "-f", "n"));
}

TEST(RemoteCommands, AForwardedPortMayHaveAnotherNumberHere) {
  const auto c = ssh_command({"ssh", {{"host", "h"}}}, {.argv = {"vllm", "--port", "9000"}, .reached_at = 8000});
  EXPECT_THAT(shell_line(c.argv), HasSubstr("-L 127.0.0.1:8000:127.0.0.1:9000"));
}

TEST(RemoteCommands, TheUsersOwnSshOptionsCountBeforeOurs) {
  const auto line = shell_line(ssh_prefix({"ssh", {{"host", "h"}, {"options", "-o ConnectTimeout=3 -C"}}}));
  EXPECT_LT(line.find("ConnectTimeout=3"), line.find("ConnectTimeout=20")) << "ssh keeps the first: " << line;
  EXPECT_THAT(line, HasSubstr("-o BatchMode=yes"));
  EXPECT_EQ(line.substr(line.size() - 2), " h");
}

TEST(RemoteCommands, ALostConnectionIsToldFromAnEngineThatEnded) {
  const plan::LauncherSpec ssh{"ssh", {{"host", "gpu7"}}};
  EXPECT_EQ(lost_connection(ssh, {.code = 255, .signalled = false, .at = {}}), "gpu7");
  EXPECT_EQ(lost_connection(ssh, {.code = 1, .signalled = false, .at = {}}), std::nullopt);
  EXPECT_EQ(lost_connection(ssh, {.code = 128 + 9, .signalled = true, .at = {}}), std::nullopt);
  EXPECT_EQ(missing_program(ssh, {.code = 127, .signalled = false, .at = {}}, {"vllm", "serve"}), "vllm");
  EXPECT_EQ(missing_program(ssh, {.code = 1, .signalled = false, .at = {}}, {"vllm"}), std::nullopt);
  EXPECT_EQ(missing_program({"local", {}}, {.code = 127, .signalled = false, .at = {}}, {"vllm"}), std::nullopt) << "here it is looked for before";
  EXPECT_EQ(lost_connection({"local", {}}, {.code = 255, .signalled = false, .at = {}}), std::nullopt);
}

TEST(RemoteCommands, WhatIsMissingIsSaid) {
  EXPECT_EQ(make_launcher({"ssh", {}}).error().code, ErrorCode::bad_usage);
  EXPECT_EQ(make_launcher({"container", {}}).error().code, ErrorCode::bad_usage);
  EXPECT_EQ(make_launcher({"container", {{"image", "i"}, {"runtime", "/nowhere/docker"}}}).error().code, ErrorCode::not_found);
  EXPECT_THAT(make_launcher({"moon", {}}).error().next, HasSubstr("slurm"));
}

}  // namespace
}  // namespace kvcliff::process
