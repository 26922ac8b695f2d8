// SPDX-License-Identifier: GPL-3.0-or-later
// A journal that another process writes: it is read as it stands, and nobody else writes to it. And what is left of it
// after that process was killed.
#include <gmock/gmock.h>

#include "integration/journals/opened.h"
#include "journal/reader.h"

namespace kvcliff {
namespace {
using namespace std::chrono_literals;
using test::Said;
using ::testing::AnyOf;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

class InUse : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { run_ = new test::SmallRun; }
  static void TearDownTestSuite() { delete run_; }
  void SetUp() override { fs::create_directory(folder_); }
  void TearDown() override { fs::permissions(folder_, fs::perms::owner_all); }

  /// A run that has measured something and goes on measuring for a minute.
  void start() {
    cli_.emplace(writer_, std::vector<std::string>{"run", std::string(KVCLIFF_SOURCE_DIR) + "/resources/plans/reference.json", "--journal", journal_, "--quiet"});
    for (int i = 0; i < 1200 && measured() < 2; ++i) std::this_thread::sleep_for(50ms);
    ASSERT_GE(measured(), 2) << cli_->err();
  }
  std::int64_t measured() const {
    if (!fs::exists(journal_)) return 0;
    const auto r = journal::Reader::open(journal_);
    if (!r) return 0;
    const auto sessions = r->sessions(1);
    return sessions && !sessions->empty() ? r->request_count(sessions->front().id)->measured : 0;
  }
  void read_by_every_command(const test::How& how = {}) {
    const std::string out = dir_ / "out";
    for (const std::vector<std::string>& command : {std::vector<std::string>{"reconcile", journal_}, {"decide", journal_}, {"report", journal_, "--out", out},
                                                    {"export", journal_, "--out", out}, {"import", journal_, "--journal", out}, {"plan", "show", journal_}}) {
      SCOPED_TRACE(::testing::PrintToString(command));
      const Said said = test::run_cli(dir_, command, how);
      EXPECT_THAT(said.code, AnyOf(0, 1)) << said.all();
      EXPECT_TRUE(said.json.is_object()) << said.all();
      if (command[0] == "export") {
        const auto bundle = journal::Reader::open(out);
        ASSERT_TRUE(bundle) << bundle.error().sentence();
        EXPECT_GE(bundle->request_count(bundle->sessions(1)->front().id)->measured, 2) << "what stands in the log is exported too";
      }
      fs::remove_all(out);
    }
    // No session has finished: that is said, and nothing is made up.
    const Said none = test::run_cli(dir_, {"export", journal_, "--trace", out}, how);
    EXPECT_EQ(none.code, 2);
    test::expect_finished_error(none, journal_);
    EXPECT_THAT(none.all(), HasSubstr("No session finished"));
  }

  static inline test::SmallRun* run_ = nullptr;
  test::TempDir dir_, writer_;
  const fs::path folder_ = dir_ / "there";
  const std::string journal_ = folder_ / "j.kvcliff";
  std::optional<test::Cli> cli_;
};

TEST_F(InUse, ItIsReadAsItStandsAndWrittenByNobodyElse) {
  start();
  read_by_every_command();
  for (const std::vector<std::string>& command : {std::vector<std::string>{"run", run_->plan(), "--journal", journal_}, {"run", run_->plan(), "--journal", journal_, "--time-scale", "0.1"},
                                                  {"attach", "--url", "http://127.0.0.1:9", "--plan", run_->plan(), "--journal", journal_},
                                                  {"import", run_->journal(), "--journal", journal_}, {"import", run_->foreign_result(), "--journal", journal_},
                                                  {"run", std::string(KVCLIFF_SOURCE_DIR) + "/resources/plans/reference.json", "--journal", journal_, "--resume"}}) {
    SCOPED_TRACE(::testing::PrintToString(command));
    const Said said = test::run_cli(dir_, command);
    EXPECT_EQ(said.code, 3) << said.all();
    test::expect_finished_error(said, journal_);
    EXPECT_EQ(said.error().value("code", ""), "busy");
    EXPECT_THAT(said.all(), HasSubstr("process " + std::to_string(cli_->pid())));
  }
  const auto before = measured();
  for (int i = 0; i < 1200 && measured() <= before; ++i) std::this_thread::sleep_for(50ms);
  EXPECT_GT(measured(), before) << "the writer goes on";
  cli_->signal(SIGINT);
  EXPECT_EQ(cli_->wait(), 130);
}

TEST_F(InUse, AfterAKillItIsReadWithItsLogAlsoWhereNothingMayBeWritten) {
  start();
  cli_->signal(SIGKILL);
  EXPECT_EQ(cli_->wait(), 128 + SIGKILL);
  ASSERT_TRUE(fs::exists(journal_ + "-wal"));
  const auto kept = [&] { return *read_file(journal_) + *read_file(journal_ + "-wal"); };
  const std::string before = kept();
  // A folder on a medium that may not be written: the log counts all the same.
  for (const auto& f : fs::directory_iterator(folder_)) fs::permissions(f.path(), fs::perms::owner_read);
  fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
  read_by_every_command({{}, false, test::as_plain_user});
  EXPECT_TRUE(kept() == before) << "reading changes no byte";
  // Without the log's index, as a backup leaves it.
  fs::permissions(folder_, fs::perms::owner_all);
  fs::remove(journal_ + "-shm");
  fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
  const Said said = test::run_cli(dir_, {"decide", journal_}, {{}, false, test::as_plain_user});
  EXPECT_EQ(said.code, 3) << "without its log the file would tell less than was measured";
  test::expect_finished_error(said, journal_);
  EXPECT_THAT(said.all(), HasSubstr("-wal"));
  // As it is told: copied to where an index may be written, it is whole.
  const fs::path copy = dir_ / "copy";
  fs::create_directory(copy);
  for (const char* tail : {"", "-wal"}) {
    fs::copy_file(journal_ + tail, copy / ("j.kvcliff" + std::string(tail)));
    fs::permissions(copy / ("j.kvcliff" + std::string(tail)), fs::perms::owner_read | fs::perms::owner_write);
  }
  const auto r = journal::Reader::open(copy / "j.kvcliff");
  ASSERT_TRUE(r) << r.error().sentence();
  EXPECT_GE(r->request_count(r->sessions(1)->front().id)->measured, 2);
}

}  // namespace
}  // namespace kvcliff
