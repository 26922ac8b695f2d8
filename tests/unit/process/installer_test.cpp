// SPDX-License-Identifier: GPL-3.0-or-later
// Installing against an interpreter and a package tool written by the test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/file.h"
#include "process/install_tool.h"
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
    // "python3.11 -c" says its version, "-m venv DIR" makes one whose python records its arguments. What it installs is one
    // package of one file, unless the file `empty` is there; the file `fail` holds the words with which it fails.
    program("python3.11",
            "if [ \"$1\" = -c ]; then echo 3.11; exit 0; fi\n"
            "echo venv >> " + log() + "\nmkdir -p \"$3/bin\" \"" + site() + "\"\n"
            "cp " + (dir_ / "tools/inner").string() + " \"$3/bin/python\"\n");
    program("inner",
            "if [ \"$1\" = -c ]; then exit 0; fi\necho \"$@\" >> " + log() + "\necho Collecting torch\n"
            "if [ -e " + (dir_ / "fail").string() + " ]; then cat " + (dir_ / "fail").string() + " >&2; exit 1; fi\n" + put_in() + "exit 0\n");
    std::ofstream(dir_ / "x.lock") << "torch==1 --hash=sha256:00\n";
  }
  ~Installing() override { ::setenv("PATH", path_.c_str(), 1); }
  void program(const std::string& name, const std::string& body) {
    std::ofstream(dir_ / "tools" / name) << "#!/bin/sh\n" << body;
    fs::permissions(dir_ / "tools" / name, fs::perms::owner_all);
  }
  std::string site() const { return (dir_ / "env/lib/python3.11/site-packages").string(); }
  /// Shell words that install the package as a wheel would be.
  std::string put_in() const {
    return "case \" $* \" in *\" install \"*) [ -e " + (dir_ / "empty").string() + " ] || { mkdir -p " + site() + "/torch-1.dist-info; printf abc > " + site() +
           "/torch.py; printf 'torch.py,sha256=x,3\\ntorch-1.dist-info/RECORD,,\\n' > " + site() + "/torch-1.dist-info/RECORD; };; esac\n";
  }
  std::string log() const { return (dir_ / "log").string(); }
  std::string said() const { return read_file(log()).value_or(""); }
  InstallOptions options() const { return {.folder = dir_ / "env", .lock = dir_ / "x.lock"}; }
  const EngineRecipe recipe_{.name = "x", .engine = "vllm", .version = "0.32.0", .python = "3.11", .lock = "x.lock", .metadata_alias = "vllm", .alias_version = "0.32.0+cpu"};
  test::TempDir dir_;
  std::string path_;
};

TEST_F(Installing, PacketsAreFetchedAndInstalledWithTheirHashesAndTheAliasIsWritten) {
  std::vector<std::string> lines;
  const auto done = install_engine(recipe_, options(), [&](int, int, const std::string& l) { lines.push_back(l); });
  ASSERT_TRUE(done) << done.error().sentence();
  EXPECT_EQ(done->packages, 1u);
  EXPECT_EQ(done->added, 1u);
  EXPECT_THAT(said(), HasSubstr("-m pip download --disable-pip-version-check --no-input --progress-bar off --no-deps --require-hashes --only-binary :all: --dest"));
  EXPECT_THAT(said(), HasSubstr("-m pip install --disable-pip-version-check --no-input --progress-bar off --no-deps --require-hashes --no-index --find-links"));
  EXPECT_THAT(lines, ::testing::Contains("Collecting torch"));
  EXPECT_TRUE(is_installed(dir_ / "env"));
  EXPECT_TRUE(fs::exists(dir_ / "env/lib/python3.11/site-packages/vllm-0.32.0+cpu.dist-info/METADATA"))
      << "a CPU build looks for its platform in the version of this name";
  ASSERT_TRUE(remove_engine(dir_ / "env"));
  EXPECT_FALSE(fs::exists(dir_ / "env"));
}

TEST_F(Installing, AFailureNamesItsLineAndTheNextTryGoesOn) {
  std::ofstream(dir_ / "fail") << "ERROR: the disk said no\n";
  const auto failed = install_engine(recipe_, options(), {});
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().why, HasSubstr("the disk said no"));
  EXPECT_THAT(failed.error().next, HasSubstr("goes on"));
  EXPECT_FALSE(is_installed(dir_ / "env"));
  fs::remove(dir_ / "fail");
  ASSERT_TRUE(install_engine(recipe_, options(), {}));
  const auto log = said();
  EXPECT_EQ(log.find("venv"), log.rfind("venv")) << "the environment is made once";
}

TEST_F(Installing, AToolThatSaysDoneAndDidNothingIsNotBelieved) {
  std::ofstream(dir_ / "empty") << "x";
  const auto failed = install_engine(recipe_, options(), {});
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().what, HasSubstr("1 of 1 packages are not whole"));
  EXPECT_THAT(failed.error().why, HasSubstr("torch is not there"));
  EXPECT_FALSE(is_installed(dir_ / "env"));
}

TEST_F(Installing, UvIsTakenWhereItIs) {
  program("uv", "echo \"uv $@\" >> " + log() + "\nif [ \"$1\" = venv ]; then mkdir -p " + (dir_ / "env/bin").string() + " " + site() + "; cp " +
                    (dir_ / "tools/inner").string() + " " + (dir_ / "env/bin/python").string() + "; fi\n" + put_in());
  ASSERT_TRUE(install_engine(recipe_, options(), {}));
  EXPECT_THAT(said(), HasSubstr("uv venv --allow-existing --python"));
  EXPECT_THAT(said(), HasSubstr("uv pip install --python " + (dir_ / "env/bin/python").string() + " --no-deps --require-hashes -r"));
  EXPECT_THAT(said(), ::testing::Not(HasSubstr("-m pip"))) << "uv keeps what it fetched itself";
}

TEST_F(Installing, OfflineTakesTheWheelsOnly) {
  auto o = options();
  o.wheels = dir_ / "wheels";
  EXPECT_EQ(install_engine(recipe_, o, {}).error().code, ErrorCode::not_found);
  fs::create_directories(o.wheels);
  ASSERT_TRUE(install_engine(recipe_, o, {}));
  EXPECT_THAT(said(), HasSubstr("--no-index --find-links " + o.wheels.string()));
  EXPECT_THAT(said(), ::testing::Not(HasSubstr("download")));
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

// Words that pip and uv really say, as they came.
TEST(ToolWords, EachKnownCauseHasItsNextStep) {
  struct Row {
    const char* line;
    const char* what;
    const char* next;
  };
  for (const Row& row : {
           Row{"ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "disk is full", "Make room"},
           Row{"ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. If you have updated the package versions", "not the one that is pinned", "trust"},
           Row{"  Hash mismatch for `ccc==0.32.0`", "not the one that is pinned", "trust"},
           Row{"The virtual environment was not created successfully because ensurepip is not", "cannot make environments", "python3-venv"},
           Row{"/usr/bin/python3: No module named venv", "cannot make environments", "python3-venv"},
           Row{"WARNING: Retrying (Retry(total=4, connect=None)) after connection broken by 'NewConnectionError(...)'", "index was not reached", "--wheels"},
           Row{"  error sending request for url (https://index/simple/torch/)", "index was not reached", "--wheels"},
           Row{"ERROR: No matching distribution found for torch==1", "is not there", "every line of the lock"},
           Row{"error: Permission denied (os error 13)", "cannot be written", "--dir"},
       }) {
    SCOPED_TRACE(row.line);
    const auto e = explain_tool("python", 1, {"Collecting torch", row.line, "ERROR: No more than that"}, "/env");
    EXPECT_EQ(e.code, ErrorCode::engine);
    EXPECT_THAT(e.what, HasSubstr(row.what));
    EXPECT_THAT(e.why, HasSubstr(std::string(row.line).substr(8, 20)));
    EXPECT_THAT(e.next, HasSubstr(row.next));
    EXPECT_THAT(e.next, HasSubstr("goes on"));
  }
  const auto unknown = explain_tool("uv", 7, {"first", "the last words", ""}, "/env");
  EXPECT_EQ(unknown.what, "uv failed with exit code 7");
  EXPECT_EQ(unknown.why, "the last words");
}

TEST(Lock, LinesAreReadAndBrokenOnesNamed) {
  const auto pins = parse_lock("# a comment\n\na-b==1.0 --hash=sha256:00\n", "x.lock");
  ASSERT_TRUE(pins);
  EXPECT_EQ(*pins, (std::vector<Pin>{{"a-b", "1.0", "a-b==1.0 --hash=sha256:00"}}));
  EXPECT_EQ(parse_lock(lock_of(*pins), "again"), pins);
  for (const char* bad : {"", "# nothing\n", "a==1", "a --hash=sha256:00", "==1 --hash=sha256:00", "a== --hash=sha256:00", "a==1 --hash=md5:00"})
    EXPECT_EQ(parse_lock(bad, "x").error().code, ErrorCode::corrupt) << bad;
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
