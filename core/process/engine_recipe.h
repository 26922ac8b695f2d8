// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
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

/// One package of a lock: "NAME==VERSION --hash=sha256:HEX".
struct Pin {
  std::string name, version;
  std::string line;                 ///< as a package tool takes it
  bool operator==(const Pin&) const = default;
};
/// The pins of a lock; lines of comment are left out. Errors: corrupt (a line without version or hash, naming it).
Result<std::vector<Pin>> parse_lock(std::string_view text, const std::string& where);
/// A lock of these pins alone.
std::string lock_of(const std::vector<Pin>& pins);

}  // namespace kvcliff::process
