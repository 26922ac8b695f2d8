// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <iosfwd>
#include <string>
#include <vector>

#include "emulator/cache_model.h"

namespace kvcliff::emulator {

/// The whole program: parses `args` (without the program's name), serves until told to stop, returns the exit code
/// (0 also after a crash of the engine, as vLLM does; 1 failed start; 2 bad command line).
int run(const std::vector<std::string>& args, std::ostream& out, std::ostream& err, const CacheFactory& cache);

}  // namespace kvcliff::emulator
