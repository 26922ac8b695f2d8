// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <exception>
#include <map>
#include <string>
#include <utility>

#include "journal/database.h"
#include "journal/reader.h"

namespace kvcliff::journal {

class Reader::Impl {
 public:
  /// `alone`: no log lay beside the file before it was opened.
  Impl(Database d, bool alone) : db(std::move(d)), alone_(alone) {}
  /// Takes away the side files that opening made: reading leaves nothing behind.
  ~Impl();

  Database db;
  std::map<std::string, Statement> statements;

  /// Runs a query: `bind` sets the parameters, `row` is called per row until it returns false; then
  /// `out`, in which the rows were collected, is moved into the answer.
  template <class Bind, class Row, class Out>
  Result<std::decay_t<Out>> read(const std::string& sql, const Bind& bind, const Row& row, Out&& out) {
    auto it = statements.find(sql);
    if (it == statements.end()) {
      auto prepared = db.prepare(sql);
      if (!prepared) return fail(prepared.error());
      it = statements.emplace(sql, std::move(*prepared)).first;
    }
    Statement& s = it->second;
    s.reset();
    bind(s);
    int rc = SQLITE_DONE;
    try {
      while ((rc = s.step()) == SQLITE_ROW)
        if (!row(std::as_const(s))) break;
    } catch (const std::exception& e) {
      s.reset();
      return fail(ErrorCode::corrupt, "A row of the journal cannot be understood", db.path(), e.what(),
                  "It was changed by another program, or is damaged");
    }
    const bool failed = rc != SQLITE_ROW && rc != SQLITE_DONE;
    if (failed) {
      const Error e = db.error("The journal cannot be read");
      s.reset();
      return fail(e);
    }
    s.reset();
    return std::decay_t<Out>(std::move(out));
  }

 private:
  bool alone_;
};

}  // namespace kvcliff::journal
