// SPDX-License-Identifier: GPL-3.0-or-later
#include "journal/merge.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "journal/database.h"
#include "journal/file_state.h"
#include "journal/reader.h"
#include "journal/schema.h"
#include "journal/storage.h"
#include "journal/writer.h"

namespace kvcliff::journal {
namespace {

// A file of the newest schema, made when it is not there.
Result<Database> open_target(const std::string& path, std::unique_ptr<WriterLock>& lock) {
  const FileState state = inspect_file(path);
  if (state.kind == FileState::Kind::absent || state.kind == FileState::Kind::empty || state.kind == FileState::Kind::older) {
    const auto made = Writer::open(path);
    if (!made) return fail(made.error());
  } else if (state.kind != FileState::Kind::current) {
    return fail(state_error(state, path));
  }
  auto taken = WriterLock::take(path);
  if (!taken) return fail(taken.error());
  lock = std::move(*taken);
  auto db = Database::open(path, Database::Mode::read_write);
  if (db) sqlite3_busy_timeout(db->handle(), 5000);
  return db;
}

// Columns of a table of the target, `changed` ones replaced by an expression over the source's row r.
Result<std::string> copy_sql(Database& db, const std::string& table, const std::vector<std::pair<std::string, std::string>>& changed,
                             const std::string& where) {
  auto columns = db.prepare(fmt::format("SELECT name FROM pragma_table_info('{}')", table));
  if (!columns) return fail(columns.error());
  std::string names, values;
  while (columns->step() == SQLITE_ROW) {
    const std::string name = columns->text(0);
    const auto at = std::find_if(changed.begin(), changed.end(), [&](const auto& c) { return c.first == name; });
    names += (names.empty() ? "" : ", ") + name;
    values += (values.empty() ? "" : ", ") + (at == changed.end() ? "r." + name : at->second);
  }
  return fmt::format("INSERT INTO main.{0} ({1}) SELECT {2} FROM source.{0} r WHERE {3}", table, names, values, where);
}

Result<std::int64_t> highest(Database& db, const std::string& table, const std::string& column = "id") {
  const auto v = db.one_integer(fmt::format("SELECT max({}) FROM main.{}", column, table));
  if (!v) return fail(v.error());
  return v->value_or(0);
}

Result<std::vector<std::int64_t>> ids(Database& db, const std::string& sql) {
  std::vector<std::int64_t> out;
  auto s = db.prepare(sql);
  if (!s) return fail(s.error());
  int rc = SQLITE_DONE;
  while ((rc = s->step()) == SQLITE_ROW) out.push_back(s->integer(0));
  if (rc != SQLITE_DONE) return fail(db.error("The journal to copy from cannot be read"));
  return out;
}

Result<void> copy(Database& db, const std::string& table, const std::vector<std::pair<std::string, std::string>>& changed, const std::string& where) {
  const auto sql = copy_sql(db, table, changed, where);
  if (!sql) return fail(sql.error());
  return db.run(*sql);
}

// Scrapes keep their order; references to them move by the same distance. 0 means "none".
std::string moved(const std::string& column, std::int64_t by) { return fmt::format("CASE WHEN r.{0} > 0 THEN r.{0} + {1} ELSE r.{0} END", column, by); }

Result<std::int64_t> copy_experiment(Database& db, std::int64_t from) {
  const auto last_experiment = highest(db, "experiments"), last_session = highest(db, "sessions"), last_scrape = highest(db, "scrapes");
  for (const auto* r : {&last_experiment, &last_session, &last_scrape})
    if (!*r) return fail(r->error());
  const std::int64_t to = *last_experiment + 1;
  if (auto r = copy(db, "experiments", {{"id", std::to_string(to)}}, fmt::format("r.id = {}", from)); !r) return fail(r.error());
  const auto sessions = ids(db, fmt::format("SELECT id FROM source.sessions WHERE experiment_id = {} ORDER BY id", from));
  if (!sessions) return fail(sessions.error());
  const auto first = db.one_integer(fmt::format("SELECT min(id) FROM source.scrapes WHERE session_id IN (SELECT id FROM source.sessions WHERE experiment_id = {})", from));
  if (!first) return fail(first.error());
  const std::int64_t by = *last_scrape + 1 - first->value_or(1);
  std::int64_t session = *last_session;
  for (const std::int64_t old : *sessions) {
    ++session;
    const std::string of = fmt::format("r.session_id = {}", old), id = std::to_string(session);
    const std::string details = fmt::format("r.id >= {} AND r.id < {}", old << 32, (old + 1) << 32);
    const std::pair<const char*, Result<void>> parts[] = {
        {"sessions", copy(db, "sessions", {{"id", id}, {"experiment_id", std::to_string(to)}, {"identity_scrape", moved("identity_scrape", by)}, {"last_scrape", moved("last_scrape", by)}}, fmt::format("r.id = {}", old))},
        {"session_states", copy(db, "session_states", {{"session_id", id}}, of)},
        {"requests", copy(db, "requests", {{"session_id", id}}, of)},
        {"request_details", copy(db, "request_details", {{"id", fmt::format("r.id + {}", (session - old) * (std::int64_t{1} << 32))}, {"scrape_before", moved("scrape_before", by)}, {"scrape_after", moved("scrape_after", by)}}, details)},
        {"scrapes", copy(db, "scrapes", {{"id", fmt::format("r.id + {}", by)}, {"session_id", id}}, of)},
        {"log_lines", copy(db, "log_lines", {{"session_id", id}}, of)},
        {"kv_events", copy(db, "kv_events", {{"session_id", id}}, of)},
        {"notices", copy(db, "notices", {{"id", "NULL"}, {"experiment_id", std::to_string(to)}, {"session_id", id}}, fmt::format("r.experiment_id = {} AND r.session_id = {}", from, old))}};
    for (const auto& [name, done] : parts)
      if (!done) return fail(done.error());
  }
  if (auto r = copy(db, "notices", {{"id", "NULL"}, {"experiment_id", std::to_string(to)}}, fmt::format("r.experiment_id = {} AND coalesce(r.session_id, 0) = 0", from)); !r) return fail(r.error());
  if (auto r = copy(db, "sealed_results", {{"id", "NULL"}, {"experiment_id", std::to_string(to)}}, fmt::format("r.experiment_id = {}", from)); !r) return fail(r.error());
  return to;
}

}  // namespace

Result<Merged> merge_experiments(const std::string& source, const std::vector<std::int64_t>& experiments, const std::string& target,
                                 const Advance& advance) {
  const FileState from = inspect_file(source);
  if (from.kind != FileState::Kind::current) return fail(state_error(from, source));
  std::unique_ptr<WriterLock> lock;
  auto db = open_target(target, lock);
  if (!db) return fail(db.error());
  {
    const auto readable = Database::open_to_read(source);
    if (!readable) return fail(readable.error());
    auto attach = db->prepare("ATTACH ?1 AS source");
    if (!attach) return fail(attach.error());
    // By its name as a URI, so that the source is never written.
    std::string uri = "file:";
    for (const char c : source)
      if (c == '%' || c == '?' || c == '#') uri += fmt::format("%{:02x}", static_cast<unsigned char>(c));
      else uri += c;
    uri += readable->mode() == Database::Mode::immutable ? "?immutable=1" : "?mode=ro";
    if (attach->bind(uri).step() != SQLITE_DONE) return fail(db->error("The journal to copy from cannot be opened"));
  }
  auto list = experiments;
  if (list.empty()) {
    const auto all = ids(*db, "SELECT id FROM source.experiments ORDER BY created_utc_ns, id");
    if (!all) return fail(all.error());
    list = *all;
  }
  Merged out;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (advance && !advance(static_cast<double>(i) / static_cast<double>(list.size())))
      return fail(ErrorCode::interrupted, "The copy was cancelled", target, fmt::format("{} of {} experiments were copied", out.added.size(), list.size()));
    const auto uid = db->one_text(fmt::format("SELECT uid FROM source.experiments WHERE id = {}", list[i]));
    if (!uid) return fail(uid.error());
    if (!*uid) return fail(ErrorCode::not_found, fmt::format("There is no experiment {}", list[i]), source);
    auto known = db->prepare("SELECT 1 FROM main.experiments WHERE uid = ?1");
    if (!known) return fail(known.error());
    if (known->bind(**uid).step() == SQLITE_ROW) {
      out.already_there.push_back(**uid);
      continue;
    }
    known->reset();
    if (auto r = db->run("BEGIN IMMEDIATE"); !r) return fail(r.error());
    auto row = copy_experiment(*db, list[i]);
    if (row) {
      if (auto r = db->run("COMMIT"); !r) row = fail(r.error());
    }
    if (!row) {
      (void)db->run("ROLLBACK");
      return fail(row.error());
    }
    out.added.push_back(*row);
  }
  if (advance) advance(1);
  return out;
}

Result<void> set_tags(const std::string& journal, std::int64_t experiment, const std::vector<std::string>& tags) {
  const FileState state = inspect_file(journal);
  if (state.kind != FileState::Kind::current) return fail(state_error(state, journal));
  Json list = Json::array();
  for (const auto& tag : tags) {
    const std::string t = to_valid_utf8(trim(tag));
    if (!t.empty() && std::find(list.begin(), list.end(), Json(t)) == list.end()) list.push_back(t);
  }
  std::unique_ptr<WriterLock> lock;
  auto db = open_target(journal, lock);
  if (!db) return fail(db.error());
  auto s = db->prepare("UPDATE experiments SET tags = ?1 WHERE id = ?2");
  if (!s) return fail(s.error());
  const std::string text = list.dump();
  if (s->bind(text, experiment).step() != SQLITE_DONE) return fail(db->error("The tags were not written"));
  if (db->changes() == 0) return fail(ErrorCode::not_found, fmt::format("There is no experiment {}", experiment), journal);
  return {};
}

}  // namespace kvcliff::journal
