// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/file_system.h"

#include <filesystem>
#include <fstream>
#include <set>

#include "base/text.h"

namespace kvcliff::host {
namespace {

/// The kernel writes blank, tab, line feed and backslash in mount points as \ooo.
std::string unescaped(std::string_view s) {
  std::string out;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const auto octal = [&](std::size_t k) { return k < s.size() && s[k] >= '0' && s[k] <= '7'; };
    if (s[i] == '\\' && octal(i + 1) && octal(i + 2) && octal(i + 3)) {
      out += static_cast<char>((s[i + 1] - '0') * 64 + (s[i + 2] - '0') * 8 + (s[i + 3] - '0'));
      i += 3;
    } else {
      out += s[i];
    }
  }
  return out;
}

bool known_local(const std::string& type) {
  static const std::set<std::string> types{"ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "jfs", "reiserfs", "bcachefs",
                                           "tmpfs", "ramfs", "overlay", "squashfs", "vfat", "exfat", "ntfs3", "ntfs",
                                           "fuseblk", "rootfs", "devtmpfs", "nilfs2", "erofs", "iso9660"};
  return types.count(type) > 0;
}

}  // namespace

FileSystem file_system_of(std::string_view path, std::string_view mounts) {
  FileSystem best;
  for (const auto line : split(mounts, '\n')) {
    const auto fields = split(line, ' ');
    if (fields.size() < 3) continue;
    const std::string point = unescaped(fields[1]);
    const bool holds = point == "/" || path == point ||
                       (path.size() > point.size() && path.substr(0, point.size()) == point && path[point.size()] == '/');
    // A later mount at the same place lies on top.
    if (holds && point.size() >= best.mount_point.size()) best = {std::string(fields[2]), point, known_local(std::string(fields[2]))};
  }
  return best;
}

FileSystem file_system_of(const std::string& path) {
  std::ifstream in("/proc/self/mounts");
  const std::string mounts(std::istreambuf_iterator<char>(in), {});
  std::error_code ec;
  const auto absolute = std::filesystem::weakly_canonical(std::filesystem::absolute(path, ec), ec);
  return file_system_of(std::string_view(ec ? path : absolute.string()), std::string_view(mounts));
}

}  // namespace kvcliff::host
