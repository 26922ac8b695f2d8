// SPDX-License-Identifier: GPL-3.0-or-later
#include "journal/bundle.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"
#include "base/hash.h"
#include "journal/database.h"
#include "journal/file_state.h"
#include "journal/reader.h"
#include "journal/storage.h"

namespace kvcliff::journal {
namespace {
namespace fs = std::filesystem;

Result<Database> open_for_change(const std::string& path, std::unique_ptr<WriterLock>& lock) {
  const FileState state = inspect_file(path);
  if (state.kind != FileState::Kind::current) return fail(state_error(state, path));
  auto taken = WriterLock::take(path);
  if (!taken) return fail(taken.error());
  lock = std::move(*taken);
  auto db = Database::open(path, Database::Mode::read_write);
  if (db) sqlite3_busy_timeout(db->handle(), 5000);
  return db;
}

/// While it lives, statements of the connection end as interrupted when `advance` says no.
class Cancel {
 public:
  Cancel(Database& db, const Advance& advance, double share) : handle_(db.handle()), advance_(advance), share_(share) {
    sqlite3_progress_handler(
        handle_, 10'000,
        [](void* p) {
          const auto& c = *static_cast<const Cancel*>(p);
          return c.advance_ && !c.advance_(c.share_) ? 1 : 0;
        },
        this);
  }
  ~Cancel() { sqlite3_progress_handler(handle_, 0, nullptr, nullptr); }
  Cancel(const Cancel&) = delete;
  Cancel& operator=(const Cancel&) = delete;

 private:
  sqlite3* handle_;
  const Advance& advance_;
  double share_;
};

Error cancelled(const std::string& path) {
  return Error{ErrorCode::interrupted, "The change of the journal was cancelled", path, "what was done so far stays", {}};
}

Result<std::vector<std::int64_t>> ids(Database& db, const std::string& sql) {
  std::vector<std::int64_t> out;
  auto s = db.prepare(sql);
  if (!s) return fail(s.error());
  int rc = SQLITE_DONE;
  while ((rc = s->step()) == SQLITE_ROW) out.push_back(s->integer(0));
  if (rc != SQLITE_DONE) return fail(db.error("The journal cannot be read"));
  return out;
}

// All rows of a session; requests go in portions.
Result<void> delete_session(Database& db, std::int64_t session, const std::function<bool()>& go_on) {
  constexpr std::int64_t portion = 20'000;
  const std::int64_t first = session << 32, end = (session + 1) << 32;
  const auto last = db.one_integer(fmt::format("SELECT max(ordinal) FROM requests WHERE session_id = {}", session));
  if (!last) return fail(last.error());
  for (std::int64_t at = 0; at <= last->value_or(-1); at += portion) {
    if (!go_on()) return fail(cancelled(db.path()));
    auto r = db.run(fmt::format(
        "BEGIN IMMEDIATE; DELETE FROM requests WHERE session_id = {} AND ordinal < {}; "
        "DELETE FROM request_details WHERE id >= {} AND id < {}; COMMIT",
        session, at + portion, first, std::min(end, first + at + portion)));
    if (!r) {
      (void)db.run("ROLLBACK");
      return r;
    }
  }
  auto r = db.run(fmt::format(
      "BEGIN IMMEDIATE; DELETE FROM request_details WHERE id >= {0} AND id < {1}; "
      "DELETE FROM requests WHERE session_id = {2}; DELETE FROM session_states WHERE session_id = {2}; "
      "DELETE FROM scrapes WHERE session_id = {2}; DELETE FROM log_lines WHERE session_id = {2}; "
      "DELETE FROM kv_events WHERE session_id = {2}; DELETE FROM sessions WHERE id = {2}; COMMIT",
      first, end, session));
  if (!r) (void)db.run("ROLLBACK");
  return r;
}

}  // namespace

Result<Bundle> export_bundle(const std::string& journal, std::int64_t experiment, const std::string& target, const Advance& advance) {
  std::error_code ec;
  if (fs::exists(target, ec))
    return fail(ErrorCode::io, "The bundle was not written", target, "there is a file of this name",
                "Name another file, or remove this one");
  auto reader = Reader::open(journal);
  if (!reader) return fail(reader.error());
  const auto record = reader->experiment(std::to_string(experiment));
  if (!record) return fail(record.error());
  const std::string part = fmt::format("{}.part-{}", target, ::getpid());
  const auto give_up = [&](Error e) -> Result<Bundle> {
    for (const char* tail : {"", "-wal", "-shm", "-journal"}) fs::remove(part + tail, ec);
    if (e.code == ErrorCode::interrupted)
      e = Error{ErrorCode::interrupted, "The bundle was not written", target, "the user stopped it", "Run it again; nothing is left of it"};
    return fail(std::move(e));
  };
  // A small journal is done before SQLite asks even once, so we ask between the steps too.
  const auto stopped = [&](double share) { return advance && !advance(share); };
  if (stopped(0)) return give_up(cancelled(target));
  {
    auto source = Database::open_to_read(journal);
    if (!source) return fail(source.error());
    auto copy = source->prepare("VACUUM INTO ?1");
    if (!copy) return fail(copy.error());
    const Cancel cancel(*source, advance, 0.2);
    if (copy->bind(part).step() != SQLITE_DONE) {
      Error e = source->error("The bundle cannot be written");
      e.where = target;
      return give_up(std::move(e));
    }
  }
  if (stopped(0.5)) return give_up(cancelled(target));
  {
    auto db = Database::open(part, Database::Mode::read_write);
    if (!db) return give_up(db.error());
    const Cancel cancel(*db, advance, 0.6);
    const auto sessions = ids(*db, fmt::format("SELECT id FROM sessions WHERE experiment_id <> {}", experiment));
    if (!sessions) return give_up(sessions.error());
    for (const auto s : *sessions)
      if (auto r = delete_session(*db, s, [&] { return !advance || advance(0.6); }); !r) return give_up(r.error());
    // A closed file of its own: no log beside it, no free pages.
    for (const std::string& sql :
         {fmt::format("DELETE FROM experiments WHERE id <> {}", experiment),
          fmt::format("DELETE FROM notices WHERE experiment_id <> {}", experiment),
          fmt::format("DELETE FROM sealed_results WHERE experiment_id <> {}", experiment),
          std::string("PRAGMA journal_mode = DELETE"), std::string("VACUUM")})
      if (auto r = db->run(sql); !r) return give_up(r.error());
  }
  const auto bytes = read_file(part);
  if (!bytes) return give_up(bytes.error());
  if (stopped(0.9)) return give_up(cancelled(target));
  fs::rename(part, target, ec);
  if (ec) return give_up(Error{ErrorCode::io, "The bundle cannot be put in its place", target, ec.message(), "Check the folder"});
  return Bundle{target, sha256_hex(*bytes), record->plan_hash, record->uid, static_cast<std::int64_t>(bytes->size())};
}

Result<void> delete_experiments(const std::string& journal, const std::vector<std::int64_t>& experiments,
                                const Advance& advance) {
  std::unique_ptr<WriterLock> lock;
  auto db = open_for_change(journal, lock);
  if (!db) return fail(db.error());
  double done = 0;
  const auto go_on = [&] { return !advance || advance(done); };
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    done = static_cast<double>(i) / static_cast<double>(experiments.size());
    if (!go_on()) return fail(cancelled(journal));
    const auto sessions = ids(*db, fmt::format("SELECT id FROM sessions WHERE experiment_id = {}", experiments[i]));
    if (!sessions) return fail(sessions.error());
    for (const auto s : *sessions)
      if (auto r = delete_session(*db, s, go_on); !r) return r;
    if (auto r = db->run(fmt::format("BEGIN IMMEDIATE; DELETE FROM notices WHERE experiment_id = {0}; "
                                     "DELETE FROM sealed_results WHERE experiment_id = {0}; "
                                     "DELETE FROM experiments WHERE id = {0}; COMMIT",
                                     experiments[i]));
        !r)
      return r;
  }
  if (advance) advance(1);
  return {};
}

Result<void> prune_raw(const std::string& journal, std::int64_t before, const Advance& advance) {
  std::unique_ptr<WriterLock> lock;
  auto db = open_for_change(journal, lock);
  if (!db) return fail(db.error());
  const auto sessions = ids(*db, fmt::format("SELECT s.id FROM sessions s JOIN experiments e ON e.id = s.experiment_id "
                                             "WHERE e.created_utc_ns < {}",
                                             before));
  if (!sessions) return fail(sessions.error());
  for (std::size_t i = 0; i < sessions->size(); ++i) {
    if (advance && !advance(static_cast<double>(i) / static_cast<double>(sessions->size()))) return fail(cancelled(journal));
    const std::int64_t s = (*sessions)[i];
    if (auto r = db->run(fmt::format(
            "BEGIN IMMEDIATE; UPDATE request_details SET raw_zstd = NULL WHERE id >= {0} AND id < {1} AND raw_zstd NOT NULL; "
            "UPDATE scrapes SET raw_zstd = NULL WHERE session_id = {2}; DELETE FROM log_lines WHERE session_id = {2}; COMMIT",
            s << 32, (s + 1) << 32, s));
        !r)
      return r;
  }
  return {};
}

Result<std::int64_t> compact(const std::string& journal, const Advance& advance) {
  std::unique_ptr<WriterLock> lock;
  auto db = open_for_change(journal, lock);
  if (!db) return fail(db.error());
  std::error_code ec;
  (void)db->run("PRAGMA wal_checkpoint(TRUNCATE)");
  const auto before = static_cast<std::int64_t>(fs::file_size(journal, ec));
  Result<void> r;
  {
    const Cancel cancel(*db, advance, 0.5);
    r = db->run("VACUUM");
  }
  if (!r) return fail(r.error().code == ErrorCode::interrupted ? cancelled(journal) : r.error());
  (void)db->run("PRAGMA wal_checkpoint(TRUNCATE)");
  return before - static_cast<std::int64_t>(fs::file_size(journal, ec));
}

}  // namespace kvcliff::journal
