// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as a trace: read or refused in words, never crashed on; what is read is consistent.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "workload/trace.h"

using namespace kvcliff::workload;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  TraceOptions options;
  if (size > 0) options.skip_bad_lines = data[0] & 1;
  if (size > 0 && (data[0] & 2)) options.prefix_model.kind = PrefixModel::Kind::continued;
  // Long prompts in many lines are memory, not mistakes.
  options.first_requests = 4;
  options.block_tokens = 1 << 20;
  const auto t = parse_trace({reinterpret_cast<const char*>(data), size}, "fuzz", options);
  if (!t) {
    if (t.error().what.empty() || t.error().why.empty()) std::abort();
    return 0;
  }
  for (const auto& r : t->requests) {
    if (r.input_tokens < 1 || r.first + r.count > t->ids.size()) std::abort();
    std::uint32_t parent = Trace::none;
    for (const auto id : t->blocks(r)) {
      if (id >= t->distinct() || t->parents[id] != parent) std::abort();
      parent = id;
    }
  }
  const auto half = in_blocks(*t, t->block_tokens);
  if (!half || half->requests.size() != t->requests.size()) std::abort();
  return 0;
}
