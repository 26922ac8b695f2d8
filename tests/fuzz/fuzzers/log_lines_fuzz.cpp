// SPDX-License-Identifier: GPL-3.0-or-later
// Lines do not depend on the cuts, are valid UTF-8, and keep to the limit.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "base/text.h"
#include "wire/log_lines.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kvcliff;
  if (size < 2) return 0;
  const std::size_t piece = 1 + data[0] % 17, limit = 4 + data[1];
  const std::string_view bytes(reinterpret_cast<const char*>(data + 2), size - 2);
  const auto read = [&](std::size_t step) {
    std::vector<std::string> out;
    wire::LineSplitter splitter(limit);
    const auto sink = [&](wire::OutputLine l) {
      // A replacement mark is three bytes for one bad byte.
      if (l.text.size() > limit * 3 || to_valid_utf8(l.text) != l.text) std::abort();
      out.push_back(std::move(l.text));
    };
    for (std::size_t at = 0; at < bytes.size(); at += step) splitter.push(bytes.substr(at, step), sink);
    splitter.finish(sink);
    return out;
  };
  if (read(piece) != read(bytes.size() + 1)) std::abort();
  return 0;
}
