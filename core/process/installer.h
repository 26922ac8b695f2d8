// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace kvcliff::process {

/// A pinned engine environment: resources/engines/NAME.json beside its lock file.
struct EngineRecipe {
  std::string name, engine, version, python, note;
  std::string lock;                 ///< file name of the lock beside the recipe: requirements with hashes, complete
  std::int64_t download_bytes = 0, disk_bytes = 0;   ///< about
  std::string metadata_alias;       ///< distribution name that the program asks for and the package does not carry
  std::string alias_version;        ///< its version where that differs: a CPU build of vLLM knows itself by "+cpu" there
};
/// Errors: corrupt, bad_usage (a field is missing or unknown).
Result<EngineRecipe> parse_recipe(const Json& json, const std::string& where);
/// Every recipe of the folder, by name.
Result<std::vector<EngineRecipe>> read_recipes(const std::filesystem::path& folder);

struct InstallOptions {
  std::filesystem::path folder;         ///< of this environment
  std::filesystem::path lock;           ///< the lock file
  std::filesystem::path wheels;         ///< install from this folder only, without a network; empty = the index
  std::string python;                   ///< interpreter; empty = the recipe's choice of python3.X, then python3
  const std::atomic<bool>* stop = nullptr;
};
/// One line of progress: step done of all, and the tool's own line.
using OnProgress = std::function<void(int step, int steps, const std::string& line)>;

/// Makes the environment: interpreter, packages with checked hashes (`uv` where it is there, else `pip`), the metadata
/// alias, and at last the file kvcliff-engine.json. A folder without that file is taken up where it was left: packages
/// that are in are not fetched again. Errors: not_found (no interpreter), engine (the tool failed: its lines),
/// interrupted, busy (a folder of something else).
Result<void> install_engine(const EngineRecipe& recipe, const InstallOptions& options, const OnProgress& progress);
/// Only what install_engine made is removed.
Result<void> remove_engine(const std::filesystem::path& folder);
/// True when the folder holds a finished installation.
bool is_installed(const std::filesystem::path& folder);

}  // namespace kvcliff::process
