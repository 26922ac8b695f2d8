// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <atomic>
#include <filesystem>
#include <functional>
#include <string>

#include "base/result.h"
#include "process/engine_recipe.h"

namespace kvcliff::process {

struct InstallOptions {
  std::filesystem::path folder;         ///< of this environment
  std::filesystem::path lock;           ///< the lock file
  std::filesystem::path wheels;         ///< install from this folder only, without a network; empty = the index
  std::string python;                   ///< interpreter; empty = the recipe's choice of python3.X, then python3
  const std::atomic<bool>* stop = nullptr;
};
/// One line of progress: step done of all, and the tool's own line.
using OnProgress = std::function<void(int step, int steps, const std::string& line)>;

/// What an installation ended with. Every package was looked at: its metadata and each file of its list.
struct Installed {
  std::size_t packages = 0;    ///< of the lock
  std::size_t added = 0;       ///< of these, put in or put in again now; 0 = it was whole before
};

/// Makes the environment: interpreter, wheels, packages with checked hashes (`uv` where it is there, else `pip`), the
/// metadata alias, a look at every file, and at last kvcliff-engine.json. What was left in the middle is taken up: wheels
/// that were fetched are not fetched again, packages that are whole stay, those that were cut off are put in again. One
/// installation at a time works in a folder.
/// Errors: not_found (no interpreter, no lock, no wheels), engine (the tool failed: its lines, and what to do), interrupted,
/// io (not writable, too little room), busy (a folder of something else, of another engine, or at work elsewhere).
Result<Installed> install_engine(const EngineRecipe& recipe, const InstallOptions& options, const OnProgress& progress);
/// Only what install_engine made is removed.
Result<void> remove_engine(const std::filesystem::path& folder);
/// True when the folder holds a finished installation.
bool is_installed(const std::filesystem::path& folder);

}  // namespace kvcliff::process
