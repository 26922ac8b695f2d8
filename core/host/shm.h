// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kvcliff::host {

/// Space of a mounted file system in bytes, as a user without privileges may take it.
struct Space {
  std::string path;
  std::int64_t size = 0, free = 0;
};
/// Errors: not_found, io.
Result<Space> space_of(const std::string& path);
/// A `df -B1` listing: the line whose mount point is `mount`.
std::optional<Space> parse_df(std::string_view text, const std::string& mount);

/// A file in /dev/shm that an engine may have left.
struct ShmFile {
  std::string path;
  std::int64_t bytes = 0;      ///< memory it really takes
  std::int64_t owner_uid = 0;
  std::vector<std::int64_t> used_by;   ///< living processes that map it or hold it open
};
/// Files of /dev/shm with an engine's name pattern. `with_users` looks through all processes (some milliseconds);
/// processes of other users cannot be looked into, so their files are never called unused.
std::vector<ShmFile> list_shm(bool with_users = true);
bool is_engine_file(std::string_view path);

/// Sorts a listing. `leftovers` are ours and in no process: their memory is lost until they are removed.
struct ShmReport {
  std::vector<ShmFile> leftovers, in_use, other_user;
  std::int64_t leftover_bytes = 0;
};
ShmReport classify_shm(const std::vector<ShmFile>& files, std::int64_t our_uid);
/// Removes leftovers, each looked at again just before; a file that has come into use is kept. Only on the user's
/// request. Returns what was removed.
std::vector<std::string> remove_leftovers(const std::vector<ShmFile>& files);

}  // namespace kvcliff::host
