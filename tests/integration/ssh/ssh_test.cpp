// SPDX-License-Identifier: GPL-3.0-or-later
// Engines that are started over a real SSH connection: measured, stopped, orphaned, cut off, and refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/json.h"
#include "integration/run/cli.h"
#include "integration/ssh/ssh_server.h"
#include "journal/reader.h"
#include "process/ports.h"
#include "support/marked.h"
#include "support/raw_server.h"

namespace kvcliff {
namespace {
using namespace std::chrono_literals;
using test::Cli;
using test::take;
using ::testing::AllOf;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

class Ssh : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = new test::SshServer; }
  static void TearDownTestSuite() { delete server_; }

  Json launcher() const {
    return {{"kind", "ssh"}, {"host", "127.0.0.1"}, {"user", server_->user()}, {"port", std::to_string(server_->port())}, {"config", server_->config()}};
  }
  std::string plan(const Json& launcher, const std::string& engine = std::string(KVCLIFF_BINARY_DIR) + "/bin/kvcliff-emulator") {
    Json p = *parse_json(*read_file(std::string(KVCLIFF_SOURCE_DIR) + "/resources/plans/reference.json"), "reference.json");
    p["launcher"] = launcher;
    p["engine"]["environment"] = engine;
    p["engine"]["extra_env"] = {{mark_.name(), mark_.value()}};
    p["workload"]["documents"] = 3;
    p["workload"]["rounds"] = 2;
    p["schedule"] = {{"pairs", 1}, {"controls", Json::array()}};
    p["limits"]["stop_s"] = 5;
    EXPECT_TRUE(write_file(dir_ / "plan.json", p.dump()));
    return dir_ / "plan.json";
  }
  std::string journal() const { return dir_ / "j.kvcliff"; }

  std::int64_t measured() const {
    if (!fs::exists(journal())) return 0;
    const auto r = journal::Reader::open(journal());
    if (!r) return 0;
    const auto sessions = r->sessions(1);
    return sessions && !sessions->empty() ? r->request_count(sessions->front().id)->measured : 0;
  }
  /// A run that is slow enough to be met at work.
  Cli started() { return Cli(dir_, {"run", plan(launcher()), "--journal", journal(), "--time-scale", "0.5", "--json"}); }
  void wait_until_it_measures(const Cli& cli) {
    for (int i = 0; i < 1200 && measured() < 2; ++i) std::this_thread::sleep_for(50ms);
    ASSERT_GE(measured(), 2) << cli.err() << server_->log();
  }
  void nothing_left() const {
    EXPECT_EQ(mark_.left_after(15'000), (std::map<pid_t, std::string>{})) << server_->log();
    for (int i = 0; i < 100 && !server_->connections().empty(); ++i) std::this_thread::sleep_for(50ms);
    EXPECT_THAT(server_->connections(), ::testing::IsEmpty());
  }
  void goes_on() {
    Cli again(dir_, {"run", dir_ / "plan.json", "--journal", journal(), "--resume", "--time-scale", "0.02", "--json"});
    EXPECT_EQ(again.wait(), 1) << "one pair is no comparison: " << again.err() << again.out();
    const auto j = parse_json(again.out(), "stdout");
    ASSERT_TRUE(j) << again.out();
    EXPECT_EQ(j->value("reconciled", 0), 12) << again.out();
  }
  SessionRecord first_session() const { return take(take(journal::Reader::open(journal())).sessions(1)).front(); }
  /// Said before anything was launched, as a failed preflight.
  void expect_refused(const Json& launcher, const std::string& words) {
    Cli cli(dir_, {"run", plan(launcher), "--journal", journal(), "--time-scale", "0.02", "--quiet"});
    EXPECT_EQ(cli.wait(), 3) << cli.err();
    EXPECT_THAT(cli.err(), AllOf(HasSubstr("127.0.0.1 cannot be reached by ssh"), HasSubstr(words), HasSubstr("try it in a terminal: ssh -T")));
    const auto s = first_session();
    EXPECT_EQ(s.state, SessionState::failed);
    EXPECT_TRUE(s.argv.empty()) << "nothing was launched";
    nothing_left();
  }

  static inline test::SshServer* server_ = nullptr;
  test::TempDir dir_;
  const test::Mark mark_;   ///< of the engine alone
};

TEST_F(Ssh, TheWholeRunIsMeasured) {
  Cli cli(dir_, {"run", plan(launcher()), "--journal", journal(), "--time-scale", "0.02", "--json"});
  EXPECT_EQ(cli.wait(), 1) << "one pair is no comparison: " << cli.err() << cli.out();
  const auto j = parse_json(cli.out(), "stdout");
  ASSERT_TRUE(j) << cli.out();
  EXPECT_EQ(j->value("requests", 0), 12);
  EXPECT_EQ(j->value("reconciled", 0), 12);
  for (const auto& s : j->at("sessions")) EXPECT_EQ(s.at("state"), "finished");
  EXPECT_THAT(server_->log(), HasSubstr("Pubkey auth succeeded"));
  const auto s = first_session();
  EXPECT_EQ(s.stop.value("terminated_in_grace", false), true) << s.stop;
  nothing_left();
}

TEST_F(Ssh, CtrlCEndsTheEngineThere) {
  Cli cli = started();
  wait_until_it_measures(cli);
  cli.signal(SIGINT);
  EXPECT_EQ(cli.wait(), 130) << cli.err();
  EXPECT_EQ(first_session().state, SessionState::stopped_by_user);
  nothing_left();
  goes_on();
}

TEST_F(Ssh, AKilledWorkbenchLeavesNoEngineThere) {
  Cli cli = started();
  wait_until_it_measures(cli);
  cli.signal(SIGKILL);
  EXPECT_EQ(cli.wait(), 128 + SIGKILL);
  nothing_left();
  goes_on();
}

TEST_F(Ssh, AConnectionThatIsCutEndsTheSessionAndTheEngine) {
  Cli cli = started();
  wait_until_it_measures(cli);
  for (const pid_t p : server_->connections()) ::kill(p, SIGKILL);
  EXPECT_EQ(cli.wait(), 3) << cli.err() << cli.out();
  const auto s = first_session();
  EXPECT_EQ(s.state, SessionState::failed);
  EXPECT_THAT(s.why, HasSubstr("The connection to 127.0.0.1 was lost"));
  nothing_left();
  goes_on();
}

TEST_F(Ssh, AnSshThatIsKilledEndsTheSessionAndTheEngine) {
  Cli cli = started();
  wait_until_it_measures(cli);
  ASSERT_EQ(::kill(static_cast<pid_t>(first_session().pid), SIGKILL), 0);
  EXPECT_EQ(cli.wait(), 3) << cli.err() << cli.out();
  EXPECT_EQ(first_session().state, SessionState::failed);
  EXPECT_THAT(first_session().why, HasSubstr("signal 9"));
  nothing_left();
}

TEST_F(Ssh, AProgramThatIsNotThereIsNamed) {
  Cli cli(dir_, {"run", plan(launcher(), "/nowhere/kvcliff-emulator"), "--journal", journal(), "--time-scale", "0.02", "--quiet"});
  EXPECT_EQ(cli.wait(), 3) << cli.err();
  EXPECT_THAT(cli.err(), AllOf(HasSubstr("/nowhere/kvcliff-emulator"), HasSubstr("cannot be started there")));
  nothing_left();
}

TEST_F(Ssh, AKeyThatIsNotKnownThereIsRefused) {
  Json l = launcher();
  l["config"] = server_->config(server_->stranger());
  expect_refused(l, "Permission denied");
}

TEST_F(Ssh, AServerThatIsNotKnownHereIsRefused) {
  Json l = launcher();
  l["config"] = server_->config("key", true);
  expect_refused(l, "Host key verification failed");
}

TEST_F(Ssh, APortWhereNobodyListensIsRefused) {
  Json l = launcher();
  l["port"] = std::to_string(*process::free_port());
  expect_refused(l, "Connection refused");
}

TEST_F(Ssh, AMachineThatStaysSilentIsGivenUp) {
  test::RawServer silent([](test::RawServer::Connection& c) { c.sleep_ms(60'000); });
  Json l = launcher();
  l["port"] = std::to_string(silent.port());
  l["options"] = "-o ConnectTimeout=1";
  expect_refused(l, "timed out");
}

}  // namespace
}  // namespace kvcliff
