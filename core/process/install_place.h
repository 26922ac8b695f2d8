// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.h"
#include "process/engine_recipe.h"
#include "process/spawn.h"

namespace kvcliff::process {

inline constexpr const char* lock_file = "kvcliff-engine.lock";     // held while an installation works here

/// The interpreter that the recipe's wheels are for: the one asked for, else python3.X or python3 of the PATH. Errors: not_found.
Result<std::string> find_interpreter(const EngineRecipe& recipe, const std::string& asked);
/// Bytes of the files below a folder; links are not followed.
std::int64_t bytes_below(const std::filesystem::path& folder);
/// Makes the folder and claims it for one installation: held until the descriptor is closed, also by a kill. Errors: busy (something
/// else, another engine, another installation), io (it cannot be made or written).
Result<Fd> take_folder(const EngineRecipe& recipe, const std::filesystem::path& folder);

}  // namespace kvcliff::process
