// SPDX-License-Identifier: GPL-3.0-or-later
// The field cases about journals (group g) as far as they need no window.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <thread>

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "journal/bundle.h"
#include "journal/file_state.h"
#include "journal/local_time.h"
#include "journal/reader.h"
#include "journal/schema.h"
#include "journal/storage.h"
#include "journal/writer.h"
#include "sample.h"
#include "support/data.h"
#include "support/expect_file.h"

namespace kvcliff::journal {
namespace {
using namespace std::chrono_literals;
using ::testing::AnyOf;
using ::testing::Eq;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

void make_journal(const std::string& path, int requests = 3) {
  auto w = Writer::open(path);
  ASSERT_TRUE(w) << w.error().sentence();
  const auto e = (*w)->put(test::sample_experiment("aa11"));
  const auto s = (*w)->put(e, test::sample_session(0));
  for (int i = 0; i < requests; ++i) (*w)->put(test::sample_request(s, i));
  ASSERT_TRUE((*w)->flush());
}

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

class Zone {
 public:
  explicit Zone(const char* name) {
    if (const char* old = std::getenv("TZ")) before_ = old;
    ::setenv("TZ", name, 1);
  }
  ~Zone() {
    if (before_)
      ::setenv("TZ", before_->c_str(), 1);
    else
      ::unsetenv("TZ");
  }

 private:
  std::optional<std::string> before_;
};

TEST(JournalCase089, StoredUtcIsShownInTheZoneOfTheReader) {
  std::map<std::string, WallNs> times;
  const std::string table = test::read("cases/089-local-time-in-the-journal/times.tsv");
  for (const auto line : split(table, '\n')) {
    const auto parts = split(line, '\t');
    if (parts.size() == 2)
      if (const auto t = parse_utc(trim(parts[1]))) times[std::string(parts[0])] = *t;
  }
  ASSERT_EQ(times.size(), 5u);
  int checked = 0;
  for (const auto& e : test::read_expectations("089-local-time-in-the-journal")) {
    const Zone zone(e.part.find("Tokyo") != std::string::npos ? "Asia/Tokyo" : "Europe/Berlin");
    if (const auto it = times.find(e.key); it != times.end()) {
      EXPECT_EQ(local_text(it->second), e.value) << e.part;
    } else if (e.key == "order") {
      std::vector<std::pair<WallNs, std::string>> sorted;
      for (const auto& [id, t] : times) sorted.emplace_back(t, id);
      std::sort(sorted.begin(), sorted.end());
      std::string order;
      for (const auto& [t, id] : sorted) order += (order.empty() ? "" : " ") + id;
      EXPECT_EQ(order, e.value);
    } else if (e.key.rfind("day_filter(", 0) == 0) {
      const auto day = local_day(e.key.substr(11, 10));
      ASSERT_TRUE(day);
      std::string inside;
      for (const auto& [id, t] : times)
        if (t >= day->first && t < day->second) inside += (inside.empty() ? "" : " ") + id;
      EXPECT_EQ(inside, e.value) << e.part;
    } else {
      ADD_FAILURE() << "unknown key " << e.key;
    }
    ++checked;
  }
  EXPECT_GE(checked, 9);
}

TEST(LocalTime, ADayMayHave25HoursAndNonsenseIsNoDay) {
  const Zone zone("Europe/Berlin");
  const auto day = local_day("2030-10-27");
  EXPECT_EQ((day->second - day->first) / 3'600'000'000'000, 25);
  for (const char* bad : {"", "2030-13-01", "2030-02-29", "2030-1-1", "20301027", "2030-10-27x"}) EXPECT_FALSE(local_day(bad)) << bad;
  for (const char* bad : {"2030-10-27T00:00:00", "2030-10-27T00:00:00+01:00", "2030-10-27 00:00:00Z", "2030-10-27T24:00:00Z", "2030-10-27T00:00:00.Z"})
    EXPECT_FALSE(parse_utc(bad)) << bad;
  EXPECT_EQ(*parse_utc("1970-01-01T00:00:01.5Z"), 1'500'000'000);
}

TEST(Journal, AReadOnlyFileIsReadAndSaidWhenWritten) {
  if (::geteuid() == 0) {  // root may write anything, so the folder is made impossible instead
    const auto w = Writer::open("/proc/no-such-folder/j.db");
    ASSERT_FALSE(w);
    EXPECT_EQ(w.error().code, ErrorCode::io);
    return;
  }
  test::TempDir dir;
  make_journal(dir / "j.db");
  ::chmod((dir / "j.db").c_str(), 0444);
  ::chmod(dir.path().c_str(), 0555);
  EXPECT_TRUE(Reader::open(dir / "j.db"));
  const auto w = Writer::open(dir / "j.db");
  ASSERT_FALSE(w);
  EXPECT_EQ(w.error().code, ErrorCode::io);
  ::chmod(dir.path().c_str(), 0755);
}

TEST(Journal, AFullDiskIsSaidAndWhatWaitsIsWrittenLater) {
  test::TempDir dir;
  const std::string path = dir / "j.db";
  // In a child, because the limit on file size, which stands in for a full disk, holds for the whole process.
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    auto w = Writer::open(path);
    if (!w || !(*w)->flush()) ::_exit(1);
    rlimit old{};
    ::getrlimit(RLIMIT_FSIZE, &old);
    rlimit tight = old;
    tight.rlim_cur = fs::file_size(path) + 65536;
    ::setrlimit(RLIMIT_FSIZE, &tight);
    for (int i = 0; i < 200; ++i) (*w)->put(test::sample_request(1, i, 500));
    const auto r = (*w)->flush(20s);
    if (r || !(*w)->failure() || r.error().code != ErrorCode::io) ::_exit(2);
    ::setrlimit(RLIMIT_FSIZE, &old);
    if (!(*w)->flush(20s)) ::_exit(3);
    w->reset();
    ::_exit(Reader::open(path)->requests(1, Depth::numbers)->size() == 200 ? 0 : 4);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Bundle, OneExperimentBecomesOneClosedFile) {
  test::TempDir dir;
  const std::string path = dir / "j.db";
  std::int64_t a = 0, b = 0, sa = 0, sb = 0;
  auto w = std::move(*Writer::open(path));
  a = w->put(test::sample_experiment("aa11", 1));
  sa = w->put(a, test::sample_session(0));
  b = w->put(test::sample_experiment("bb22", 2));
  sb = w->put(b, test::sample_session(0));
  for (int i = 0; i < 50; ++i) {
    w->put(test::sample_request(sa, i));
    w->put(test::sample_request(sb, i));
  }
  ASSERT_TRUE(w->flush());
  const auto bundle = export_bundle(path, a, dir / "out.kvcliff");
  ASSERT_TRUE(bundle) << bundle.error().sentence();
  EXPECT_EQ(bundle->uid, "aa11");
  EXPECT_EQ(bundle->plan_hash, std::string(64, 'a'));
  EXPECT_FALSE(fs::exists((dir / "out.kvcliff").string() + "-wal"));
  auto r = Reader::open(dir / "out.kvcliff");
  ASSERT_TRUE(r);
  EXPECT_EQ(r->experiments()->size(), 1u);
  EXPECT_EQ(r->requests(sa, Depth::raw)->size(), 50u);
  EXPECT_EQ(r->requests(sb, Depth::raw)->size(), 0u);
  EXPECT_FALSE(export_bundle(path, b, dir / "out.kvcliff")) << "nothing is overwritten";
  EXPECT_EQ(export_bundle(path, 99, dir / "x").error().code, ErrorCode::not_found);
}

TEST(Bundle, OneThatIsStoppedLeavesNothing) {
  test::TempDir dir;
  const std::string path = dir / "j.db";
  std::int64_t wanted = 0;
  {
    auto w = std::move(*Writer::open(path));
    wanted = w->put(test::sample_experiment("aa11", 1));
    const auto other = w->put(test::sample_experiment("bb22", 2));
    const auto session = w->put(other, test::sample_session(0));
    for (int i = 0; i < 200; ++i) w->put(test::sample_request(session, i));
    ASSERT_TRUE(w->flush());
  }
  // Stopped at each of its questions.
  int questions = 0;
  ASSERT_TRUE(export_bundle(path, wanted, dir / "whole.kvcliff", [&](double) { return ++questions > 0; }));
  fs::remove(dir / "whole.kvcliff");
  ASSERT_GE(questions, 3);
  for (int last = 0; last < questions; ++last) {
    int asked = 0;
    const auto bundle = export_bundle(path, wanted, dir / "out.kvcliff", [&](double) { return asked++ < last; });
    ASSERT_FALSE(bundle) << last;
    EXPECT_EQ(bundle.error().code, ErrorCode::interrupted);
    EXPECT_EQ(bundle.error().where, (dir / "out.kvcliff").string());
    int files = 0;
    for (const auto& f : fs::directory_iterator(dir.path())) {
      EXPECT_EQ(f.path().filename(), "j.db");
      ++files;
    }
    EXPECT_EQ(files, 1);
  }
}

TEST(Maintenance, DeletingPruningAndCompactingKeepTheRest) {
  test::TempDir dir;
  const std::string path = dir / "j.db";
  std::int64_t a = 0, b = 0, sa = 0, sb = 0;
  {
    auto w = std::move(*Writer::open(path));
    a = w->put(test::sample_experiment("aa11", 1));
    sa = w->put(a, test::sample_session(0));
    b = w->put(test::sample_experiment("bb22", 2));
    sb = w->put(b, test::sample_session(0));
    for (int i = 0; i < 2000; ++i) w->put(test::sample_request(i % 2 ? sa : sb, i / 2, 100));
  }
  EXPECT_EQ(delete_experiments(path, {a}, [](double) { return false; }).error().code, ErrorCode::interrupted);
  EXPECT_EQ(Reader::open(path)->experiments()->size(), 2u);
  ASSERT_TRUE(delete_experiments(path, {a}, {}));
  ASSERT_TRUE(prune_raw(path, 10, {}));
  const auto size = fs::file_size(path);
  const auto back = compact(path, {});
  ASSERT_TRUE(back);
  EXPECT_GT(*back, 0);
  EXPECT_LT(fs::file_size(path), size);
  auto r = Reader::open(path);
  EXPECT_EQ(r->experiments()->size(), 1u);
  const auto rest = r->requests(sb, Depth::raw);
  ASSERT_EQ(rest->size(), 1000u);
  EXPECT_TRUE(rest->front().stream.raw.empty());
  EXPECT_EQ(rest->front().stream.events.size(), 100u);
  EXPECT_EQ(r->requests(sa, Depth::numbers)->size(), 0u);
}

// kill -9 of a writer at random moments: the file opens, and at most the request in flight is lost.
TEST(JournalKill, AKilledWriterLosesAtMostTheRequestInFlight) {
  Rng rng(3);
  for (int round = 0; round < 30; ++round) {
    test::TempDir dir;
    const std::string path = dir / "j.db";
    int pipe_fds[2];
    ASSERT_EQ(::pipe(pipe_fds), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::close(pipe_fds[0]);
      auto w = Writer::open(path);
      if (!w) ::_exit(1);
      const auto e = (*w)->put(test::sample_experiment("aa"));
      const auto s = (*w)->put(e, test::sample_session(0));
      for (std::int32_t i = 0;; ++i) {
        (*w)->put(test::sample_request(s, i, 20));
        if (!(*w)->flush()) ::_exit(2);
        // From here on request i has to be in the file.
        if (::write(pipe_fds[1], &i, sizeof i) != sizeof i) ::_exit(3);
      }
    }
    ::close(pipe_fds[1]);
    std::int32_t told = -1, last = -1;
    if (round % 3 != 0) {  // two in three after some requests, the others anywhere, also while the file is made
      const auto wanted = static_cast<std::int32_t>(rng.below(60));
      while (last < wanted && ::read(pipe_fds[0], &told, sizeof told) == sizeof told) last = told;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(rng.below(round % 3 ? 3000 : 30'000)));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the child ended by itself: " << status;
    while (::read(pipe_fds[0], &told, sizeof told) == sizeof told) last = told;
    ::close(pipe_fds[0]);

    const FileState state = inspect_file(path);
    if (last < 0 && (state.kind == FileState::Kind::absent || state.kind == FileState::Kind::empty)) {
      EXPECT_TRUE(Writer::open(path)) << "killed while it made the file: it can be made again";
      continue;
    }
    auto r = Reader::open(path);
    ASSERT_TRUE(r) << round << ": " << to_words(state) << " " << r.error().sentence();
    std::int64_t n = 0;
    ASSERT_TRUE(r->for_each_request(1, Depth::raw, [&](RequestRecord&& q) {
      EXPECT_EQ(q.plan.ordinal, n);
      EXPECT_EQ(q.stream.events.size(), 20u);
      ++n;
      return true;
    }));
    EXPECT_GE(n, last + 1) << round;
    EXPECT_LE(n, last + 2) << round;
    auto again = Writer::open(path);
    ASSERT_TRUE(again) << again.error().sentence();
    (*again)->put(test::sample_request(1, 5000));
    EXPECT_TRUE((*again)->flush());
  }
}

}  // namespace
}  // namespace kvcliff::journal
