// SPDX-License-Identifier: GPL-3.0-or-later
#include "cache/trace_stream.h"

#include <algorithm>

#include "cache/session.h"

namespace kvcliff::cache {

Result<ReferenceStream> stream_of(const workload::Trace& trace, std::int64_t block_size) {
  auto blocks = workload::in_blocks(trace, block_size > 0 ? block_size : trace.block_tokens);
  if (!blocks) return fail(blocks.error());
  ReferenceStream out;
  out.block_size = blocks->block_tokens;
  out.distinct = blocks->distinct();
  out.ids = std::move(blocks->ids);
  out.requests.reserve(blocks->requests.size());
  for (const auto& r : blocks->requests) out.requests.push_back({r.first, r.count, r.input_tokens, std::max<std::int64_t>(1, r.output_tokens)});
  return out;
}

ReferenceStream stream_of(std::span<const workload::Prompt> prompts, std::int64_t block_size) {
  std::vector<Request> requests;
  requests.reserve(prompts.size());
  for (const auto& p : prompts) requests.push_back(request_of(p));
  return make_stream(requests, block_size);
}

std::vector<Request> requests_of(const ReferenceStream& stream, bool with_output) {
  std::vector<Request> out;
  out.reserve(stream.requests.size());
  for (const StreamRequest& r : stream.requests) {
    Request q;
    q.prompt_tokens = r.prompt_tokens;
    q.output_tokens = with_output ? std::max<std::int64_t>(1, r.output_tokens) : 1;
    const auto ids = stream.blocks(r);
    q.keys.assign(ids.begin(), ids.end());
    out.push_back(std::move(q));
  }
  return out;
}

}  // namespace kvcliff::cache
