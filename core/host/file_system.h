// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

namespace kvcliff::host {

/// What lies under a path.
struct FileSystem {
  std::string type;          ///< ext4, nfs4, 9p, ...; empty when the mount table does not say
  std::string mount_point;
  bool local = false;        ///< false: another machine's, or of a kind that is not known to be local
};
/// From a mount table (/proc/self/mounts): the entry with the longest mount point that holds `path` (absolute, need not
/// exist). Octal escapes of the table are understood.
FileSystem file_system_of(std::string_view path, std::string_view mounts);
/// Of this machine; relative paths and links are resolved as far as they exist.
FileSystem file_system_of(const std::string& path);

}  // namespace kvcliff::host
