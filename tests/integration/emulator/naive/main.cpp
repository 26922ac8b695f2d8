// SPDX-License-Identifier: GPL-3.0-or-later
// The emulator over the naive cache: for the tests only.
#include <iostream>

#include "emulator/run.h"
#include "naive_model.h"

int main(int argc, char** argv) {
  return kvcliff::emulator::run({argv + 1, argv + argc}, std::cout, std::cerr, kvcliff::test::make_naive);
}
