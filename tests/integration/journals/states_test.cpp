// SPDX-License-Identifier: GPL-3.0-or-later
// A table of journals that cannot be opened as they should, times the commands that open one.
#include <gmock/gmock.h>

#include "integration/journals/opened.h"
#include "journal/database.h"
#include "journal/reader.h"

namespace kvcliff {
namespace {
using namespace std::chrono_literals;
using test::Said;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Le;
namespace fs = std::filesystem;

constexpr int works = -1;   // as with a good journal: 0, or 1 where a gate fails

struct State {
  std::string name;
  std::function<void(const fs::path&)> make;        ///< from a copy of a good journal, in a folder of its own
  int reading = 2;                                  ///< exit code of commands that read it
  std::string words;                                ///< of their message
  int writing = 2;
  std::string writing_words;
  bool plain_user = false;                          ///< rights count
  bool text = false;                                ///< may be taken for another kind of file, with another message
};
void PrintTo(const State& s, std::ostream* out) { *out << s.name; }

void change(const fs::path& p, const std::string& sql) {
  auto db = journal::Database::open(p, journal::Database::Mode::read_write);
  ASSERT_TRUE(db) << db.error().sentence();
  const auto done = db->run(sql);
  ASSERT_TRUE(done) << done.error().sentence();
}
void overwrite(const fs::path& p, std::string bytes) { ASSERT_TRUE(write_file(p, bytes)); }
void cut_to(const fs::path& p, double share) {
  const std::string all = *read_file(p);
  overwrite(p, all.substr(0, static_cast<std::size_t>(static_cast<double>(all.size()) * share)));
}
void rights(const fs::path& p, unsigned mode) { fs::permissions(p, static_cast<fs::perms>(mode)); }

std::vector<State> states() {
  return {
      {"Absent", [](const fs::path& p) { fs::remove(p); }, 2, "", works, ""},
      {"Empty", [](const fs::path& p) { overwrite(p, ""); }, 2, "empty", works, ""},
      {"Text", [](const fs::path& p) { overwrite(p, "this is no journal\n"); }, 2, "not a journal", 2, "not a journal", false, true},
      {"AFolder", [](const fs::path& p) { fs::remove(p), fs::create_directory(p); }, 2, "", 2, "not a journal"},
      {"OfAnotherProgram",
       [](const fs::path& p) {
         fs::remove(p);
         change(p, "CREATE TABLE notes (words TEXT)");
       },
       2, "not a journal of this program", 2, "not a journal of this program"},
      {"CutInItsHead", [](const fs::path& p) { overwrite(p, read_file(p)->substr(0, 50)); }, 2, "damaged", 2, "damaged"},
      {"CutInTheMiddle", [](const fs::path& p) { cut_to(p, 0.5); }, 2, "damaged", 2, "damaged"},
      {"CutAtItsEnd", [](const fs::path& p) { overwrite(p, read_file(p)->substr(0, fs::file_size(p) - 100)); }, 2, "damaged", 2, "damaged"},
      {"PagesOverwritten",
       [](const fs::path& p) {
         std::string all = *read_file(p);
         std::fill(all.begin() + 4096, all.end(), '\xa5');
         overwrite(p, all);
       },
       2, "damaged", 2, "damaged"},
      {"ARowThatIsNoJson", [](const fs::path& p) { change(p, "UPDATE experiments SET schedule = '{'"); }, 2, "cannot be understood", works, ""},
      {"NewerSchema", [](const fs::path& p) { change(p, "PRAGMA user_version = 9999"); }, 2, "newer than this program", 2, "newer than this program"},
      {"ReadOnlyFile", [](const fs::path& p) { rights(p, 0444); }, works, "", 3, "read-only", true},
      {"ReadOnlyFolder",
       [](const fs::path& p) {
         rights(p, 0444);
         rights(p.parent_path(), 0555);
       },
       works, "", 3, "Permission denied", true},
      {"ReadOnlyFolderOfAJournalInLogMode",
       [](const fs::path& p) {
         change(p, "PRAGMA journal_mode = WAL");
         rights(p.parent_path(), 0555);
       },
       works, "", 3, "Permission denied", true},
      {"Unreadable", [](const fs::path& p) { rights(p, 0); }, 3, "Permission denied", 3, "Permission denied", true},
      {"AFolderThatMayNotBeEntered", [](const fs::path& p) { rights(p.parent_path(), 0); }, 3, "Permission denied", 3, "Permission denied", true},
  };
}

class JournalStates : public ::testing::TestWithParam<State> {
 protected:
  static void SetUpTestSuite() {
    run_ = new test::SmallRun;
    other_ = new test::SmallRun;
  }
  static void TearDownTestSuite() {
    delete run_;
    delete other_;
  }
  void SetUp() override {
    fs::create_directory(folder_);
    fs::copy_file(run_->journal(), journal_);
  }
  void TearDown() override {
    std::error_code ec;
    fs::permissions(folder_, fs::perms::owner_all, ec);  // or it could not be removed
  }
  Said say(std::vector<std::string> args) const {
    return test::run_cli(dir_, std::move(args), {{}, false, GetParam().plain_user ? std::function<void()>(test::as_plain_user) : nullptr});
  }

  static inline test::SmallRun* run_ = nullptr;
  static inline test::SmallRun* other_ = nullptr;   ///< whose experiment is not in the journal yet
  test::TempDir dir_;
  const fs::path folder_ = dir_ / "there", journal_ = folder_ / "j.kvcliff", out_ = dir_ / "out";
};

TEST_P(JournalStates, CommandsThatReadSayWhatIsWrong) {
  const State& s = GetParam();
  s.make(journal_);
  const std::string j = journal_, out = out_;
  const std::vector<std::vector<std::string>> commands{
      {"reconcile", j}, {"reconcile", j, "--requests"}, {"decide", j}, {"report", j, "--out", out}, {"export", j, "--out", out}, {"export", j, "--trace", out},
      {"import", j, "--journal", out}, {"plan", "show", j}, {"run", j, "--trust", std::string(64, '0'), "--journal", out}};
  for (const auto& command : commands) {
    SCOPED_TRACE(::testing::PrintToString(command));
    const Said said = say(command);
    const bool as_plan = command[0] == "plan" || command[0] == "run";
    if (s.reading == works) {
      if (command[0] == "run") {
        EXPECT_EQ(said.code, 2);
        EXPECT_THAT(said.all(), HasSubstr("its hash is")) << "the plan was read";
      } else {
        EXPECT_THAT(said.code, AnyOf(0, 1)) << said.all();
      }
    } else if (s.name == "ARowThatIsNoJson" && command[0] == "import") {
      EXPECT_THAT(said.code, AnyOf(0, 2)) << "rows are copied as they are: " << said.all();
    } else {
      EXPECT_EQ(said.code, s.reading) << said.all();
      test::expect_finished_error(said, j);
      // What is no journal may be meant as a plan, or as the result of another tool: then that is what is said.
      if (!s.text && !as_plan && command[0] != "import") {
        EXPECT_THAT(said.all(), HasSubstr(s.words));
      }
      EXPECT_FALSE(fs::exists(out_)) << "nothing is begun";
    }
    fs::remove_all(out_);
  }
}

TEST_P(JournalStates, CommandsThatWriteSayWhatIsWrong) {
  const State& s = GetParam();
  const std::string j = journal_;
  const std::vector<std::vector<std::string>> commands{
      {"run", run_->plan(), "--journal", j, "--time-scale", "0.01"},
      {"attach", "--url", "http://127.0.0.1:9", "--plan", run_->plan(), "--journal", j},
      {"import", other_->journal(), "--journal", j},
      {"import", run_->foreign_result(), "--journal", j}};
  for (const auto& command : commands) {
    SCOPED_TRACE(::testing::PrintToString(command));
    s.make(journal_);
    std::error_code ec;
    const std::string before = fs::is_regular_file(journal_, ec) ? read_file(journal_).value_or("") : "";
    const Said said = say(command);
    if (s.writing == works) {
      EXPECT_THAT(said.code, command[0] == "attach" ? AnyOf(3, 3) : AnyOf(0, 1)) << said.all();  // there is no server to attach to
    } else {
      EXPECT_EQ(said.code, s.writing) << said.all();
      test::expect_finished_error(said, j);
      EXPECT_THAT(said.all(), HasSubstr(s.writing_words));
      fs::permissions(folder_, fs::perms::owner_all, ec);
      if (fs::is_regular_file(journal_, ec)) {
        fs::permissions(journal_, fs::perms::owner_read | fs::perms::owner_write, ec);
        EXPECT_TRUE(read_file(journal_).value_or("") == before) << "the file was changed";
      }
      int files = 0;
      for (const auto& f : fs::directory_iterator(folder_)) {
        ++files;
        EXPECT_EQ(f.path(), journal_) << "left beside it";
      }
      EXPECT_EQ(files, 1);
    }
    // The next command meets the same journal.
    fs::permissions(folder_, fs::perms::owner_all, ec);
    fs::remove_all(journal_);
    fs::copy_file(run_->journal(), journal_);
  }
}

INSTANTIATE_TEST_SUITE_P(Table, JournalStates, ::testing::ValuesIn(states()), [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace kvcliff
