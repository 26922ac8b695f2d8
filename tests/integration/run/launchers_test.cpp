// SPDX-License-Identifier: GPL-3.0-or-later
// From a plan's launcher to a measured run: programs on PATH that stand for docker and srun start the emulator here. Over ssh
// the whole run is measured in tests/integration/ssh, with a real server: a stand-in forwards no port.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/json.h"
#include "cli.h"
#include "journal/reader.h"

namespace kvcliff {
namespace {
using test::Cli;
using test::take;
using ::testing::HasSubstr;

class Launchers : public ::testing::Test {
 protected:
  Launchers() : path_(std::getenv("PATH")) { ::setenv("PATH", (dir_.path().string() + ":" + path_).c_str(), 1); }
  ~Launchers() override { ::setenv("PATH", path_.c_str(), 1); }

  void program(const std::string& name, const std::string& body) {
    std::ofstream(dir_ / name) << "#!/bin/sh\n" << body;
    std::filesystem::permissions(dir_ / name, std::filesystem::perms::owner_all);
  }
  /// A small experiment that starts its engines by `launcher`; the emulator is named as a program of the other side.
  std::string plan(const Json& launcher, const std::string& environment = std::string(KVCLIFF_BINARY_DIR) + "/bin/kvcliff-emulator") {
    Json p = *parse_json(*read_file(std::string(KVCLIFF_SOURCE_DIR) + "/resources/plans/reference.json"), "reference.json");
    p["launcher"] = launcher;
    p["engine"]["environment"] = environment;
    p["workload"]["tokens"] = 403;
    p["workload"]["documents"] = 3;
    p["workload"]["rounds"] = 2;
    p["capacity"]["gpu_blocks"] = 50;
    p["schedule"]["pairs"] = 1;
    p["schedule"]["controls"] = Json::array();
    EXPECT_TRUE(write_file(dir_ / "plan.json", p.dump(1)));
    return dir_ / "plan.json";
  }
  std::string journal() const { return dir_ / "j.kvcliff"; }

  /// Both sessions measured and reconciled; one pair alone gives no verdict, so a gate fails by design.
  void expect_measured(const Json& launcher, const std::string& notice) {
    Cli cli(dir_, {"run", plan(launcher), "--journal", journal(), "--time-scale", "0.02", "--json"});
    const int rc = cli.wait();
    EXPECT_EQ(rc, 1) << cli.err() << cli.out();
    const auto j = parse_json(cli.out(), "stdout");
    ASSERT_TRUE(j) << cli.out();
    ASSERT_TRUE(j->contains("requests")) << cli.out();
    EXPECT_EQ(j->at("requests"), 12);
    EXPECT_EQ(j->at("reconciled"), 12);
    EXPECT_EQ(j->at("simulated"), true);
    for (const auto& s : j->at("sessions")) EXPECT_EQ(s.at("state"), "finished");
    auto r = journal::Reader::open(journal());
    ASSERT_TRUE(r);
    std::string said;
    for (const auto& n : take(r->notices(1))) said += n.text + "\n";
    EXPECT_THAT(said, HasSubstr(notice));
  }
  void expect_refused(const Json& launcher, int code, const std::string& words) {
    Cli cli(dir_, {"run", plan(launcher), "--journal", journal(), "--time-scale", "0.02", "--quiet"});
    EXPECT_EQ(cli.wait(), code) << cli.err();
    EXPECT_THAT(cli.err() + cli.out(), HasSubstr(words));
    EXPECT_FALSE(std::filesystem::exists(dir_ / "engine-started"));
  }

  test::TempDir dir_;
  std::string path_;
};

TEST_F(Launchers, AMachineThatCannotBeReachedIsSaidBeforeTheLaunch) {
  program("ssh", "for last; do :; done\nif [ \"$last\" = true ]; then echo 'ssh: connect to host gpu7 port 22: Connection refused' >&2; exit 255; fi\ntouch " + (dir_ / "engine-started").string() + "\n");
  expect_refused({{"kind", "ssh"}, {"host", "gpu7"}}, 3, "gpu7 cannot be reached by ssh");
  auto r = journal::Reader::open(journal());
  ASSERT_TRUE(r);
  const auto s = take(r->sessions(1));
  EXPECT_EQ(s[0].state, SessionState::failed);
  EXPECT_THAT(s[0].why, HasSubstr("Connection refused"));
  EXPECT_TRUE(s[0].argv.empty()) << "nothing was launched";
}

const std::string docker = R"sh(
case $1 in
image) exit 0;;
ps) exit 0;;
run) shift
  while [ "$1" != --entrypoint ]; do
    case $1 in --name) name=$2;; esac
    shift
  done
  program=$2; shift 3
  exec "$program" "$@";;
rm) exit 0;;
esac
)sh";

TEST_F(Launchers, InAContainerTheWholeRunIsMeasured) {
  program("docker", docker);
  expect_measured({{"kind", "container"}, {"runtime", "docker"}, {"image", "vllm/vllm-openai:v0.26.0"}}, "started by container: docker run --rm");
}

TEST_F(Launchers, AContainerWithANetworkOfItsOwnListensOnEveryAddress) {
  program("docker", docker);
  const Json launcher{{"kind", "container"}, {"runtime", "docker"}, {"image", "i"}, {"network", "bridge"}};
  expect_measured(launcher, "started by container");
  const auto s = take(journal::Reader::open(journal())->sessions(1));
  const auto at = std::find(s[0].argv.begin(), s[0].argv.end(), "--host");
  ASSERT_NE(at, s[0].argv.end());
  EXPECT_EQ(*(at + 1), "0.0.0.0");
  EXPECT_THAT(s[0].url, HasSubstr("127.0.0.1")) << "published on loopback only";
}

TEST_F(Launchers, ADaemonThatDoesNotAnswerIsSaidBeforeTheLaunch) {
  program("docker", "echo 'Cannot connect to the Docker daemon at unix:///var/run/docker.sock.' >&2\n[ \"$1\" = run ] && touch " + (dir_ / "engine-started").string() + "\nexit 1\n");
  expect_refused({{"kind", "container"}, {"runtime", "docker"}, {"image", "i"}}, 3, "Cannot connect to the Docker daemon");
}

TEST_F(Launchers, AsASlurmJobTheWholeRunIsMeasured) {
  program("srun", "case \"$*\" in *--test-only*) exit 0;; esac\nwhile [ \"$1\" != sh ]; do shift; done\nsleep 0.3\nexec \"$@\"\n");
  program("scancel", "exit 0\n");
  expect_measured({{"kind", "slurm"}, {"partition", "debug"}}, "the engine runs on ");
  const auto s = take(journal::Reader::open(journal())->sessions(1));
  EXPECT_THAT(s[0].url, HasSubstr("127.0.0.1")) << "the stand-in's node is this machine";
}

TEST_F(Launchers, AJobThatTheClusterRefusesIsSaidBeforeTheLaunch) {
  program("srun", "case \"$*\" in *--test-only*) echo 'srun: error: invalid partition specified: moon' >&2; exit 1;; esac\ntouch " + (dir_ / "engine-started").string() + "\n");
  expect_refused({{"kind", "slurm"}, {"partition", "moon"}}, 3, "invalid partition specified: moon");
}

TEST_F(Launchers, ANamedEnvironmentOfThisMachineIsNoProgramThere) {
  program("ssh", "for last; do :; done\nexec sh -c \"$last\"\n");
  Cli cli(dir_, {"run", plan({{"kind", "ssh"}, {"host", "gpu7"}}, "vllm-cpu"), "--journal", journal(), "--quiet"});
  EXPECT_EQ(cli.wait(), 2) << cli.out();
  EXPECT_THAT(cli.err(), HasSubstr("names an environment of this machine"));
}

TEST_F(Launchers, AMissingLauncherProgramIsSaidBeforeAnythingIsWritten) {
  ::setenv("PATH", dir_.path().c_str(), 1);
  Cli cli(dir_, {"run", plan({{"kind", "slurm"}}), "--journal", journal(), "--quiet"});
  EXPECT_EQ(cli.wait(), 2);
  EXPECT_THAT(cli.err(), HasSubstr("srun is not found"));
  EXPECT_FALSE(std::filesystem::exists(journal()));
}

}  // namespace
}  // namespace kvcliff
