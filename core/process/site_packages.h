// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "process/engine_recipe.h"

namespace kvcliff::process {

/// A pinned package that is not whole in an environment.
struct Damage {
  Pin pin;
  std::filesystem::path info;       ///< its metadata folder; empty when there is none
  std::string why;                  ///< "is not there", "lacks x/y.so"
};
/// Looks at each pinned package in site-packages: its metadata with this version, and every file of its list, not shorter
/// than listed; compiled Python code is left out. A package tool that was killed leaves packages that look installed and
/// are not. Contents are not hashed: the tool did that with the wheel.
std::vector<Damage> damaged_packages(const std::filesystem::path& site, const std::vector<Pin>& pins);

}  // namespace kvcliff::process
