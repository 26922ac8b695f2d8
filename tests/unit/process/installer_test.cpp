// SPDX-License-Identifier: GPL-3.0-or-later
// Installing against an interpreter and a package tool written by the test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/file.h"
#include "process/installer.h"
#include "support/data.h"

namespace kvcliff::process {
namespace {
namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Installing : public ::testing::Test {
 protected:
  Installing() : path_(std::getenv("PATH")) {
    fs::create_directories(dir_ / "tools");
    ::setenv("PATH", ((dir_ / "tools").string() + ":/usr/bin:/bin").c_str(), 1);
    // "python3.11 -c" says its version, "-m venv DIR" makes one whose python records its arguments.
    program("python3.11",
            "if [ \"$1\" = -c ]; then echo 3.11; exit 0; fi\n"
            "echo venv >> " + log() + "\nmkdir -p \"$3/bin\" \"$3/lib/python3.11/site-packages\"\n"
            "printf '#!/bin/sh\\necho \"$@\" >> " + log() + "\\necho Collecting torch\\n[ -e " + (dir_ / "fail").string() +
            " ] && { echo \"ERROR: connection timed out\" >&2; exit 1; }\\nexit 0\\n' > \"$3/bin/python\"\nchmod +x \"$3/bin/python\"\n");
    std::ofstream(dir_ / "x.lock") << "torch==1 --hash=sha256:00\n";
  }
  ~Installing() override { ::setenv("PATH", path_.c_str(), 1); }
  void program(const std::string& name, const std::string& body) {
    std::ofstream(dir_ / "tools" / name) << "#!/bin/sh\n" << body;
    fs::permissions(dir_ / "tools" / name, fs::perms::owner_all);
  }
  std::string log() const { return (dir_ / "log").string(); }
  std::string said() const { return read_file(log()).value_or(""); }
  InstallOptions options() const { return {.folder = dir_ / "env", .lock = dir_ / "x.lock"}; }
  const EngineRecipe recipe_{.name = "x", .engine = "vllm", .version = "0.32.0", .python = "3.11", .lock = "x.lock", .metadata_alias = "vllm", .alias_version = "0.32.0+cpu"};
  test::TempDir dir_;
  std::string path_;
};

TEST_F(Installing, PacketsAreInstalledWithTheirHashesAndTheAliasIsWritten) {
  std::vector<std::string> lines;
  const auto done = install_engine(recipe_, options(), [&](int, int, const std::string& l) { lines.push_back(l); });
  ASSERT_TRUE(done) << done.error().sentence();
  EXPECT_THAT(said(), HasSubstr("-m pip install --disable-pip-version-check --progress-bar off --no-deps --require-hashes -r " + (dir_ / "x.lock").string()));
  EXPECT_THAT(lines, ::testing::Contains("Collecting torch"));
  EXPECT_TRUE(is_installed(dir_ / "env"));
  EXPECT_TRUE(fs::exists(dir_ / "env/lib/python3.11/site-packages/vllm-0.32.0+cpu.dist-info/METADATA"))
      << "a CPU build looks for its platform in the version of this name";
  ASSERT_TRUE(remove_engine(dir_ / "env"));
  EXPECT_FALSE(fs::exists(dir_ / "env"));
}

TEST_F(Installing, AFailureNamesItsLineAndTheNextTryGoesOn) {
  std::ofstream(dir_ / "fail") << "x";
  const auto failed = install_engine(recipe_, options(), {});
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().why, HasSubstr("connection timed out"));
  EXPECT_THAT(failed.error().next, HasSubstr("goes on"));
  EXPECT_FALSE(is_installed(dir_ / "env"));
  fs::remove(dir_ / "fail");
  ASSERT_TRUE(install_engine(recipe_, options(), {}));
  const auto log = said();
  EXPECT_EQ(log.find("venv"), log.rfind("venv")) << "the environment is made once";
}

TEST_F(Installing, OfflineTakesTheWheelsOnly) {
  auto o = options();
  o.wheels = dir_ / "wheels";
  EXPECT_EQ(install_engine(recipe_, o, {}).error().code, ErrorCode::not_found);
  fs::create_directories(o.wheels);
  ASSERT_TRUE(install_engine(recipe_, o, {}));
  EXPECT_THAT(said(), HasSubstr("--no-index --find-links " + o.wheels.string()));
}

TEST_F(Installing, WrongPlacesAndInterpretersAreRefused) {
  fs::create_directories(dir_ / "env/other");
  EXPECT_EQ(install_engine(recipe_, options(), {}).error().code, ErrorCode::busy);
  EXPECT_EQ(remove_engine(dir_ / "env").error().code, ErrorCode::bad_usage);
  EXPECT_TRUE(fs::exists(dir_ / "env/other"));
  EXPECT_EQ(remove_engine(dir_ / "nothing").error().code, ErrorCode::not_found);
  fs::remove_all(dir_ / "env");
  auto r = recipe_;
  r.python = "3.99";
  const auto failed = install_engine(r, options(), {});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::not_found);
  EXPECT_THAT(failed.error().what, HasSubstr("3.99"));
}

TEST_F(Installing, AStopIsHeard) {
  program("python3.11", "if [ \"$1\" = -c ]; then echo 3.11; exit 0; fi\nsleep 600\n");
  const std::atomic<bool> stop{true};
  auto o = options();
  o.stop = &stop;
  EXPECT_EQ(install_engine(recipe_, o, {}).error().code, ErrorCode::interrupted);
}

TEST(Recipes, ShippedOnesAreWholeAndPinned) {
  const fs::path folder = fs::path(KVCLIFF_SOURCE_DIR) / "resources/engines";
  const auto recipes = read_recipes(folder);
  ASSERT_TRUE(recipes) << recipes.error().sentence();
  ASSERT_FALSE(recipes->empty());
  for (const auto& r : *recipes) {
    const auto lock = read_file(folder / r.lock);
    ASSERT_TRUE(lock) << r.lock;
    std::size_t pins = 0, hashes = 0;
    for (std::size_t at = 0; (at = lock->find("==", at)) != std::string::npos; ++at) ++pins;
    for (std::size_t at = 0; (at = lock->find("--hash=sha256:", at)) != std::string::npos; ++at) ++hashes;
    EXPECT_GT(pins, 50u) << r.name;
    EXPECT_EQ(pins, hashes) << r.name;
  }
}

TEST(Recipes, FaultsAreNamed) {
  const Json good{{"name", "x"}, {"engine", "vllm"}, {"version", "1"}, {"python", "3.11"}, {"lock", "x.lock"}};
  EXPECT_TRUE(parse_recipe(good, "w"));
  for (const auto& key : {"name", "engine", "version", "python", "lock"}) {
    auto bad = good;
    bad.erase(key);
    EXPECT_EQ(parse_recipe(bad, "w").error().why, key);
  }
  auto bad = good;
  bad["lock"] = "../x.lock";
  EXPECT_FALSE(parse_recipe(bad, "w"));
  bad = good;
  bad["extra"] = 1;
  EXPECT_FALSE(parse_recipe(bad, "w"));
  EXPECT_FALSE(parse_recipe(Json::array(), "w"));
}

}  // namespace
}  // namespace kvcliff::process
