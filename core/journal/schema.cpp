// SPDX-License-Identifier: GPL-3.0-or-later
#include "journal/schema.h"

#include <fmt/format.h>

#include <filesystem>

namespace kvcliff::journal {
namespace {

// Published in resources/help/journal-schema.md; a test compares the two. Names of columns carry their unit: _ns
// (monotonic or spans), _utc_ns (since 1970 UTC), _bytes, counts of tokens without suffix. NULL = not available.
constexpr const char* version_1 = R"sql(
CREATE TABLE journal_info (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
INSERT INTO journal_info VALUES ('format', 'kvcliff.journal'), ('made_with', 'schema 1');

CREATE TABLE experiments (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  created_utc_ns INTEGER NOT NULL,
  ended_utc_ns INTEGER,
  state TEXT NOT NULL,
  why TEXT NOT NULL DEFAULT '',
  simulated INTEGER NOT NULL,
  engine TEXT NOT NULL,
  model TEXT NOT NULL,
  plan_hash TEXT NOT NULL,
  method_version TEXT NOT NULL,
  program_version TEXT NOT NULL,
  tags TEXT NOT NULL DEFAULT '[]',
  note TEXT NOT NULL DEFAULT '',
  schedule TEXT NOT NULL,
  host TEXT NOT NULL,
  plan TEXT NOT NULL
) STRICT;
CREATE INDEX experiments_by_time ON experiments (created_utc_ns);

CREATE TABLE sessions (
  id INTEGER PRIMARY KEY,
  experiment_id INTEGER NOT NULL REFERENCES experiments (id),
  ordinal INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  arm TEXT NOT NULL,
  conditioning INTEGER NOT NULL,
  pair INTEGER,
  state TEXT NOT NULL,
  why TEXT NOT NULL DEFAULT '',
  url TEXT NOT NULL DEFAULT '',
  pid INTEGER,
  exit_code INTEGER,
  identity_scrape INTEGER,
  last_scrape INTEGER,
  argv TEXT NOT NULL DEFAULT '[]',
  env_set TEXT NOT NULL DEFAULT '{}',
  env_unset TEXT NOT NULL DEFAULT '[]',
  effective TEXT NOT NULL DEFAULT '{}',
  capabilities TEXT NOT NULL DEFAULT '{}',
  preflight TEXT NOT NULL DEFAULT 'null',
  stop TEXT NOT NULL DEFAULT 'null',
  UNIQUE (experiment_id, ordinal, attempt)
) STRICT;

CREATE TABLE session_states (
  session_id INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  state TEXT NOT NULL,
  at_ns INTEGER NOT NULL,
  at_utc_ns INTEGER NOT NULL,
  why TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (session_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE requests (
  session_id INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  document INTEGER,
  round INTEGER,
  warmup INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  prompt_tokens INTEGER,
  computed INTEGER,
  gpu_hit INTEGER,
  host_loaded INTEGER,
  unknown INTEGER,
  loaded_bytes INTEGER,
  stored_bytes INTEGER,
  cached_tokens INTEGER,
  output_tokens INTEGER,
  ttft_ns INTEGER,
  total_ns INTEGER,
  predicted_computed REAL,
  predicted_gpu_hit REAL,
  predicted_host_loaded REAL,
  sent_ns INTEGER NOT NULL,
  sent_utc_ns INTEGER NOT NULL,
  settled INTEGER NOT NULL,
  PRIMARY KEY (session_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX requests_warmup ON requests (session_id) WHERE warmup = 1;

CREATE TABLE request_details (
  id INTEGER PRIMARY KEY,
  planned TEXT NOT NULL,
  prompt_hash TEXT NOT NULL,
  block_hashes BLOB NOT NULL,
  http_status INTEGER NOT NULL,
  why TEXT NOT NULL,
  times_ns TEXT NOT NULL,
  stream TEXT NOT NULL,
  usage TEXT NOT NULL,
  sources TEXT NOT NULL,
  counters TEXT NOT NULL,
  settling TEXT NOT NULL,
  scrape_before INTEGER,
  scrape_after INTEGER,
  token_ids BLOB NOT NULL,
  text TEXT NOT NULL,
  reasoning_text TEXT NOT NULL,
  events BLOB NOT NULL,
  raw_zstd BLOB
) STRICT;

CREATE TABLE scrapes (
  id INTEGER PRIMARY KEY,
  session_id INTEGER NOT NULL,
  sent_ns INTEGER NOT NULL,
  received_ns INTEGER NOT NULL,
  received_utc_ns INTEGER NOT NULL,
  http_status INTEGER NOT NULL,
  error TEXT NOT NULL,
  engine TEXT NOT NULL,
  generation TEXT NOT NULL,
  process_start_s REAL,
  counters_zstd BLOB NOT NULL,
  raw_zstd BLOB
) STRICT;
CREATE INDEX scrapes_by_session ON scrapes (session_id);

CREATE TABLE log_lines (
  session_id INTEGER NOT NULL,
  line INTEGER NOT NULL,
  at_ns INTEGER NOT NULL,
  at_utc_ns INTEGER NOT NULL,
  is_stderr INTEGER NOT NULL,
  truncated INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (session_id, line)
) STRICT, WITHOUT ROWID;

CREATE TABLE kv_events (
  session_id INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  at_ns INTEGER NOT NULL,
  at_utc_ns INTEGER NOT NULL,
  payload BLOB NOT NULL,
  PRIMARY KEY (session_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE notices (
  id INTEGER PRIMARY KEY,
  experiment_id INTEGER NOT NULL,
  session_id INTEGER,
  at_ns INTEGER NOT NULL,
  at_utc_ns INTEGER NOT NULL,
  severity TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;
CREATE INDEX notices_by_experiment ON notices (experiment_id);

CREATE TABLE sealed_results (
  id INTEGER PRIMARY KEY,
  experiment_id INTEGER NOT NULL,
  method_version TEXT NOT NULL,
  at_utc_ns INTEGER NOT NULL,
  document TEXT NOT NULL
) STRICT;
CREATE INDEX sealed_by_experiment ON sealed_results (experiment_id);
)sql";

Error no_backup(const std::string& path, const std::string& why) {
  return Error{ErrorCode::io, "The journal was not upgraded, because no copy of it could be made", path, why,
               "Free some space beside it, or copy the file yourself and try again"};
}

}  // namespace

const std::vector<Upgrade>& upgrades() {
  static const std::vector<Upgrade> all{{1, version_1}};
  return all;
}

Result<std::string> bring_up_to_date(Database& db, const std::vector<Upgrade>& steps) {
  const auto have = db.one_integer("PRAGMA user_version");
  if (!have) return fail(have.error());
  const int from = static_cast<int>(have->value_or(0));
  const int target = steps.empty() ? from : steps.back().to;
  std::string backup;
  if (from >= target) return backup;
  if (from > 0) {
    backup = fmt::format("{}.v{}-backup", db.path(), from);
    std::error_code ec;
    if (std::filesystem::exists(backup, ec)) {
      int n = 2;
      while (std::filesystem::exists(fmt::format("{}-{}", backup, n), ec)) ++n;
      backup += fmt::format("-{}", n);
    }
    auto copy = db.prepare("VACUUM INTO ?1");
    if (!copy) return fail(copy.error());
    if (copy->bind(backup).step() != SQLITE_DONE) return fail(no_backup(db.path(), sqlite3_errmsg(db.handle())));
  }
  if (auto r = db.run("BEGIN IMMEDIATE"); !r) return fail(r.error());
  const auto all = [&]() -> Result<void> {
    for (const Upgrade& step : steps) {
      if (step.to <= from) continue;
      if (auto r = db.run(step.sql); !r) return r;
    }
    if (auto r = db.run(fmt::format("PRAGMA application_id = {}", application_id)); !r) return r;
    if (auto r = db.run(fmt::format("PRAGMA user_version = {}", target)); !r) return r;
    return db.run("COMMIT");
  }();
  if (!all) {
    (void)db.run("ROLLBACK");
    return fail(all.error());
  }
  return backup;
}

Result<void> look_over(Database& db) {
  const auto damaged = [&](const std::string& why) {
    return fail(ErrorCode::corrupt, "The journal is damaged", db.path(), why,
                "The file is left as it is. Open another journal, or restore a copy");
  };
  const auto format = db.one_text("SELECT value FROM journal_info WHERE key = 'format'");
  if (!format) return damaged(format.error().why);
  if (*format != "kvcliff.journal") return damaged("its description cannot be read");
  auto roots = db.prepare("SELECT type, name, tbl_name FROM sqlite_schema WHERE type IN ('table', 'index')");
  if (!roots) return damaged(roots.error().why);
  std::vector<std::pair<std::string, std::string>> queries;
  int rc = SQLITE_DONE;
  while ((rc = roots->step()) == SQLITE_ROW) {
    const std::string table = roots->text(2);
    if (roots->text(0) == "table")
      queries.emplace_back(table, fmt::format("SELECT 1 FROM \"{}\" NOT INDEXED LIMIT 1", table));
  }
  if (rc != SQLITE_DONE) return damaged(sqlite3_errmsg(db.handle()));
  for (const auto& [table, query] : queries) {
    if (const auto r = db.one_integer(query); !r && r.error().code == ErrorCode::corrupt)
      return damaged(fmt::format("table {}: {}", table, r.error().why));
  }
  return {};
}

}  // namespace kvcliff::journal
