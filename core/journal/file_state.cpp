// SPDX-License-Identifier: GPL-3.0-or-later
#include "journal/file_state.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "journal/schema.h"

namespace kvcliff::journal {
namespace {
using Kind = FileState::Kind;

constexpr std::string_view magic{"SQLite format 3\0", 16};

std::uint32_t be32(const std::string& b, std::size_t at) {
  std::uint32_t v = 0;
  for (std::size_t i = 0; i < 4; ++i) v = v << 8 | static_cast<std::uint8_t>(b[at + i]);
  return v;
}

bool has_log(const std::string& path) {
  struct stat st{};
  return ::stat((path + "-wal").c_str(), &st) == 0 && st.st_size > 32;  // a header alone holds no page
}

// The facts that only SQLite can read, once the head of the file looks right.
FileState look_inside(const std::string& path, bool log) {
  auto db = Database::open(path, log ? Database::Mode::read_only : Database::Mode::immutable);
  if (!db && log) db = Database::open(path, Database::Mode::immutable);  // a read-only folder
  const auto wrong = [&](const Error& e) {
    if (e.code == ErrorCode::corrupt) return FileState{Kind::damaged, 0, e.why};
    if (log && ::access((path + "-shm").c_str(), F_OK) != 0 && ::access(std::filesystem::path(path).parent_path().c_str(), W_OK) != 0)
      return FileState{Kind::unreadable, 0, "the log beside it (-wal) can only be read where an index of it can be written"};
    return FileState{Kind::unreadable, 0, e.why};
  };
  if (!db) return wrong(db.error());
  const auto id = db->one_integer("PRAGMA application_id");
  if (!id) return wrong(id.error());
  const auto version = db->one_integer("PRAGMA user_version");
  if (!version) return wrong(version.error());
  const int v = static_cast<int>(version->value_or(0));
  if (id->value_or(0) != application_id) {
    const auto tables = db->one_integer("SELECT count(*) FROM sqlite_schema");
    if (!tables) return wrong(tables.error());
    if (tables->value_or(0) == 0 && v == 0) return {Kind::empty, 0, "it holds no table"};
    return {Kind::foreign, v, "it was written by another program"};
  }
  if (v > schema_version) return {Kind::newer, v, fmt::format("schema {}", v)};
  if (v < 1) return {Kind::damaged, v, "it has no schema version"};
  if (const auto ok = look_over(*db); !ok) return wrong(ok.error());
  return {v < schema_version ? Kind::older : Kind::current, v, {}};
}

}  // namespace

FileState inspect_file(const std::string& path) {
  struct stat st{};
  if (::stat(path.c_str(), &st) != 0) {
    if (errno == ENOENT) return {Kind::absent, 0, {}};
    return {Kind::unreadable, 0, std::strerror(errno)};
  }
  if (!S_ISREG(st.st_mode)) return {Kind::not_a_journal, 0, "it is not a regular file"};
  const bool log = has_log(path);
  if (st.st_size == 0 && !log) return {Kind::empty, 0, {}};
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {Kind::unreadable, 0, std::strerror(errno)};
  std::string head(100, '\0');
  const ssize_t n = ::pread(fd, head.data(), head.size(), 0);
  ::close(fd);
  if (n < 0) return {Kind::unreadable, 0, std::strerror(errno)};
  head.resize(static_cast<std::size_t>(n));
  if (st.st_size == 0) return look_inside(path, log);
  if (head.compare(0, std::min(head.size(), magic.size()), magic.substr(0, head.size())) != 0)
    return {Kind::not_a_journal, 0, "it is not an SQLite file"};
  if (head.size() < 100) return {Kind::damaged, 0, fmt::format("it ends after {} bytes", head.size())};
  const std::uint32_t stored = static_cast<std::uint8_t>(head[16]) << 8 | static_cast<std::uint8_t>(head[17]);
  const std::uint64_t page = stored == 1 ? 65536 : stored;
  if (page < 512 || (page & (page - 1)) != 0) return {Kind::damaged, 0, "its page size is impossible"};
  // The page count is to be trusted when the change counter agrees (file format 1.3.7). With a log beside it, the file
  // may lawfully be shorter: a checkpoint was cut off, and SQLite repeats it.
  const std::uint64_t pages = be32(head, 28);
  if (!log && be32(head, 24) == be32(head, 92) && pages * page > static_cast<std::uint64_t>(st.st_size))
    return {Kind::damaged, static_cast<int>(be32(head, 60)),
            fmt::format("its head counts {} pages of {} bytes, but it has only {} bytes", pages, page, st.st_size)};
  if (static_cast<std::uint64_t>(st.st_size) % page != 0 && !log)
    return {Kind::damaged, 0, "it ends within a page"};
  return look_inside(path, log);
}

std::string to_words(const FileState& s) {
  switch (s.kind) {
    case Kind::absent:
    case Kind::empty: return "new journal";
    case Kind::current: return "journal";
    case Kind::older: return fmt::format("journal of an older schema ({})", s.version);
    case Kind::newer: return fmt::format("newer than this program ({})", s.version);
    case Kind::foreign: return "not a journal of this program";
    case Kind::not_a_journal: return "not a journal";
    case Kind::damaged: return "damaged";
    case Kind::unreadable: return "cannot be read";
  }
  return "cannot be read";
}

Error state_error(const FileState& s, const std::string& path) {
  switch (s.kind) {
    case Kind::absent:
      return {ErrorCode::not_found, "There is no such journal", path, {}, "Check the path, or run an experiment first"};
    case Kind::empty:
      return {ErrorCode::not_found, "The journal is empty", path, s.detail, "Run an experiment into it first"};
    case Kind::newer:
      return {ErrorCode::newer_schema, "The journal is newer than this program", path,
              fmt::format("its schema is {}, this program knows up to {}", s.version, schema_version),
              "Open it with a newer version of KV Cliff; the file is left as it is"};
    case Kind::foreign:
      return {ErrorCode::corrupt, "The file is not a journal of this program", path, s.detail,
              "Name another file; this one is left as it is"};
    case Kind::not_a_journal:
      return {ErrorCode::corrupt, "The file is not a journal", path, s.detail,
              "Name a journal written by this program; this file is left as it is"};
    case Kind::damaged:
      return {ErrorCode::corrupt, "The journal is damaged", path, s.detail,
              "It is left as it is. Open another journal, start a new one beside it, or restore a copy"};
    default:
      return {ErrorCode::io, "The journal cannot be read", path, s.detail,
              "Check the path and the permissions; what may not be written there can be copied (with its -wal) to where it may"};
  }
}

}  // namespace kvcliff::journal
