// SPDX-License-Identifier: GPL-3.0-or-later
// What cannot be written: a disk that is full from the start or fills up on the way, and places that may not be written.
#include <gmock/gmock.h>

#include "integration/journals/opened.h"
#include "journal/reader.h"

namespace kvcliff {
namespace {
using test::Said;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

class FullDisk : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { run_ = new test::SmallRun; }
  static void TearDownTestSuite() { delete run_; }
  Said say(std::vector<std::string> args, std::function<void()> before) const { return test::run_cli(dir_, std::move(args), {{}, false, std::move(before)}); }
  std::vector<std::string> beside(const fs::path& folder) const {
    std::vector<std::string> out;
    for (const auto& f : fs::directory_iterator(folder)) out.push_back(f.path().filename());
    std::sort(out.begin(), out.end());
    return out;
  }

  static inline test::SmallRun* run_ = nullptr;
  test::TempDir dir_;
};

// Room for so much, from next to none to nearly enough: at whatever point it ends, the journal opens and the message is whole.
TEST_F(FullDisk, ARunEndsWhereTheDiskDoesAndItsJournalOpens) {
  const std::string j = dir_ / "j.kvcliff";
  int begun = 0;
  for (const rlim_t kib : {4, 16, 64, 100, 160}) {
    SCOPED_TRACE(std::to_string(kib) + " KiB");
    for (const char* tail : {"", "-wal", "-shm", "-lock", "-journal"}) fs::remove(j + tail);
    const Said said = say({"run", run_->plan(), "--journal", j, "--time-scale", "0.01"}, test::with_room_for(kib * 1024));
    EXPECT_EQ(said.code, 3) << said.all();
    test::expect_finished_error(said, j);
    if (!fs::exists(j) || fs::file_size(j) == 0) continue;
    const auto r = journal::Reader::open(j);
    ASSERT_TRUE(r) << r.error().sentence();
    begun += r->experiments()->empty() ? 0 : 1;
  }
  EXPECT_GT(begun, 0) << "no limit lay in the middle of a run";
}

TEST_F(FullDisk, WhatIsAddedToAJournalIsAddedWholeOrNotAtAll) {
  const std::string j = dir_ / "j.kvcliff";
  Said made = test::run_cli(dir_, {"import", run_->foreign_result(), "--journal", j});
  ASSERT_EQ(made.code, 0) << made.all();
  const Said said = say({"import", run_->journal(), "--journal", j}, test::with_room_for(fs::file_size(j)));
  EXPECT_EQ(said.code, 3) << said.all();
  test::expect_finished_error(said, j);
  const auto r = journal::Reader::open(j);
  ASSERT_TRUE(r) << r.error().sentence();
  EXPECT_EQ(r->experiments()->size(), 1u);
}

TEST_F(FullDisk, ExportsAndReportsLeaveNoPiece) {
  const fs::path folder = dir_ / "there", out = folder / "out";
  fs::create_directory(folder);
  for (const std::vector<std::string>& command : {std::vector<std::string>{"report", "J", "--out", out}, {"export", "J", "--out", out}, {"export", "J", "--trace", out}}) {
    SCOPED_TRACE(::testing::PrintToString(command));
    auto args = command;
    args[1] = run_->journal();
    const Said said = say(args, test::with_room_for(700));
    EXPECT_EQ(said.code, 3) << said.all();
    test::expect_finished_error(said, out);
    if (fs::is_directory(out)) {
      EXPECT_THAT(beside(out), ::testing::IsEmpty());
    } else {
      EXPECT_THAT(beside(folder), ::testing::IsEmpty());
    }
    fs::remove_all(out);
  }
}

TEST_F(FullDisk, PlacesThatMayNotBeWrittenAreNamed) {
  const fs::path locked = dir_ / "locked", no_folder = dir_ / "no/such";
  fs::create_directory(locked);
  fs::permissions(locked, fs::perms::owner_read | fs::perms::owner_exec);
  for (const fs::path& place : {locked / "out", no_folder / "out"})
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"report", run_->journal(), "--out"}, {"export", run_->journal(), "--out"}, {"export", run_->journal(), "--trace"},
          {"run", run_->plan(), "--journal"}, {"import", run_->journal(), "--journal"}, {"import", run_->foreign_result(), "--journal"}}) {
      if (command[0] == "report" && place == no_folder / "out") continue;  // a report's folder is made
      SCOPED_TRACE(::testing::PrintToString(command) + " " + place.string());
      auto args = command;
      args.push_back(place);
      const Said said = say(args, test::as_plain_user);
      EXPECT_THAT(said.code, ::testing::AnyOf(2, 3)) << said.all();
      test::expect_finished_error(said, place);
      EXPECT_FALSE(fs::exists(place));
    }
  EXPECT_THAT(beside(locked), ::testing::IsEmpty());
  fs::permissions(locked, fs::perms::owner_all);
}

}  // namespace
}  // namespace kvcliff
