// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/shm.h"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/text.h"

namespace kvcliff::host {
namespace fs = std::filesystem;

namespace {

/// Users of the given files: by mapping and by open descriptor.
void find_users(std::vector<ShmFile>& files) {
  std::map<std::string, ShmFile*> by_path;
  for (auto& f : files) by_path[f.path] = &f;
  if (by_path.empty()) return;
  std::error_code ec;
  for (const auto& process : fs::directory_iterator("/proc", ec)) {
    const auto pid = parse_int(process.path().filename().string());
    if (!pid) continue;
    std::set<std::string> seen;
    std::ifstream maps(process.path() / "maps");
    for (std::string line; std::getline(maps, line);)
      if (const auto at = line.find("/dev/shm/"); at != std::string::npos) seen.insert(line.substr(at));
    std::error_code fd_error;
    for (const auto& fd : fs::directory_iterator(process.path() / "fd", fd_error)) {
      std::error_code link_error;
      const auto target = fs::read_symlink(fd.path(), link_error).string();
      if (target.rfind("/dev/shm/", 0) == 0) seen.insert(target);
    }
    for (const auto& path : seen)
      if (const auto it = by_path.find(path); it != by_path.end()) it->second->used_by.push_back(*pid);
  }
}

}  // namespace

Result<Space> space_of(const std::string& path) {
  struct statvfs s {};
  if (::statvfs(path.c_str(), &s) != 0)
    return fail(errno == ENOENT ? ErrorCode::not_found : ErrorCode::io, "The free space cannot be read", path, std::strerror(errno));
  return Space{path, static_cast<std::int64_t>(s.f_blocks * s.f_frsize), static_cast<std::int64_t>(s.f_bavail * s.f_frsize)};
}

std::optional<Space> parse_df(std::string_view text, const std::string& mount) {
  for (const auto line : split(text, '\n')) {
    std::vector<std::string_view> words;
    for (const auto w : split(line, ' '))
      if (!trim(w).empty()) words.push_back(trim(w));
    if (words.size() < 6 || words[5] != mount) continue;
    const auto size = parse_int(words[1]), free = parse_int(words[3]);
    if (size && free) return Space{mount, *size, *free};
  }
  return std::nullopt;
}

bool is_engine_file(std::string_view path) {
  const auto slash = path.rfind('/');
  const auto name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  // psm_: Python's shared memory, as vLLM's message queues use it. The others are engines' own names.
  for (const std::string_view start : {"vllm", "psm_", "kv_offload", "lmcache", "sglang", "sgl_"})
    if (name.substr(0, start.size()) == start) return true;
  return false;
}

std::vector<ShmFile> list_shm(bool with_users) {
  std::vector<ShmFile> out;
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator("/dev/shm", ec)) {
    struct stat st {};
    const std::string path = entry.path().string();
    if (!is_engine_file(path) || ::lstat(path.c_str(), &st) != 0 || !S_ISREG(st.st_mode)) continue;
    out.push_back({path, static_cast<std::int64_t>(st.st_blocks) * 512, static_cast<std::int64_t>(st.st_uid), {}});
  }
  std::sort(out.begin(), out.end(), [](const ShmFile& a, const ShmFile& b) { return a.path < b.path; });
  if (with_users) find_users(out);
  return out;
}

ShmReport classify_shm(const std::vector<ShmFile>& files, std::int64_t our_uid) {
  ShmReport r;
  for (const auto& f : files) {
    if (!is_engine_file(f.path)) continue;
    if (!f.used_by.empty()) {
      r.in_use.push_back(f);
    } else if (f.owner_uid != our_uid) {
      r.other_user.push_back(f);
    } else {
      r.leftovers.push_back(f);
      r.leftover_bytes += f.bytes;
    }
  }
  return r;
}

std::vector<std::string> remove_leftovers(const std::vector<ShmFile>& files) {
  std::vector<std::string> removed;
  const auto fresh = classify_shm(list_shm(), ::getuid()).leftovers;
  for (const auto& f : files) {
    const bool still = std::any_of(fresh.begin(), fresh.end(), [&](const ShmFile& o) { return o.path == f.path; });
    if (still && ::unlink(f.path.c_str()) == 0) removed.push_back(f.path);
  }
  return removed;
}

}  // namespace kvcliff::host
