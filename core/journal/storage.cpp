// SPDX-License-Identifier: GPL-3.0-or-later
#include "journal/storage.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>

#include "base/file.h"
#include "base/text.h"

namespace kvcliff::journal {
namespace {

// File systems of one machine, where a shared mapping is seen by every process. Anything else may be shared between
// machines (nfs, cifs, 9p, virtiofs, fuse.sshfs, lustre, ...) and gets the classic mode.
const std::set<std::string, std::less<>> local_types{
    "ext2", "ext3",  "ext4",    "xfs",   "btrfs",  "zfs",   "f2fs",    "jfs",  "reiserfs", "bcachefs",
    "tmpfs", "ramfs", "overlay", "aufs",  "vfat",   "exfat", "ntfs",    "ntfs3", "fuseblk", "hfsplus",
    "apfs", "ufs",   "udf",     "iso9660", "squashfs", "erofs", "nilfs2", "rootfs", "devtmpfs"};

// The mount table writes blanks, tabs, line ends and backslashes as \ooo.
std::string unescape(std::string_view s) {
  std::string out;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '\\' && i + 3 < s.size() && s[i + 1] >= '0' && s[i + 1] <= '3') {
      out += static_cast<char>((s[i + 1] - '0') * 64 + (s[i + 2] - '0') * 8 + (s[i + 3] - '0'));
      i += 3;
    } else {
      out += s[i];
    }
  }
  return out;
}

bool is_below(const std::string& path, const std::string& mount) {
  if (mount == "/") return !path.empty() && path[0] == '/';
  return path.size() > mount.size() && path.compare(0, mount.size(), mount) == 0 && path[mount.size()] == '/';
}

}  // namespace

StorageMode storage_mode(std::string_view mounts, const std::string& path) {
  StorageMode out;
  bool found = false;
  for (const std::string_view line : split(mounts, '\n')) {
    std::vector<std::string_view> fields;
    for (const std::string_view f : split(trim(line), ' '))
      if (!f.empty()) fields.push_back(f);
    if (fields.size() < 3) continue;
    const std::string mount = unescape(fields[1]);
    // A later line with the same mount point lies on top of the earlier one.
    if (!is_below(path, mount) || (found && mount.size() < out.mount_point.size())) continue;
    out.mount_point = mount;
    out.filesystem = std::string(fields[2]);
    found = true;
  }
  out.wal = found && local_types.count(out.filesystem) > 0;
  if (!out.wal)
    out.notice = fmt::format(
        "The journal lies on {} ({}), which may be shared between machines: it is written in the classic journal mode, "
        "which is slower. A folder on a local disk is better",
        out.mount_point.empty() ? "an unknown place" : out.mount_point,
        out.filesystem.empty() ? "unknown file system" : out.filesystem);
  return out;
}

StorageMode storage_mode_here(const std::string& path) {
  std::error_code ec;
  auto absolute = std::filesystem::weakly_canonical(path, ec);
  if (ec) absolute = std::filesystem::absolute(path, ec);
  const auto mounts = read_file("/proc/self/mounts");
  if (!mounts) return {};  // no mount table: not a Linux we know; SQLite itself falls back where WAL cannot work
  return storage_mode(*mounts, absolute.string());
}

Result<std::unique_ptr<WriterLock>> WriterLock::take(const std::string& journal_path) {
  std::unique_ptr<WriterLock> lock(new WriterLock);
  lock->path_ = journal_path + "-lock";
  for (int round = 0; round < 100; ++round) {
    const int fd = ::open(lock->path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0) {
      const int err = errno;
      return fail(ErrorCode::io, "The journal cannot be written", journal_path, std::strerror(err),
                  err == ENOSPC ? "Free some space on that file system"
                                : "Check that the folder exists and its permissions, or write to another file");
    }
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
      const int err = errno;
      std::array<char, 64> text{};
      const ssize_t n = ::pread(fd, text.data(), text.size() - 1, 0);
      ::close(fd);
      if (err == EWOULDBLOCK) {
        const std::string holder(trim(std::string_view(text.data(), n > 0 ? static_cast<std::size_t>(n) : 0)));
        return fail(ErrorCode::busy, "Another instance is writing to this journal", journal_path,
                    holder.empty() ? std::string("it holds the lock") : "process " + holder,
                    "Close it, open this journal for reading only, or choose another file");
      }
      lock->notice_ = fmt::format("This file system offers no locks ({}): do not write to the journal from two places",
                                  std::strerror(err));
      return lock;
    }
    // The holder before us may have removed the file between our open and our lock; then our lock guards nothing.
    struct stat ours{}, there{};
    if (::fstat(fd, &ours) != 0 || ::stat(lock->path_.c_str(), &there) != 0 || ours.st_ino != there.st_ino) {
      ::close(fd);
      continue;
    }
    lock->fd_ = fd;
    const std::string pid = fmt::format("{}\n", ::getpid());
    if (::ftruncate(fd, 0) != 0 || ::pwrite(fd, pid.data(), pid.size(), 0) < 0)
      lock->notice_.clear();  // the number is only a courtesy to the second instance
    return lock;
  }
  return fail(ErrorCode::busy, "The journal's lock changes hands all the time", journal_path, {}, "Try again");
}

WriterLock::~WriterLock() {
  if (fd_ < 0) return;
  ::unlink(path_.c_str());
  ::close(fd_);
}

}  // namespace kvcliff::journal
