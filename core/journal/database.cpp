// SPDX-License-Identifier: GPL-3.0-or-later
#include "journal/database.h"

#include <fmt/format.h>

#include <filesystem>

namespace kvcliff::journal {

std::string_view Statement::view(int c) const {
  // The pointer first, the size after it: the order SQLite asks for.
  const void* p = sqlite3_column_blob(stmt_.get(), c);
  const int n = sqlite3_column_bytes(stmt_.get(), c);
  return p ? std::string_view(static_cast<const char*>(p), static_cast<std::size_t>(n)) : std::string_view();
}

Error sqlite_error(int code, const std::string& what, const std::string& path, const std::string& message) {
  Error e{ErrorCode::io, what, path, message, {}};
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      e.code = ErrorCode::busy;
      e.next = "Another program is writing to this journal; close it or wait";
      break;
    case SQLITE_FULL:
      e.why = "The disk is full";
      e.next = "Free some space on that file system, or write the journal to another one";
      break;
    case SQLITE_READONLY:
      e.why = "The journal or its folder is read-only";
      e.next = "Check the permissions, or write to another file";
      break;
    case SQLITE_CANTOPEN:
      e.next = "Check that the folder exists and that the file may be opened";
      break;
    case SQLITE_CORRUPT:
      e.code = ErrorCode::corrupt;
      e.next = "The file is left as it is. Open another journal, or restore a copy";
      break;
    case SQLITE_NOTADB:
      e.code = ErrorCode::corrupt;
      e.why = "The file is not a journal";
      e.next = "Name a journal written by this program";
      break;
    case SQLITE_ERROR:
    case SQLITE_MISUSE:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
      e.code = ErrorCode::internal;
      break;
    case SQLITE_INTERRUPT:
      e.code = ErrorCode::interrupted;
      break;
    default:
      e.next = "Check the disk";
      break;
  }
  return e;
}

Result<Database> Database::open(const std::string& path, Mode mode) {
  Database out;
  out.path_ = path;
  out.mode_ = mode;
  // A URI, so that "immutable" can be said; the path's special characters are escaped.
  std::string uri = "file:";
  for (const char c : path) {
    if (c == '?' || c == '#' || c == '%')
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    else
      uri += c;
  }
  int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  flags |= mode == Mode::read_write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
  if (mode == Mode::immutable) uri += "?immutable=1";
  sqlite3* raw = nullptr;
  const int rc = sqlite3_open_v2(uri.c_str(), &raw, flags, nullptr);
  out.db_.reset(raw);
  if (rc != SQLITE_OK)
    return fail(sqlite_error(rc, "Cannot open the journal", path, raw ? sqlite3_errmsg(raw) : sqlite3_errstr(rc)));
  sqlite3_busy_timeout(raw, 250);
  return out;
}

Result<Database> Database::open_to_read(const std::string& path) {
  const char* first_read = "SELECT count(*) FROM sqlite_schema";
  auto db = open(path, Mode::read_only);
  if (!db) return db;
  const auto read = db->one_integer(first_read);
  if (read) return db;
  std::error_code ec;
  if (const auto log = std::filesystem::file_size(path + "-wal", ec); !ec && log > 0) return fail(read.error());  // the file alone is not the truth
  auto alone = open(path, Mode::immutable);
  if (!alone || !alone->one_integer(first_read)) return fail(read.error());
  return alone;
}

Error Database::error(const std::string& what) const {
  return sqlite_error(sqlite3_extended_errcode(db_.get()), what, path_, sqlite3_errmsg(db_.get()));
}

Result<void> Database::run(const char* sql) {
  if (sqlite3_exec(db_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK)
    return fail(error("The journal refused a statement"));
  return {};
}

Result<Statement> Database::prepare(const std::string& sql) {
  sqlite3_stmt* s = nullptr;
  if (sqlite3_prepare_v3(db_.get(), sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT, &s,
                         nullptr) != SQLITE_OK)
    return fail(error("The journal cannot be read"));
  return Statement(s);
}

Result<std::optional<std::int64_t>> Database::one_integer(const std::string& sql) {
  auto s = prepare(sql);
  if (!s) return fail(s.error());
  const int rc = s->step();
  if (rc == SQLITE_ROW) return s->optional_integer(0);
  if (rc == SQLITE_DONE) return std::nullopt;
  return fail(error("The journal cannot be read"));
}

Result<std::optional<std::string>> Database::one_text(const std::string& sql) {
  auto s = prepare(sql);
  if (!s) return fail(s.error());
  const int rc = s->step();
  if (rc == SQLITE_ROW) return s->is_null(0) ? std::nullopt : std::optional(s->text(0));
  if (rc == SQLITE_DONE) return std::nullopt;
  return fail(error("The journal cannot be read"));
}

}  // namespace kvcliff::journal
