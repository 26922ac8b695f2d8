// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <filesystem>
#include <string>

#include "base/json.h"

namespace kvcliff::test {

/// Path below tests/data.
std::filesystem::path data(const std::string& name);
/// Contents, unpacked when gzip or zstd. A missing file throws, which fails the test with the path.
std::string read(const std::string& name);
/// Contents as they lie there, not unpacked.
std::string read_file_bytes(const std::string& name);
Json read_json(const std::string& name);

/// A folder of its own for one test, removed at the end.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace kvcliff::test
