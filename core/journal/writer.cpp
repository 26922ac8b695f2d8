// SPDX-License-Identifier: GPL-3.0-or-later
#include "journal/writer.h"

#include <fmt/format.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include "journal/file_state.h"
#include "journal/rows.h"
#include "journal/schema.h"
#include "journal/storage.h"

namespace kvcliff::journal {
namespace {

using Op = std::function<int(Rows&)>;
using Clock = std::chrono::steady_clock;

// One transaction holds at most so many values, so that a reader's view is never far behind and a retry is cheap.
constexpr std::size_t batch_limit = 4096;
constexpr std::chrono::milliseconds retry_pause{50};

}  // namespace

class Writer::Impl {
 public:
  std::unique_ptr<WriterLock> lock;
  std::optional<Database> db;
  std::unique_ptr<Rows> rows;
  Options options;
  std::string path, mode;
  std::vector<std::string> notices;
  std::atomic<std::int64_t> next_experiment{1}, next_session{1}, next_scrape{1}, next_notice{1}, next_sealed{1};

  void start() {
    thread_ = std::thread([this] { work(); });
  }

  void push(Op op) {
    {
      std::lock_guard guard(mutex_);
      queue_.push_back(std::move(op));
      ++pushed_;
    }
    ready_.notify_one();
  }

  std::int64_t next_of(std::map<std::int64_t, std::int64_t>& counters, std::int64_t session) {
    std::lock_guard guard(mutex_);
    return counters[session]++;
  }
  std::map<std::int64_t, std::int64_t> log_lines, kv_events, states;

  Result<void> flush(std::chrono::milliseconds limit) {
    std::unique_lock guard(mutex_);
    const std::uint64_t target = pushed_;
    if (failure_) {  // another chance: the disk may have space again
      failure_.reset();
      ready_.notify_one();
    }
    if (!done_.wait_for(guard, limit, [&] { return written_ >= target || failure_; }))
      return fail(ErrorCode::timeout, "The journal could not be written in time", path,
                  fmt::format("{} values are waiting", pushed_ - written_), "Close other programs that use it");
    if (written_ < target) return fail(*failure_);
    return {};
  }

  void close() {
    {
      std::lock_guard guard(mutex_);
      closing_ = true;
      close_by_ = Clock::now() + options.close_wait;
    }
    ready_.notify_all();
    if (thread_.joinable()) thread_.join();
    rows.reset();
    // A closed journal is one file in the classic mode: readers need no side files then, also on read-only media. With
    // a reader still open this fails, and the file stays in log mode, which is as good.
    if (db && mode == "wal" && !failure()) (void)db->run("PRAGMA journal_mode = DELETE");
    db.reset();
    lock.reset();
  }

  std::optional<Error> failure() const {
    std::lock_guard guard(mutex_);
    return failure_;
  }
  Status status() const {
    std::lock_guard guard(mutex_);
    return {static_cast<std::size_t>(pushed_ - written_), busy_, written_, batches_};
  }

 private:
  void work() {
    std::vector<Op> batch;
    for (;;) {
      {
        std::unique_lock guard(mutex_);
        ready_.wait(guard, [&] { return closing_ || (!failure_ && !queue_.empty()); });
        if (queue_.empty() || (closing_ && failure_)) return;
        const std::size_t n = std::min(queue_.size(), batch_limit);
        batch.assign(std::make_move_iterator(queue_.begin()),
                     std::make_move_iterator(queue_.begin() + static_cast<std::ptrdiff_t>(n)));
        queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(n));
      }
      if (!write(batch)) {  // back to the front, in order
        std::lock_guard guard(mutex_);
        queue_.insert(queue_.begin(), std::make_move_iterator(batch.begin()), std::make_move_iterator(batch.end()));
      }
      batch.clear();
    }
  }

  // False when the batch is not in the file; `failure_` is then set.
  bool write(const std::vector<Op>& batch) {
    const auto began = Clock::now();
    bool told = false;
    for (;;) {
      const int rc = attempt(batch);
      if (rc == SQLITE_OK) break;
      const int kind = rc & 0xff;
      if (kind != SQLITE_BUSY && kind != SQLITE_LOCKED) {
        give_up(sqlite_error(rc, "The journal cannot be written", path, message_));
        return false;
      }
      std::unique_lock guard(mutex_);
      busy_ = true;
      const std::uint64_t waiting = pushed_ - written_;
      if (closing_ && Clock::now() >= close_by_) {
        guard.unlock();
        give_up(Error{ErrorCode::busy, "The journal stayed busy until the program closed", path,
                      fmt::format("{} values were not written", waiting), "Close the other program first"});
        return false;
      }
      guard.unlock();
      if (Clock::now() - began >= options.busy_notice_after) {
        say(fmt::format("journal busy, {} record{} waiting", waiting, waiting == 1 ? "" : "s"));
        told = true;
      }
      std::this_thread::sleep_for(retry_pause);
    }
    {
      std::lock_guard guard(mutex_);
      written_ += batch.size();
      ++batches_;
      busy_ = false;
    }
    done_.notify_all();
    if (told) say("");
    return true;
  }

  int attempt(const std::vector<Op>& batch) {
    sqlite3* h = db->handle();
    int rc = sqlite3_exec(h, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr);
    message_ = sqlite3_errmsg(h);
    if (rc != SQLITE_OK) return rc;
    for (const Op& op : batch) {
      rc = op(*rows);
      if (rc != SQLITE_DONE) {
        rollback(h);
        return rc;
      }
    }
    rc = sqlite3_exec(h, "COMMIT", nullptr, nullptr, nullptr);
    if (rc != SQLITE_OK) rollback(h);
    return rc;
  }

  // Keeps the message that led here: the rollback's own success would replace it.
  void rollback(sqlite3* h) {
    message_ = sqlite3_errmsg(h);
    if (!sqlite3_get_autocommit(h)) sqlite3_exec(h, "ROLLBACK", nullptr, nullptr, nullptr);
  }

  void give_up(Error e) {
    {
      std::lock_guard guard(mutex_);
      failure_ = e;
      busy_ = false;
    }
    done_.notify_all();
    say(e.sentence());
  }

  void say(const std::string& words) {
    if (options.notice) options.notice(words);
  }

  mutable std::mutex mutex_;
  std::condition_variable ready_, done_;
  std::deque<Op> queue_;
  std::uint64_t pushed_ = 0, written_ = 0, batches_ = 0;
  bool closing_ = false, busy_ = false;
  Clock::time_point close_by_;
  std::optional<Error> failure_;
  std::string message_;  // of the last failed statement; writer's thread only
  std::thread thread_;
};

namespace {

Result<void> set_mode(Database& db, const StorageMode& storage, std::string& mode, std::vector<std::string>& notices) {
  const auto answered = db.one_text(storage.wal ? "PRAGMA journal_mode = WAL" : "PRAGMA journal_mode = DELETE");
  if (!answered && answered.error().code != ErrorCode::busy) return fail(answered.error());
  mode = answered && *answered ? **answered : std::string("delete");
  if (!storage.notice.empty()) notices.push_back(storage.notice);
  if (storage.wal && mode != "wal")
    notices.push_back("The journal cannot use a write-ahead log here; it is written in the mode \"" + mode + "\"");
  // NORMAL is safe against a crash of this program in both modes of use; FULL is needed where no log protects pages.
  return db.run(mode == "wal" ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = FULL");
}

}  // namespace

Result<std::unique_ptr<Writer>> Writer::open(const std::string& path, Options options) {
  auto impl = std::make_unique<Impl>();
  impl->path = path;
  impl->options = std::move(options);
  FileState state = inspect_file(path);
  using Kind = FileState::Kind;
  const bool usable = state.kind == Kind::absent || state.kind == Kind::empty || state.kind == Kind::current ||
                      state.kind == Kind::older;
  if (!usable) return fail(state_error(state, path));
  auto lock = WriterLock::take(path);
  if (!lock) return fail(lock.error());
  impl->lock = std::move(*lock);
  if (!impl->lock->notice().empty()) impl->notices.push_back(impl->lock->notice());

  auto db = Database::open(path, Database::Mode::read_write);
  if (!db) return fail(db.error());
  impl->db = std::move(*db);
  sqlite3_busy_timeout(impl->db->handle(), 5000);
  if (sqlite3_db_readonly(impl->db->handle(), "main") == 1)
    return fail(ErrorCode::io, "The journal cannot be written", path, "The file is read-only",
                "Check its permissions, or write to another file");
  // The schema is made before the log is switched on, so that the file's head always says what it is.
  const auto backup = bring_up_to_date(*impl->db, upgrades());
  if (!backup) return fail(backup.error());
  if (!backup->empty()) impl->notices.push_back("The journal was upgraded; a copy of the old one is at " + *backup);
  if (auto r = set_mode(*impl->db, storage_mode_here(path), impl->mode, impl->notices); !r) return fail(r.error());
  auto rows = Rows::prepare(*impl->db);
  if (!rows) return fail(rows.error());
  impl->rows = std::move(*rows);

  const std::pair<std::atomic<std::int64_t>*, const char*> counters[] = {{&impl->next_experiment, "experiments"},
                                                                         {&impl->next_session, "sessions"},
                                                                         {&impl->next_scrape, "scrapes"},
                                                                         {&impl->next_notice, "notices"},
                                                                         {&impl->next_sealed, "sealed_results"}};
  for (const auto& [next, table] : counters) {
    const auto last = impl->db->one_integer(fmt::format("SELECT max(id) FROM {}", table));
    if (!last) return fail(last.error());
    *next = last->value_or(0) + 1;
  }
  // Short waits inside SQLite from here on; the writer's own loop waits, counts and tells.
  sqlite3_busy_timeout(impl->db->handle(), 100);
  impl->start();
  return std::unique_ptr<Writer>(new Writer(std::move(impl)));
}

Writer::Writer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Writer::~Writer() { impl_->close(); }

std::int64_t Writer::put(ExperimentRecord e) {
  if (e.id == 0) e.id = impl_->next_experiment++;
  const std::int64_t id = e.id;
  impl_->push([e = std::move(e)](Rows& rows) { return rows.experiment(e); });
  return id;
}

std::int64_t Writer::put(std::int64_t experiment, SessionRecord s) {
  if (s.id == 0) s.id = impl_->next_session++;
  const std::int64_t id = s.id;
  impl_->push([experiment, s = std::move(s)](Rows& rows) { return rows.session(experiment, s); });
  return id;
}

void Writer::change_state(std::int64_t experiment, const SessionRecord& s, const StateChange& change) {
  const int seq = static_cast<int>(s.changes.empty() ? impl_->next_of(impl_->states, s.id)
                                                     : static_cast<std::int64_t>(s.changes.size()) - 1);
  impl_->push([experiment, s, seq, change](Rows& rows) {
    const int rc = rows.session(experiment, s);
    return rc == SQLITE_DONE ? rows.state(s.id, seq, change) : rc;
  });
}

void Writer::put(RequestRecord r) {
  impl_->push([r = std::move(r)](Rows& rows) { return rows.request(r); });
}

std::int64_t Writer::put_scrape(std::int64_t session, CounterSnapshot s) {
  const std::int64_t id = impl_->next_scrape++;
  impl_->push([id, session, s = std::move(s)](Rows& rows) { return rows.scrape(id, session, s); });
  return id;
}

void Writer::put_log(std::int64_t session, LogLine l) {
  const std::int64_t line = impl_->next_of(impl_->log_lines, session);
  impl_->push([session, line, l = std::move(l)](Rows& rows) { return rows.log_line(session, line, l); });
}

void Writer::put_kv_event(std::int64_t session, Instant at, std::string payload) {
  const std::int64_t seq = impl_->next_of(impl_->kv_events, session);
  impl_->push([session, seq, at, payload = std::move(payload)](Rows& rows) {
    return rows.kv_event(session, seq, at, payload);
  });
}

void Writer::put(Notice n) {
  const std::int64_t id = impl_->next_notice++;
  impl_->push([id, n = std::move(n)](Rows& rows) { return rows.notice(id, n); });
}

void Writer::put(SealedResult r) {
  const std::int64_t id = impl_->next_sealed++;
  impl_->push([id, r = std::move(r)](Rows& rows) { return rows.sealed(id, r); });
}

Result<void> Writer::flush(std::chrono::milliseconds limit) { return impl_->flush(limit); }
std::optional<Error> Writer::failure() const { return impl_->failure(); }
Writer::Status Writer::status() const { return impl_->status(); }
const std::string& Writer::path() const { return impl_->path; }
const std::string& Writer::journal_mode() const { return impl_->mode; }
const std::vector<std::string>& Writer::opening_notices() const { return impl_->notices; }

}  // namespace kvcliff::journal
