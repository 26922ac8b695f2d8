// SPDX-License-Identifier: GPL-3.0-or-later
// What must not lose a journal: a read-only file, a full disk, bundling, deleting, and a writer that is killed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "base/file.h"
#include "base/hash.h"
#include "journal/bundle.h"
#include "journal/file_state.h"
#include "journal/reader.h"
#include "journal/storage.h"
#include "journal/writer.h"
#include "sample.h"
#include "support/data.h"
#include "written.h"

namespace kvcliff::journal {
namespace {
using namespace std::chrono_literals;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

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
