// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

namespace kvcliff::test {

/// One line of an expect.txt: `key op value`; op is = < > <= >= != ==; comments are gone.
struct Expectation {
  std::string part;   ///< text of the last [part] line; empty before the first
  std::string key, op, value;
  int line = 0;
};

/// tests/data/cases/<slug>/expect.txt.
std::vector<Expectation> read_expectations(const std::string& slug);

}  // namespace kvcliff::test
