// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kvcliff::journal {

/// A prepared statement. Columns count from 0, parameters are bound in order.
class Statement {
 public:
  Statement() = default;
  explicit Statement(sqlite3_stmt* s) : stmt_(s) {}

  /// Binds all parameters from the first and makes it ready to step. Text and blobs must outlive the step.
  template <class... Args>
  Statement& bind(const Args&... args) {
    sqlite3_reset(stmt_.get());
    next_ = 1;
    (put(args), ...);
    return *this;
  }
  /// SQLITE_ROW, SQLITE_DONE or an error code.
  int step() { return sqlite3_step(stmt_.get()); }
  void reset() { sqlite3_reset(stmt_.get()); }

  bool is_null(int c) const { return sqlite3_column_type(stmt_.get(), c) == SQLITE_NULL; }
  std::int64_t integer(int c) const { return sqlite3_column_int64(stmt_.get(), c); }
  double real(int c) const { return sqlite3_column_double(stmt_.get(), c); }
  /// Valid until the next step. Text and blobs alike.
  std::string_view view(int c) const;
  std::string text(int c) const { return std::string(view(c)); }
  std::optional<std::int64_t> optional_integer(int c) const {
    return is_null(c) ? std::nullopt : std::optional(integer(c));
  }

  /// A blob parameter (std::string_view alone binds as text).
  struct Blob {
    std::string_view bytes;
  };

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* s) const { sqlite3_finalize(s); }
  };
  void put(std::int64_t v) { sqlite3_bind_int64(stmt_.get(), next_++, v); }
  void put(int v) { sqlite3_bind_int64(stmt_.get(), next_++, v); }
  void put(bool v) { sqlite3_bind_int64(stmt_.get(), next_++, v ? 1 : 0); }
  void put(double v) { sqlite3_bind_double(stmt_.get(), next_++, v); }
  void put(std::string_view v) {
    sqlite3_bind_text64(stmt_.get(), next_++, v.data() ? v.data() : "", v.size(), SQLITE_STATIC, SQLITE_UTF8);
  }
  void put(const std::string& v) { put(std::string_view(v)); }
  void put(const char* v) { put(std::string_view(v)); }
  void put(Blob v) {
    if (v.bytes.data())
      sqlite3_bind_blob64(stmt_.get(), next_++, v.bytes.data(), v.bytes.size(), SQLITE_STATIC);
    else
      sqlite3_bind_zeroblob(stmt_.get(), next_++, 0);
  }
  void put(std::nullptr_t) { sqlite3_bind_null(stmt_.get(), next_++); }
  template <class T>
  void put(const std::optional<T>& v) {
    if (v)
      put(*v);
    else
      put(nullptr);
  }

  std::unique_ptr<sqlite3_stmt, Finalize> stmt_;
  int next_ = 1;
};

/// One connection to one file.
class Database {
 public:
  enum class Mode {
    read_write,   ///< existing or new file
    read_only,    ///< sees a live writer's commits
    immutable,    ///< the file alone, no side files: for probing, and for read-only media
  };
  /// Errors: io, busy, corrupt, each with the path.
  static Result<Database> open(const std::string& path, Mode mode);
  /// For reading, whatever the folder allows: read_only; or immutable, where a journal in log mode has no log beside it and
  /// SQLite may not lay an empty one there (nobody else can write it then either). Errors: those of the first read.
  static Result<Database> open_to_read(const std::string& path);
  Mode mode() const { return mode_; }

  Result<void> run(const char* sql);
  Result<void> run(const std::string& sql) { return run(sql.c_str()); }
  Result<Statement> prepare(const std::string& sql);
  /// The first column of the first row; nullopt when there is none.
  Result<std::optional<std::int64_t>> one_integer(const std::string& sql);
  Result<std::optional<std::string>> one_text(const std::string& sql);
  /// The error of the last call, with `what` as its headline.
  Error error(const std::string& what) const;
  int changes() const { return sqlite3_changes(db_.get()); }
  sqlite3* handle() const { return db_.get(); }
  const std::string& path() const { return path_; }

 private:
  struct Close {
    void operator()(sqlite3* d) const { sqlite3_close_v2(d); }
  };
  std::unique_ptr<sqlite3, Close> db_;
  std::string path_;
  Mode mode_ = Mode::read_only;
};

/// Our error for a result code of SQLite.
Error sqlite_error(int code, const std::string& what, const std::string& path, const std::string& message);

}  // namespace kvcliff::journal
