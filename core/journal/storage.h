// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kvcliff::journal {

/// How the journal may be written at a place: a write-ahead log needs the shared memory of one machine, so on network
/// and unknown file systems the classic rollback journal is used.
struct StorageMode {
  bool wal = true;
  std::string filesystem;   ///< type as the mount table says; empty = unknown
  std::string mount_point;
  std::string notice;       ///< for the user; empty on a local file system
};
/// `mounts` is the text of /proc/self/mounts; `path` an absolute path.
StorageMode storage_mode(std::string_view mounts, const std::string& path);
/// The same for this machine.
StorageMode storage_mode_here(const std::string& path);

/// The right to write one journal, held by one process. It goes with the process, also on kill -9, so a file that is
/// left behind shuts nobody out.
class WriterLock {
 public:
  ~WriterLock();
  /// Errors: busy, naming the process that holds it. On a file system without locks it succeeds and `notice` says so.
  static Result<std::unique_ptr<WriterLock>> take(const std::string& journal_path);
  const std::string& notice() const { return notice_; }

 private:
  WriterLock() = default;
  int fd_ = -1;
  std::string path_, notice_;
};

}  // namespace kvcliff::journal
