// SPDX-License-Identifier: GPL-3.0-or-later
// Any page is read without a crash; a series never stands twice, and each sample is found by its name.
#include <cstdint>
#include <cstdlib>

#include "wire/prometheus.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kvcliff::wire;
  const auto page = parse_prometheus(std::string(reinterpret_cast<const char*>(data), size));
  for (const auto& s : page.samples()) {
    int same = 0;
    for (const Sample* o : page.named(s.name)) same += o->labels == s.labels;
    if (same != 1 || s.name.empty()) std::abort();
    page.counter(without_total(s.name));
    page.family_of(s.name);
  }
  return 0;
}
