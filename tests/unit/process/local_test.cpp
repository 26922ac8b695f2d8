// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <future>
#include <thread>

#include "base/file.h"
#include "base/text.h"
#include "process/ports.h"
#include "process/table.h"
#include "support/data.h"

namespace kvcliff::process {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

const std::string helper = KVCLIFF_PROCESS_HELPER;
constexpr auto patience = 60s;  // for what must happen; never a measured time

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

std::unique_ptr<Process> must_start(Command c, Launcher::OnLine on_line = {}) {
  auto p = make_local_launcher()->start(c, std::move(on_line));
  EXPECT_TRUE(p) << p.error().sentence();
  return p ? std::move(*p) : nullptr;
}

std::unique_ptr<Process> shell(const std::string& script) { return must_start({.argv = {"sh", "-c", script}}); }

std::string texts(const std::vector<LogLine>& lines) {
  std::string out;
  for (const auto& l : lines) out += (l.is_stderr ? "E:" : "O:") + l.text + "\n";
  return out;
}

/// Number behind `word` in the captured lines, once it is there.
std::int64_t number_after(Process& p, const std::string& word) {
  std::int64_t found = 0;
  eventually([&] {
    for (const auto& l : p.lines())
      if (l.text.rfind(word + " ", 0) == 0) found = parse_int(l.text.substr(word.size() + 1)).value_or(0);
    return found != 0;
  });
  return found;
}

TEST(LocalLaunch, CapturesBothStreamsInOrderWithTimes) {
  auto p = shell("echo one; echo two; echo bad >&2; printf 'no end'");
  const auto exit = p->wait(patience);
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->code, 0);
  EXPECT_FALSE(exit->signalled);
  ASSERT_TRUE(eventually([&] { return p->lines().size() == 4; })) << texts(p->lines());
  std::string out;
  Instant last;
  for (const auto& l : p->lines()) {
    if (!l.is_stderr) out += l.text + "|";
    EXPECT_GE(l.at.mono, last.mono);
    EXPECT_GT(l.at.wall, 0);
    last = l.at;
  }
  EXPECT_EQ(out, "one|two|no end|");
  EXPECT_EQ(p->lines(3).size(), 1u);
  EXPECT_TRUE(p->lines(99).empty());
}

TEST(LocalLaunch, ExitCodesAreTheShellsWay) {
  EXPECT_EQ(must_start({.argv = {helper, "code", "7"}})->wait(patience)->code, 7);
  auto p = must_start({.argv = {helper, "signal", "9"}});
  const auto exit = p->wait(patience);
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->code, 137);
  EXPECT_TRUE(exit->signalled);
  ASSERT_TRUE(eventually([&] { return p->lines().size() == 1; }));
  EXPECT_EQ(p->lines()[0].text, "last words without a line end");
}

TEST(LocalLaunch, AProgramThatIsNotThereIsAClearError) {
  const auto start = [](const std::string& program) { return make_local_launcher()->start({.argv = {program}}, {}).error(); };
  EXPECT_EQ(start("no-such-engine").code, ErrorCode::not_found);
  EXPECT_THAT(start("no-such-engine").why, HasSubstr("looked in"));
  EXPECT_EQ(start("/nowhere/vllm").code, ErrorCode::not_found);
  EXPECT_EQ(start("/tmp").code, ErrorCode::bad_usage);
  test::TempDir dir;
  ASSERT_TRUE(write_file(dir / "plain", "#!/bin/sh\n"));
  EXPECT_THAT(start((dir / "plain").string()).why, HasSubstr("not executable"));
  std::ofstream(dir / "lost") << "#!/nowhere/python3\n";
  std::filesystem::permissions(dir / "lost", std::filesystem::perms::owner_all);
  EXPECT_THAT(start((dir / "lost").string()).why, HasSubstr("interpreter"));
  std::ofstream(dir / "garbage") << "\x01\x02\x03 no program";
  std::filesystem::permissions(dir / "garbage", std::filesystem::perms::owner_all);
  EXPECT_EQ(start((dir / "garbage").string()).code, ErrorCode::unsupported);
  EXPECT_EQ(make_local_launcher()->start({.argv = {}}, {}).error().code, ErrorCode::bad_usage);
  EXPECT_EQ(make_local_launcher()->start({.argv = {"sh"}, .working_dir = "/nowhere"}, {}).error().code, ErrorCode::not_found);
}

TEST(LocalLaunch, EnvironmentAndFolderAreAsAsked) {
  ::setenv("KVCLIFF_TEST_GONE", "x", 1);
  auto p = must_start({.argv = {"sh", "-c", "echo $KVCLIFF_TEST_SET/${KVCLIFF_TEST_GONE-unset}/$PYTHONUNBUFFERED; pwd"},
                       .env_set = {{"KVCLIFF_TEST_SET", "a b"}}, .env_unset = {"KVCLIFF_TEST_GONE"}, .working_dir = "/"});
  p->wait(patience);
  EXPECT_EQ(texts(p->lines()), "O:a b/unset/1\nO:/\n");
}

TEST(LocalLaunch, ChildLeadsASessionOfItsOwnAndInheritsNothing) {
  const int stray = ::open("/dev/null", O_RDONLY);  // without close-on-exec
  ASSERT_GE(stray, 0);
  ::signal(SIGPIPE, SIG_IGN);
  auto p = shell("ls /proc/self/fd | wc -l; grep SigIgn /proc/self/status; sleep 600");
  ASSERT_TRUE(eventually([&] { return p->lines().size() == 2; }));
  EXPECT_EQ(p->lines()[0].text, "4") << "0, 1, 2 and the listing's own";
  EXPECT_THAT(p->lines()[1].text, HasSubstr("0000000000000000"));
  EXPECT_EQ(::getsid(static_cast<pid_t>(p->pid())), p->pid());
  EXPECT_EQ(::getpgid(static_cast<pid_t>(p->pid())), p->pid());
  ::close(stray);
}

TEST(LocalLaunch, HundredThousandLinesArriveWhole) {
  std::atomic<long> seen{0};
  std::atomic<bool> ordered{true};
  auto p = must_start({.argv = {helper, "lines", "250000"}}, [&](const LogLine& l) {
    if (l.text != "line " + std::to_string(seen++) + " of the log") ordered = false;
  });
  ASSERT_TRUE(p->wait(patience));
  ASSERT_TRUE(eventually([&] { return seen == 250'000; })) << seen;
  EXPECT_TRUE(ordered);
  const auto kept = p->lines();
  EXPECT_EQ(kept.size(), 200'000u) << "memory is bounded";
  EXPECT_EQ(kept.front().text, "line 0 of the log");
  EXPECT_EQ(kept.back().text, "line 249999 of the log");
  EXPECT_EQ(p->lines(249'999).size(), 1u);
}

TEST(LocalLaunch, BinaryOutputDoesNotEndTheCapture) {
  auto p = shell("head -c 300000 /dev/urandom; echo; echo still here");
  ASSERT_TRUE(p->wait(patience));
  ASSERT_TRUE(eventually([&] { return !p->lines().empty() && p->lines().back().text == "still here"; }));
  for (const auto& l : p->lines()) EXPECT_EQ(to_valid_utf8(l.text), l.text);
}

TEST(Stop, ChildThatObeysEndsInGrace) {
  auto p = shell("trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.01; done");
  ASSERT_TRUE(eventually([&] { return !p->lines().empty(); }));
  EXPECT_TRUE(p->running());
  const auto stopped = p->stop(patience);
  ASSERT_TRUE(stopped) << stopped.error().sentence();
  EXPECT_TRUE(stopped->terminated_in_grace);
  EXPECT_EQ(stopped->killed, 0);
  EXPECT_EQ(stopped->exit.code, 0);
  EXPECT_THAT(texts(p->lines()), HasSubstr("O:bye"));
  EXPECT_FALSE(p->signal(SIGTERM));
}

TEST(Stop, ChildThatIgnoresTheSignalIsKilledAfterGrace) {
  auto p = shell("trap '' TERM; echo up; while :; do sleep 0.01; done");
  ASSERT_TRUE(eventually([&] { return !p->lines().empty(); }));
  const auto stopped = p->stop(200ms);
  ASSERT_TRUE(stopped);
  EXPECT_FALSE(stopped->terminated_in_grace);
  EXPECT_EQ(stopped->exit.code, 137);
  EXPECT_GE(stopped->killed, 1);
}

TEST(Stop, DescendantsOutsideTheGroupEndToo) {
  auto p = must_start({.argv = {helper, "tree"}});
  const auto child = number_after(*p, "child"), daemon = number_after(*p, "daemon");
  ASSERT_TRUE(child && daemon);
  EXPECT_NE(::getsid(static_cast<pid_t>(daemon)), p->pid());
  std::vector<std::int64_t> pids;
  for (const auto& m : p->members()) pids.push_back(m.pid);
  EXPECT_THAT(pids, ::testing::UnorderedElementsAre(p->pid(), child, daemon));
  const auto stopped = p->stop(5s);
  ASSERT_TRUE(stopped) << stopped.error().sentence();
  EXPECT_TRUE(stopped->terminated_in_grace);
  EXPECT_EQ(stopped->exit.code, 143);
  EXPECT_EQ(stopped->killed, 2);
  EXPECT_FALSE(alive(child));
  EXPECT_FALSE(alive(daemon));
  EXPECT_TRUE(p->members().empty());
}

TEST(Stop, AfterACrashTheOrphansAreSeenAndEnded) {
  auto p = must_start({.argv = {helper, "tree"}});
  const auto child = number_after(*p, "child"), daemon = number_after(*p, "daemon");
  ASSERT_TRUE(child && daemon);
  ::kill(static_cast<pid_t>(p->pid()), SIGKILL);
  ASSERT_TRUE(p->wait(patience));
  EXPECT_FALSE(p->running());
  EXPECT_EQ(p->members().size(), 2u);
  const auto stopped = p->stop(1s);
  ASSERT_TRUE(stopped);
  EXPECT_EQ(stopped->exit.code, 137);
  EXPECT_FALSE(alive(child) || alive(daemon));
}

TEST(Stop, ASecondStopWaitsForTheFirstRound) {
  auto p = shell("n=0; trap 'n=$((n+1)); echo signal $n; [ $n -gt 1 ] && exit 9; (sleep 0.3; kill -USR1 $$) &' TERM; trap 'exit 5' USR1; echo up; while :; do sleep 0.01; done");
  ASSERT_TRUE(eventually([&] { return !p->lines().empty(); }));
  auto other = std::async(std::launch::async, [&] { return p->stop(patience); });
  const auto mine = p->stop(patience);
  const auto theirs = other.get();
  ASSERT_TRUE(mine && theirs);
  EXPECT_EQ(mine->exit.code, 5) << "one SIGTERM only: engines take the second as a wish for haste";
  EXPECT_EQ(theirs->exit.code, 5);
}

TEST(Stop, DestroyingTheProcessEndsIt) {
  auto p = must_start({.argv = {helper, "tree"}});
  const auto front = p->pid(), daemon = number_after(*p, "daemon");
  p.reset();
  EXPECT_FALSE(alive(front));
  EXPECT_FALSE(alive(daemon));
}

TEST(Death, KillNineOfTheWorkbenchLeavesNothing) {
  // The workbench here is a program of its own: it launches a tree of deaf processes and is then killed.
  auto bench = must_start({.argv = {helper, "launch", helper, "tree", "deaf"}});
  const auto front = number_after(*bench, "launched"), child = number_after(*bench, "child"), daemon = number_after(*bench, "daemon");
  ASSERT_TRUE(front && child && daemon);
  EXPECT_TRUE(alive(front) && alive(child) && alive(daemon));
  ::kill(static_cast<pid_t>(bench->pid()), SIGKILL);
  EXPECT_TRUE(eventually([&] { return !alive(front) && !alive(child) && !alive(daemon); }));
}

TEST(Death, KillNineOfTheGuardLeavesNothing) {
  auto p = must_start({.argv = {helper, "tree", "deaf"}});
  const auto child = number_after(*p, "child"), daemon = number_after(*p, "daemon");
  ASSERT_TRUE(child && daemon);
  std::int64_t guard = 0;
  for (const auto& e : read_table())
    if (e.process.pid == p->pid()) guard = e.process.ppid;
  ASSERT_GT(guard, 1);
  ::kill(static_cast<pid_t>(guard), SIGKILL);
  const auto exit = p->wait(patience);
  ASSERT_TRUE(exit);
  EXPECT_TRUE(eventually([&] { return !alive(p->pid()) && !alive(child) && !alive(daemon); }));
  const auto stopped = p->stop(1s);
  ASSERT_TRUE(stopped);
  EXPECT_THAT(stopped->notes, ::testing::Contains(HasSubstr("guards")));
}

TEST(Death, TheGuardDoesNotBearTheWorkbenchsName) {
  auto p = shell("sleep 600");
  for (const auto& e : read_table())
    if (e.process.pid == p->pid()) {
      const auto line = read_file("/proc/" + std::to_string(e.process.ppid) + "/cmdline");
      EXPECT_THAT(line.value_or("") + " ", ::testing::Not(HasSubstr("test_process")));
    }
}

TEST(FieldCases, Case065LinesComeAsTheyAreWritten) {
  auto p = must_start({.argv = {"python3", test::data("cases/065-log-comes-only-at-the-end/fake_server.py").string(), "600"}});
  ASSERT_TRUE(p);
  ASSERT_TRUE(eventually([&] { return p->lines().size() >= 3; })) << "the child sleeps: nothing but its own flush brings them";
  EXPECT_TRUE(p->running());
  ASSERT_TRUE(p->signal(SIGKILL));
  ASSERT_TRUE(p->wait(patience));
  std::string out, err;
  for (const auto& l : p->lines()) (l.is_stderr ? err : out) += l.text + ";";
  EXPECT_EQ(out, "line 1: starting;line 3: loading;");
  EXPECT_EQ(err, "line 2: on stderr;");
}

TEST(FieldCases, Case071ChildrenThatSurviveSigtermAreKilled) {
  auto p = must_start({.argv = {"python3", test::data("cases/071-children-survive-sigterm/fake_server.py").string()}});
  ASSERT_TRUE(p);
  // Both have spoken: the child ignores the signal by then. Unbuffered, their words can mix within a line.
  ASSERT_TRUE(eventually([&] {
    std::string said;
    for (const auto& l : p->lines()) said += l.text;
    return said.find("child") != std::string::npos && said.find("front") != std::string::npos;
  }));
  // So its number comes from the process table.
  std::int64_t child = 0;
  for (const auto& m : p->members())
    if (m.ppid == p->pid()) child = m.pid;
  ASSERT_NE(child, 0);
  auto stopping = std::async(std::launch::async, [&] { return p->stop(5s); });
  ASSERT_TRUE(p->wait(patience));
  EXPECT_TRUE(alive(child)) << "the front has left, the child lives: this is not yet stopped";
  const auto stopped = stopping.get();
  ASSERT_TRUE(stopped) << stopped.error().sentence();
  EXPECT_LT(stopped->took, 6s);
  EXPECT_EQ(stopped->killed, 1);
  EXPECT_FALSE(alive(child));
  EXPECT_TRUE(p->members().empty());
}

}  // namespace
}  // namespace kvcliff::process
