// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "base/result.h"

namespace kvcliff::journal {

/// What a path holds, found without changing a byte of it or beside it.
struct FileState {
  enum class Kind {
    absent,         ///< no such file: a new journal may be made
    empty,          ///< 0 bytes: a legal empty database, a new journal may be made
    current,        ///< a journal of this program's schema
    older,          ///< a journal that will be upgraded (after a copy) when it is written to
    newer,          ///< a journal of a newer schema
    foreign,        ///< an SQLite file of another program
    not_a_journal,  ///< not an SQLite file
    damaged,        ///< a journal or SQLite file that is cut or wrecked
    unreadable,     ///< the system refuses to read it
  };
  Kind kind = Kind::absent;
  int version = 0;      ///< user_version, where it could be read
  std::string detail;   ///< what exactly is wrong
};

FileState inspect_file(const std::string& path);
/// "new journal", "damaged", "not a journal", "not a journal of this program", "newer than this program (9999)", ...
std::string to_words(const FileState& state);
/// The error for a state that cannot be opened for reading (`write`: for writing).
Error state_error(const FileState& state, const std::string& path);

}  // namespace kvcliff::journal
