// SPDX-License-Identifier: GPL-3.0-or-later
// Commands that read a journal are told to stop: they end with 130, or were just done; what they write is there whole or
// not at all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/json.h"
#include "base/text.h"
#include "integration/run/cli.h"

namespace kvcliff {
namespace {
using namespace std::chrono_literals;
using ::testing::AnyOf;
namespace fs = std::filesystem;

struct Reading {
  std::string name;
  std::vector<std::string> args;   ///< "J" stands for the journal, "OUT" for what is written
};
void PrintTo(const Reading& r, std::ostream* out) { *out << r.name; }

class InterruptedReading : public ::testing::TestWithParam<Reading> {
 protected:
  static void SetUpTestSuite() {
    dir_ = new test::TempDir;
    const std::string plan = std::string(KVCLIFF_SOURCE_DIR) + "/resources/plans/reference.json";
    test::Cli cli(*dir_, {"run", plan, "--journal", *dir_ / "j.kvcliff", "--time-scale", "0.01", "--quiet"});
    ASSERT_EQ(cli.wait(), 0) << cli.err();
  }
  static void TearDownTestSuite() { delete dir_; }

  /// Sends the signal as soon as the program listens for it, or so much later. Absent: it was over before.
  static std::optional<int> interrupted(test::Cli& cli, std::chrono::microseconds later) {
    const auto listens = [&] {
      const auto status = read_file("/proc/" + std::to_string(cli.pid()) + "/status").value_or("");
      const auto at = status.find("SigCgt:\t");
      return at != std::string::npos && (std::stoull(status.substr(at + 8, 16), nullptr, 16) & 2) != 0;  // SIGINT is 2: the second bit
    };
    for (int i = 0; i < 5000 && !listens(); ++i)
      if (const auto code = cli.wait_for(0ms)) return code;
    std::this_thread::sleep_for(later);
    cli.signal(SIGINT);
    return cli.wait_for(60s);
  }
  static inline test::TempDir* dir_ = nullptr;
};

TEST_P(InterruptedReading, LeavesAllOrNothing) {
  int stopped = 0;
  for (const int later_ms : {0, 0, 5, 20, 60, 150}) {
    const fs::path out = *dir_ / "out";
    fs::remove_all(out);
    std::vector<std::string> args;
    for (const auto& a : GetParam().args) args.push_back(a == "J" ? (*dir_ / "j.kvcliff").string() : a == "OUT" ? out.string() : a);
    test::Cli cli(*dir_, args);
    const auto code = interrupted(cli, std::chrono::milliseconds(later_ms));
    ASSERT_TRUE(code) << "it still runs a minute later";
    EXPECT_THAT(*code, AnyOf(0, 130)) << cli.err() << cli.out();
    const auto j = parse_json(cli.out(), "stdout");
    ASSERT_TRUE(j) << cli.out();
    EXPECT_EQ(j->contains("error"), *code == 130) << cli.out();
    std::vector<std::string> files;
    if (fs::is_directory(out))
      for (const auto& f : fs::directory_iterator(out)) files.push_back(f.path().filename());
    if (*code == 130) {
      ++stopped;
      EXPECT_EQ(j->at("error").at("code"), "interrupted");
      EXPECT_FALSE(fs::exists(out)) << ::testing::PrintToString(files);
    } else if (GetParam().name == "Report") {
      EXPECT_EQ(files.size(), 10u) << ::testing::PrintToString(files);
    } else if (std::find(args.begin(), args.end(), out) != args.end()) {
      EXPECT_TRUE(fs::exists(out));
    }
    for (const auto& f : fs::directory_iterator(dir_->path())) EXPECT_EQ(f.path().filename().string().find(".part"), std::string::npos) << f.path();
  }
  EXPECT_GT(stopped, 0) << "no signal met the program at work";
}

INSTANTIATE_TEST_SUITE_P(Commands, InterruptedReading,
                         ::testing::Values(Reading{"Reconcile", {"reconcile", "J", "--requests", "--json"}}, Reading{"Decide", {"decide", "J", "--json"}},
                                           Reading{"Report", {"report", "J", "--out", "OUT", "--json"}},
                                           Reading{"Export", {"export", "J", "--out", "OUT", "--json"}}),
                         [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace kvcliff
