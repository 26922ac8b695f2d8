// SPDX-License-Identifier: GPL-3.0-or-later
// The field cases about journals (group g) as far as they need no window.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <thread>

#include "base/file.h"
#include "journal/file_state.h"
#include "journal/reader.h"
#include "journal/schema.h"
#include "journal/storage.h"
#include "journal/writer.h"
#include "sample.h"
#include "support/data.h"
#include "support/expect_file.h"
#include "written.h"

namespace kvcliff::journal {
namespace {
using namespace std::chrono_literals;
using ::testing::AnyOf;
using ::testing::Eq;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

// A second program that holds the file: a connection with a write transaction.
struct Holder {
  explicit Holder(const std::string& path) : db(std::move(*Database::open(path, Database::Mode::read_write))) {
    EXPECT_TRUE(db.run("BEGIN IMMEDIATE"));
  }
  void let_go() { EXPECT_TRUE(db.run("ROLLBACK")); }
  Database db;
};

TEST(JournalCase082, ABusyJournalDelaysAndLosesNothing) {
  test::TempDir dir;
  const std::string path = dir / "j.db";
  std::mutex mutex;
  std::vector<std::string> said;
  Writer::Options options;
  options.busy_notice_after = 100ms;
  options.notice = [&](const std::string& words) {
    std::lock_guard guard(mutex);
    said.push_back(words);
  };
  auto w = std::move(*Writer::open(path, options));
  ASSERT_TRUE(w->flush());
  Holder holder(path);
  w->put(test::sample_request(1, 0));
  // The call above returned at once; the notice comes, the record waits.
  for (int i = 0; i < 500 && !w->status().busy; ++i) std::this_thread::sleep_for(10ms);
  EXPECT_TRUE(w->status().busy);
  EXPECT_EQ(w->status().waiting, 1u);
  EXPECT_FALSE(w->flush(300ms)) << "it is not in the file yet";
  holder.let_go();
  ASSERT_TRUE(w->flush());
  EXPECT_EQ(Reader::open(path)->requests(1, Depth::numbers)->size(), 1u);
  EXPECT_FALSE(w->failure());
  // The writer takes the notice back on its own thread, after the flush it answers.
  const auto last = [&] {
    std::lock_guard guard(mutex);
    return said.empty() ? std::string("nothing") : said.back();
  };
  for (int i = 0; i < 500 && !last().empty(); ++i) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(last(), "") << "the notice is taken back";
  std::lock_guard guard(mutex);
  EXPECT_THAT(said, ::testing::Contains("journal busy, 1 record waiting"));
}

TEST(JournalCase082, ASecondInstanceIsToldSoAndMayRead) {
  test::TempDir dir;
  const std::string path = dir / "j.db";
  auto first = std::move(*Writer::open(path));
  first->put(test::sample_experiment("aa"));
  ASSERT_TRUE(first->flush());
  const auto second = Writer::open(path);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::busy);
  EXPECT_THAT(second.error().sentence(), HasSubstr("Another instance"));
  EXPECT_EQ(Reader::open(path)->experiments()->size(), 1u);
  first.reset();
  EXPECT_TRUE(Writer::open(path));
}

TEST(JournalCase082, AStaleLockMarkShutsNobodyOut) {
  test::TempDir dir;
  const std::string path = dir / "j.db";
  make_journal(path);
  ASSERT_TRUE(write_file(path + "-lock", "4194304\n"));  // left behind by a killed process
  EXPECT_TRUE(Writer::open(path));
}

TEST(JournalCase083, TheJournalModeFollowsTheFileSystem) {
  const std::string mounts = test::read("cases/083-journal-on-network-drive/mounts.txt");
  bool notice_seen = false;
  int modes = 0;
  for (const auto& e : test::read_expectations("083-journal-on-network-drive")) {
    if (e.key.rfind("journal_mode(", 0) == 0) {
      const std::string path = e.key.substr(13, e.key.size() - 14);
      const auto mode = storage_mode(mounts, path);
      EXPECT_EQ(mode.wal ? "wal" : "delete", e.value) << path;
      EXPECT_EQ(mode.notice.empty(), mode.wal) << path;
      ++modes;
    } else if (e.key == "notice_on_network") {
      EXPECT_FALSE(storage_mode(mounts, "/home/u/net/j.db").notice.empty());
      notice_seen = true;
    }
  }
  EXPECT_EQ(modes, 5);
  EXPECT_TRUE(notice_seen);
}

TEST(JournalCase083, MountPointsMatchWholeNamesAndLaterOnesLieOnTop) {
  const char* mounts = "a / ext4 rw 0 0\nb /home/u/net nfs4 rw 0 0\nc /mnt/my\\040disk nfs rw 0 0\nd /mnt/x nfs rw 0 0\ne /mnt/x xfs rw 0 0\n";
  EXPECT_TRUE(storage_mode(mounts, "/home/u/network/j.db").wal);
  EXPECT_FALSE(storage_mode(mounts, "/mnt/my disk/j.db").wal);
  EXPECT_TRUE(storage_mode(mounts, "/mnt/x/j.db").wal);
  EXPECT_FALSE(storage_mode("", "/home/j.db").wal) << "an unknown place is not trusted";
}

TEST(JournalCase085, ADamagedFileIsNamedAndLeftAsItIs) {
  const std::string slug = "cases/085-journal-file-damaged/";
  const std::map<std::string, std::vector<std::string>> states{
      {"corrupt.db", {"damaged", "not a journal of this program"}},
      {"half.db", {"damaged", "not a journal of this program"}},
      {"notadb.db", {"not a journal"}},
      {"zero.db", {"new journal"}}};
  for (const auto& [name, allowed] : states) {
    test::TempDir dir;
    const std::string path = dir / name;
    const std::string bytes = test::read(slug + name);
    ASSERT_TRUE(write_file(path, bytes));
    EXPECT_THAT(allowed, ::testing::Contains(to_words(inspect_file(path)))) << name;
    EXPECT_FALSE(Reader::open(path)) << name;
    if (name == "zero.db") continue;
    EXPECT_FALSE(Writer::open(path)) << name;
    EXPECT_EQ(*read_file(path), bytes) << name;
  }
}

std::uint64_t page_size(const std::string& bytes) {
  const std::uint32_t v = static_cast<std::uint8_t>(bytes[16]) << 8 | static_cast<std::uint8_t>(bytes[17]);
  return v == 1 ? 65536 : v;
}

TEST(JournalCase085, ARealJournalWithAWreckedPageIsSeenWithoutAFullCheck) {
  test::TempDir dir;
  make_journal(dir / "j.db");
  const std::string good = *read_file(dir / "j.db");
  for (const int value : {0x00, 0x02, 0x05, 0x0a, 0x0d, 0x41, 0xff}) {
    std::string bad = good;
    bad.replace(page_size(bad), 64, std::string(64, static_cast<char>(value)));
    const std::string path = dir / "copy.db";
    ASSERT_TRUE(write_file(path, bad));
    EXPECT_EQ(to_words(inspect_file(path)), "damaged") << value;
    EXPECT_EQ(Writer::open(path).error().code, ErrorCode::corrupt);
    EXPECT_EQ(*read_file(path), bad);
  }
}

TEST(JournalCase085, ARealJournalCutInHalfIsSeenFromItsHead) {
  test::TempDir dir;
  make_journal(dir / "j.db");
  const std::string good = *read_file(dir / "j.db");
  for (const std::size_t n : {good.size() / 2 + 100, good.size() / 2, good.size() - 1, std::size_t{4096}, std::size_t{50}}) {
    const std::string path = dir / "cut.db";
    ASSERT_TRUE(write_file(path, good.substr(0, n)));
    EXPECT_EQ(to_words(inspect_file(path)), "damaged") << n;
    EXPECT_FALSE(Writer::open(path));
    EXPECT_EQ(fs::file_size(path), n);
  }
}

TEST(JournalCase086, NewerAndForeignFilesAreNeitherWrittenNorUpgraded) {
  const std::string slug = "cases/086-journal-from-newer-version/";
  test::TempDir dir;
  for (const std::string name : {"newer.db", "foreign.db"}) {
    const std::string bytes = test::read(slug + name), path = dir / name;
    ASSERT_TRUE(write_file(path, bytes));
    EXPECT_THAT(to_words(inspect_file(path)),
                AnyOf(Eq("not a journal of this program"), Eq(name == "newer.db" ? "newer than this program (9999)" : "")));
    EXPECT_FALSE(Writer::open(path));
    EXPECT_FALSE(Reader::open(path));
    EXPECT_EQ(*read_file(path), bytes);
  }
  make_journal(dir / "ours.db");
  {
    auto db = Database::open(dir / "ours.db", Database::Mode::read_write);
    ASSERT_TRUE(db->run("PRAGMA user_version = 9999"));
  }
  const std::string bytes = *read_file(dir / "ours.db");
  EXPECT_EQ(to_words(inspect_file(dir / "ours.db")), "newer than this program (9999)");
  EXPECT_EQ(Writer::open(dir / "ours.db").error().code, ErrorCode::newer_schema);
  EXPECT_EQ(Reader::open(dir / "ours.db").error().code, ErrorCode::newer_schema);
  EXPECT_EQ(Reader::open(dir / "ours.db", {.allow_newer = true})->experiments()->size(), 1u);
  EXPECT_EQ(*read_file(dir / "ours.db"), bytes);
}

}  // namespace
}  // namespace kvcliff::journal
