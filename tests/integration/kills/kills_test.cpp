// SPDX-License-Identifier: GPL-3.0-or-later
// The engine core killed, the API server killed, a start that hangs, a stop that hangs: the session ends in a named state
// and no process of the engine is left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <thread>

#include "base/json.h"
#include "integration/run/cli.h"
#include "journal/reader.h"
#include "support/marked.h"

namespace kvcliff {
namespace {
using namespace std::chrono_literals;
using ::testing::HasSubstr;

class Kills : public ::testing::Test {
 protected:
  /// One server of the reference plan, slow enough to be met while it measures.
  std::string plan(const std::vector<std::string>& emulator_args, double start_s = 60, double stop_s = 10) {
    Json p = *parse_json(*read_file(std::filesystem::path(KVCLIFF_SOURCE_DIR) / "resources/plans/reference.json"), "reference.json");
    p["arms"] = {{{"name", "on"}, {"offload", true}, {"overrides", Json::object()}}};
    p["schedule"] = {{"pairs", 0}, {"controls", {"on"}}};
    p["limits"]["start_s"] = start_s;
    p["limits"]["stop_s"] = stop_s;
    p["engine"]["extra_args"] = emulator_args;
    p["engine"]["extra_env"] = {{mark_.name(), mark_.value()}};
    EXPECT_TRUE(write_file(dir_ / "plan.json", p.dump()));
    return dir_ / "plan.json";
  }
  std::string journal() const { return dir_ / "j.kvcliff"; }

  std::int64_t measured() const {
    const auto r = journal::Reader::open(journal());
    if (!r) return 0;
    const auto sessions = r->sessions(1);
    return sessions && !sessions->empty() ? r->request_count(sessions->front().id)->measured : 0;
  }
  /// Waits until requests are measured, then kills the process of that name.
  void kill_while_measuring(const test::Cli& cli, const std::string& name) {
    for (int i = 0; i < 1200 && measured() < 2; ++i) std::this_thread::sleep_for(50ms);
    ASSERT_GE(measured(), 2) << cli.err();
    pid_t victim = 0;
    for (const auto& [pid, called] : mark_.processes())
      if (called.rfind(name, 0) == 0) victim = pid;
    ASSERT_NE(victim, 0) << name << " is not running";
    ASSERT_EQ(::kill(victim, SIGKILL), 0);
  }
  void nothing_left() const {
    EXPECT_EQ(mark_.left_after(2000), (std::map<pid_t, std::string>{}));
  }
  SessionRecord session() const {
    const auto r = journal::Reader::open(journal());
    if (!r) throw std::runtime_error(r.error().sentence());
    auto all = r->sessions(1);
    if (!all || all->size() != 1) throw std::runtime_error("one session expected");
    return all->front();
  }

  test::TempDir dir_;
  const test::Mark mark_;   ///< of the engine: given to it alone
};

TEST_F(Kills, TheEngineCoreIsMissedAndItsServerEnded) {
  test::Cli cli(dir_, {"run", plan({}), "--journal", journal(), "--time-scale", "0.5", "--quiet"});
  kill_while_measuring(cli, "VLLM::EngineCor");
  EXPECT_EQ(cli.wait(), 3);
  nothing_left();
  const auto s = session();
  EXPECT_EQ(s.state, SessionState::failed);
  EXPECT_THAT(s.why, HasSubstr("engine core was ended from outside"));
  EXPECT_THAT(cli.err(), HasSubstr(s.why.substr(0, 20)));
}

TEST_F(Kills, TheChildrenOfAKilledServerDoNotSurvive) {
  test::Cli cli(dir_, {"run", plan({}), "--journal", journal(), "--time-scale", "0.5", "--quiet"});
  kill_while_measuring(cli, "kvcliff-emulato");
  EXPECT_EQ(cli.wait(), 3);
  nothing_left();  // left alone, the emulator's second process lives on for 30 s
  const auto s = session();
  EXPECT_EQ(s.state, SessionState::failed);
  EXPECT_THAT(s.why, HasSubstr("signal 9"));
}

TEST_F(Kills, AStartThatHangsIsGivenUpByItsSilence) {
  test::Cli cli(dir_, {"run", plan({"--emulate-fault", "hang-start"}, 1.0, 1.0), "--journal", journal(), "--time-scale", "0.02", "--quiet"});
  EXPECT_EQ(cli.wait(), 3);
  nothing_left();
  const auto s = session();
  EXPECT_EQ(s.state, SessionState::failed);
  EXPECT_THAT(s.why, HasSubstr("did not become ready"));
  EXPECT_EQ(measured(), 0);
}

TEST_F(Kills, AStopThatHangsEndsByForceAndKeepsItsResults) {
  test::Cli cli(dir_, {"run", plan({"--emulate-fault", "hang-stop"}, 60, 1.0), "--journal", journal(), "--time-scale", "0.02", "--quiet"});
  EXPECT_EQ(cli.wait(), 0) << "one session without a pair claims nothing: " << cli.err();
  nothing_left();
  const auto s = session();
  EXPECT_EQ(s.state, SessionState::finished);
  EXPECT_EQ(measured(), 18);
  EXPECT_EQ(s.stop.value("terminated_in_grace", true), false);
  EXPECT_GE(s.stop.value("killed", 0), 1);
}

}  // namespace
}  // namespace kvcliff
