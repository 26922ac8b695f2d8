// SPDX-License-Identifier: GPL-3.0-or-later
#include <iostream>

#include "emulator/cache_adapter.h"
#include "emulator/run.h"

int main(int argc, char** argv) {
  return kvcliff::emulator::run({argv + 1, argv + argc}, std::cout, std::cerr, kvcliff::emulator::make_simulated_cache);
}
