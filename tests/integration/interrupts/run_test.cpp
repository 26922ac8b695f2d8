// SPDX-License-Identifier: GPL-3.0-or-later
// `run` is told to stop, by each signal and at each stage of its life. Programs that stand for the emulator, docker and vLLM
// hold it at a stage as long as a file lies in the test's folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/json.h"
#include "integration/run/cli.h"
#include "journal/reader.h"
#include "support/marked.h"

namespace kvcliff {
namespace {
using namespace std::chrono_literals;
using ::testing::AnyOf;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

struct Seen {
  std::vector<SessionRecord> sessions;
  std::int64_t measured = 0;
  bool asked = false;   ///< a stand-in wrote that it is holding
  bool passed(SessionState state, std::size_t session = 0) const {
    if (session >= sessions.size()) return false;
    for (const auto& c : sessions[session].changes)
      if (c.state == state) return true;
    return false;
  }
};

enum class Kind { run, engine_elsewhere, vllm };

struct Stage {
  std::string name;
  Kind kind = Kind::run;
  std::string hold;                            ///< what the emulator's stand-in does while the file lies there
  double time_scale = 0.02;
  std::function<bool(const Seen&)> reached;
  bool begun = true;                           ///< an experiment is in the journal by then
  bool over = false;                           ///< the run is over by then: its own exit code and state stand
};

struct Way {
  std::string name;
  int signal = SIGINT;
  bool twice = false, group = false;
};

void PrintTo(const Stage& s, std::ostream* out) { *out << s.name; }
void PrintTo(const Way& w, std::ostream* out) { *out << w.name; }

std::vector<Stage> stages() {
  const auto state = [](SessionState s) { return [s](const Seen& seen) { return seen.passed(s); }; };
  return {
      {"AskingForFlags", Kind::vllm, "", 1, [](const Seen& s) { return s.asked; }, false, false},
      {"Preflight", Kind::engine_elsewhere, "", 0.02, [](const Seen& s) { return s.asked; }, true, false},
      {"EngineStarts", Kind::run, "--emulate-fault hang-start", 0.02, [](const Seen& s) { return s.asked && s.passed(SessionState::launching); }, true, false},
      {"WarmingUp", Kind::run, "", 0.5, state(SessionState::warming), true, false},
      {"Measuring", Kind::run, "", 0.5, [](const Seen& s) { return s.measured >= 2; }, true, false},
      {"Settling", Kind::run, "--emulate-fault slow-metrics", 0.02, state(SessionState::settling), true, false},
      {"BetweenSessions", Kind::run, "", 0.05, state(SessionState::finished), true, false},
      {"StoppingAnEngine", Kind::run, "--emulate-fault hang-stop", 0.02, state(SessionState::stopping), true, false},
      {"Judging", Kind::run, "", 0.02, [](const Seen& s) { return s.passed(SessionState::finished, 1); }, true, true},
  };
}

class Interrupts : public ::testing::TestWithParam<std::tuple<Stage, Way>> {
 protected:
  void program(const std::string& name, const std::string& body) {
    fs::create_directories((dir_ / name).parent_path());
    ASSERT_TRUE(write_file(dir_ / name, "#!/bin/sh\n" + body));
    fs::permissions(dir_ / name, fs::perms::owner_all);
  }
  std::string file(const std::string& name) const { return "'" + (dir_ / name).string() + "'"; }

  /// Two sessions on small documents: a run of a second.
  std::string plan(Kind kind) {
    Json p = *parse_json(*read_file(std::string(KVCLIFF_SOURCE_DIR) + "/resources/plans/reference.json"), "reference.json");
    p["workload"]["documents"] = 3;
    p["workload"]["rounds"] = 2;
    p["schedule"] = {{"pairs", 1}, {"first", "off"}, {"controls", Json::array()}};
    p["limits"]["stop_s"] = 3;
    if (kind == Kind::engine_elsewhere) {
      p["launcher"] = {{"kind", "container"}, {"runtime", "docker"}, {"image", "i"}};
      p["engine"]["environment"] = (dir_ / "emulator").string();
    }
    if (kind == Kind::vllm) {
      p["engine"]["adapter"] = "vllm";
      p["engine"]["environment"] = (dir_ / "venv").string();
    }
    EXPECT_TRUE(write_file(dir_ / "plan.json", p.dump()));
    return dir_ / "plan.json";
  }
  std::string journal() const { return dir_ / "j.kvcliff"; }

  void stand_ins(const Stage& stage) {
    const std::string emulator = std::string(KVCLIFF_BINARY_DIR) + "/bin/kvcliff-emulator";
    const std::string hold = "[ -e " + file("hold") + " ] && ", asked = "touch " + file("asked");
    program("emulator", "more=\n" + hold + asked + " && more='" + stage.hold + "'\nexec '" + emulator + "' \"$@\" $more\n");
    program("docker", "case $1 in\nrun) shift\n  while [ \"$1\" != --entrypoint ]; do shift; done\n  program=$2; shift 3\n  exec \"$program\" \"$@\";;\nimage) " +
                          hold + asked + " && sleep 60;;\nesac\nexit 0\n");
    program("venv/bin/vllm", asked + "\nsleep 60\n");
    ASSERT_TRUE(write_file(dir_ / "hold", ""));
  }

  test::How how(bool group = false) {
    return {{mark_.entry(), "KVCLIFF_EMULATOR=" + (dir_ / "emulator").string(), "PATH=" + dir_.path().string() + ":" + std::getenv("PATH")}, group, {}};
  }

  Seen look() const {
    Seen out;
    out.asked = fs::exists(dir_ / "asked");
    const auto r = fs::exists(journal()) ? journal::Reader::open(journal()) : Result<journal::Reader>(fail(ErrorCode::not_found, ""));
    if (!r) return out;
    out.sessions = r->sessions(1).value_or(std::vector<SessionRecord>());
    if (!out.sessions.empty()) out.measured = r->request_count(out.sessions.front().id).value_or(journal::Reader::Counts()).measured;
    return out;
  }
  bool wait_for(test::Cli& cli, const Stage& stage) {
    for (int i = 0; i < 12'000; ++i) {
      if (stage.reached(look())) return true;
      if (cli.wait_for(5ms)) return stage.over && stage.reached(look());
    }
    return false;
  }

  test::TempDir dir_;
  const test::Mark mark_;
};

TEST_P(Interrupts, EndInANamedStateWithNothingLeft) {
  const Stage& stage = std::get<0>(GetParam());
  const Way& way = std::get<1>(GetParam());
  stand_ins(stage);
  const std::string file = plan(stage.kind);
  std::vector<std::string> args{"run", file, "--journal", journal(), "--json"};
  if (stage.kind != Kind::vllm) args.insert(args.end(), {"--time-scale", std::to_string(stage.time_scale)});
  test::Cli cli(dir_, args, how(way.group));
  ASSERT_TRUE(wait_for(cli, stage)) << cli.err() << cli.out();
  const auto tell = [&] {
    if (cli.pid() > 0) ::kill(way.group ? -cli.pid() : cli.pid(), way.signal);
  };
  std::optional<int> code;
  if (cli.pid() > 0) {
    tell();
    if (way.twice) {
      code = cli.wait_for(700ms);
      if (!code) tell();
    }
    if (!code) code = cli.wait_for(60s);
    ASSERT_TRUE(code) << "it still runs a minute later\n" << cli.err();
    EXPECT_THAT(*code, stage.over ? AnyOf(1, 130) : AnyOf(130, 130)) << cli.err();
  }
  EXPECT_EQ(mark_.left_after(8000), (std::map<pid_t, std::string>{}));

  // A second signal ends the program at once, words or no words; else there is one JSON document.
  if (!way.twice || !cli.out().empty()) {
    EXPECT_TRUE(parse_json(cli.out(), "stdout")) << cli.out();
  }
  const auto r = journal::Reader::open(journal());
  ASSERT_TRUE(r) << r.error().sentence();
  const auto all = r->experiments();
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), stage.begun ? 1u : 0u);
  if (!stage.begun) {
    EXPECT_THAT(cli.out() + cli.err(), HasSubstr("stopped by the user"));
    return;
  }
  if (stage.over) {
    EXPECT_EQ(all->front().state, "finished");
    return;
  }
  if (!way.twice) {
    EXPECT_EQ(all->front().state, "stopped_by_user");
    EXPECT_FALSE(fs::exists(journal() + "-wal")) << "closed, it is one file";
    for (const auto& s : test::take(r->sessions(1))) EXPECT_THAT(s.state, AnyOf(SessionState::finished, SessionState::stopped_by_user, SessionState::planned));
  }
  // With the hindrance gone the run goes on to its end, and ends as one that was never stopped.
  fs::remove(dir_ / "hold");
  test::Cli again(dir_, {"run", file, "--journal", journal(), "--resume", "--time-scale", "0.01", "--json"}, how());
  EXPECT_EQ(again.wait(), 1) << "one pair is no comparison: " << again.err() << again.out();
  const auto j = parse_json(again.out(), "stdout");
  ASSERT_TRUE(j) << again.out();
  EXPECT_EQ(j->value("requests", 0), 12) << again.out();
  EXPECT_EQ(j->value("reconciled", 0), 12);
  EXPECT_EQ(mark_.left_after(8000), (std::map<pid_t, std::string>{}));
}

std::string name_of(const ::testing::TestParamInfo<std::tuple<Stage, Way>>& info) {
  return std::get<0>(info.param).name + std::get<1>(info.param).name;
}

INSTANTIATE_TEST_SUITE_P(Run, Interrupts,
                         ::testing::Combine(::testing::ValuesIn(stages()),
                                            ::testing::Values(Way{"CtrlC", SIGINT, false, true}, Way{"Term", SIGTERM, false, false},
                                                              Way{"CtrlCTwice", SIGINT, true, true}, Way{"TermTwice", SIGTERM, true, false})),
                         name_of);

// timeout(1) signals the program, and then its whole group: that is one wish, and must not cut the orderly end short.
TEST_F(Interrupts, TwoSignalsAtOnceAreOneWish) {
  const Stage stage = stages()[4];
  stand_ins(stage);
  test::Cli cli(dir_, {"run", plan(stage.kind), "--journal", journal(), "--json", "--time-scale", "0.5"}, how());
  ASSERT_TRUE(wait_for(cli, stage)) << cli.err();
  cli.signal(SIGTERM);
  std::this_thread::sleep_for(20ms);
  cli.signal(SIGTERM);
  cli.signal(SIGINT);
  EXPECT_EQ(cli.wait(), 130);
  EXPECT_EQ(mark_.left_after(8000), (std::map<pid_t, std::string>{}));
  EXPECT_EQ(journal::Reader::open(journal())->experiment("")->state, "stopped_by_user");
  EXPECT_TRUE(parse_json(cli.out(), "stdout")) << cli.out();
}

}  // namespace
}  // namespace kvcliff
