// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "workload/trace_reader.h"

namespace kvcliff::workload {

Error cannot_cut(std::int64_t from, std::int64_t size) {
  return {ErrorCode::bad_usage, "The trace cannot be cut into such blocks", "--block-size",
          fmt::format("its ids stand for {} tokens each; {} neither divides that nor is a multiple", from, size),
          "Give a size that divides the ids' evenly, or a multiple of it"};
}

Result<Trace> in_blocks(const Trace& t, std::int64_t size) {
  const std::int64_t from = t.block_tokens;
  if (size < 1 || (from % size != 0 && size % from != 0))
    return fail(cannot_cut(from, size));
  Trace out;
  out.format = t.format;
  out.block_tokens = size;
  out.faults = t.faults;
  out.fault_count = t.fault_count;
  out.prefix_model = t.prefix_model;
  out.unchained = t.unchained;
  out.backwards = t.backwards;
  out.requests.reserve(t.requests.size());
  const std::int64_t parts = std::max<std::int64_t>(1, from / size), group = std::max<std::int64_t>(1, size / from);
  // Numbers of the new blocks, given at first use so that they stay dense: a block that nobody fills has none.
  std::vector<std::uint32_t> number(static_cast<std::size_t>(t.distinct()) * static_cast<std::size_t>(parts), Trace::none);
  for (const TraceRequest& r : t.requests) {
    TraceRequest q = r;
    q.first = out.ids.size();
    const std::int64_t full = std::min(r.input_tokens / size, static_cast<std::int64_t>(r.count) * parts / group);
    std::uint32_t parent = Trace::none;
    for (std::int64_t b = 0; b < full; ++b) {
      const std::size_t old = t.ids[r.first + static_cast<std::size_t>(parts > 1 ? b / parts : (b + 1) * group - 1)];
      std::uint32_t& id = number[old * static_cast<std::size_t>(parts) + static_cast<std::size_t>(parts > 1 ? b % parts : 0)];
      if (id == Trace::none) {
        id = static_cast<std::uint32_t>(out.parents.size());
        out.parents.push_back(parent);
      }
      out.ids.push_back(parent = id);
    }
    q.count = static_cast<std::uint32_t>(out.ids.size() - q.first);
    out.requests.push_back(q);
  }
  return out;
}

}  // namespace kvcliff::workload
