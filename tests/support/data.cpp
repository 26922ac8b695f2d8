// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/data.h"

#include <cstdlib>
#include <stdexcept>

#include "base/file.h"

namespace kvcliff::test {

std::filesystem::path data(const std::string& name) { return std::filesystem::path(KVCLIFF_TEST_DATA) / name; }

std::string read(const std::string& name) {
  auto text = read_maybe_compressed(data(name));
  if (!text) throw std::runtime_error(text.error().sentence());
  return *std::move(text);
}

std::string read_file_bytes(const std::string& name) {
  auto text = read_file(data(name));
  if (!text) throw std::runtime_error(text.error().sentence());
  return *std::move(text);
}

Json read_json(const std::string& name) { return Json::parse(read(name)); }

TempDir::TempDir() {
  std::string pattern = (std::filesystem::temp_directory_path() / "kvcliff-test-XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw std::runtime_error("mkdtemp failed: " + pattern);
  path_ = pattern;
}

TempDir::~TempDir() {
  std::error_code ec;
  std::filesystem::remove_all(path_, ec);
}

}  // namespace kvcliff::test
