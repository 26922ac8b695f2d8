// SPDX-License-Identifier: GPL-3.0-or-later
// A raw answer gives the same body and state however it is cut.
#include <cstdint>
#include <cstdlib>

#include "wire/http_answer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kvcliff::wire;
  if (size < 1) return 0;
  const std::size_t piece = 1 + data[0] % 23;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  HttpAnswerReader whole, cut;
  std::string a, b;
  whole.push(bytes, [&](std::string_view s) { a.append(s); });
  for (std::size_t at = 0; at < bytes.size(); at += piece) cut.push(bytes.substr(at, piece), [&](std::string_view s) { b.append(s); });
  if (a != b || whole.state() != cut.state() || whole.head().status != cut.head().status) std::abort();
  return 0;
}
