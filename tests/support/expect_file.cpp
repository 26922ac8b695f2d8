// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/expect_file.h"

#include <stdexcept>

#include "base/text.h"
#include "support/data.h"

namespace kvcliff::test {

std::vector<Expectation> read_expectations(const std::string& slug) {
  const std::string text = read("cases/" + slug + "/expect.txt");
  std::vector<Expectation> out;
  std::string part;
  int number = 0;
  for (std::string_view raw : split(text, '\n')) {
    ++number;
    std::string_view line = raw;
    if (const auto hash = line.find('#'); hash != std::string_view::npos && (hash == 0 || line[hash - 1] == ' '))
      line = line.substr(0, hash);
    line = trim(line);
    if (line.empty()) continue;
    if (line.front() == '[' && line.back() == ']') {
      part = std::string(trim(line.substr(1, line.size() - 2)));
      continue;
    }
    Expectation e{part, {}, {}, {}, number};
    for (const char* op : {"<=", ">=", "!=", "==", "=", "<", ">"}) {
      // Blanks around the operator keep it apart from signs inside keys and values; the value may be empty.
      const std::string spaced = std::string(" ") + op;
      const auto at = line.find(spaced);
      if (at == std::string_view::npos) continue;
      const std::string_view rest = line.substr(at + spaced.size());
      if (!rest.empty() && rest.front() != ' ') continue;
      e.key = std::string(trim(line.substr(0, at)));
      e.op = op;
      e.value = std::string(trim(rest));
      break;
    }
    if (e.op.empty()) throw std::runtime_error("expect.txt of " + slug + " line " + std::to_string(number) + ": " + std::string(line));
    out.push_back(std::move(e));
  }
  return out;
}

}  // namespace kvcliff::test
