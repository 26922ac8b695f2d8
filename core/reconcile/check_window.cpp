// SPDX-License-Identifier: GPL-3.0-or-later
// R8, R9, R10: whole blocks, a window of our own, nothing that disturbs it.
#include <fmt/format.h>

#include <cmath>

#include "attribution/delta.h"
#include "reconcile/checks.h"
#include "reconcile/common.h"

namespace kvcliff::reconcile::checks {

// R8. A hit is whole blocks; a load ends at a chunk of the tier (it may begin inside one, after the GPU's part).
CheckResult whole_blocks(const RequestContext& c) {
  const auto& r = c.request;
  if (const auto bad = counters_unusable(c)) return *bad;
  const std::int64_t block = c.session.record.effective.block_size.value_or(c.session.plan.capacity.block_size);
  if (block < 1) return not_possible("the block size is not known");
  const auto transferred = transferred_tokens(r);
  if (!r.sources.gpu_hit.value && !transferred) return not_possible("neither GPU hits nor host loads are reported");
  std::int64_t gpu = r.sources.gpu_hit.value ? r.sources.gpu_hit.value->v : 0;
  if (const auto raw = r.delta.value(by_source, source_gpu); raw && recomputed_term(r)) {
    // The recomputed token was taken off the larger source; one token in excess is that token (prompt of blocks + 1).
    const auto v = static_cast<std::int64_t>(std::llround(*raw));
    gpu = v % block == 0 ? v : gpu;
  }
  if (gpu % block != 0)
    return failed(static_cast<double>(gpu % block), fmt::format("{} GPU hit is no multiple of the block of {}", gpu, block));
  if (transferred && *transferred % block != 0)
    return failed(static_cast<double>(*transferred % block),
                  fmt::format("{} loaded is no multiple of the block of {}", *transferred, block));
  const std::int64_t chunk = block * c.session.plan.capacity.offload.blocks_per_chunk;
  if (transferred && *transferred > 0 && chunk > block && (gpu + *transferred) % chunk != 0)
    return failed(static_cast<double>((gpu + *transferred) % chunk),
                  fmt::format("the load ends at token {}, which is no end of a chunk of {}", gpu + *transferred, chunk));
  return passed();
}

// R9. Exactly our request: one success, nothing else running, no foreign tokens, no other model served.
CheckResult exclusive_window(const RequestContext& c) {
  const auto& r = c.request;
  if (c.session.plan.load.mode != plan::LoadSpec::Mode::serial)
    return not_possible("several of our own requests share the window");
  const auto success = r.delta.value("request_success");
  const auto prompt = r.delta.value("prompt_tokens");
  if (!success && !prompt) return not_possible("neither finished requests nor prompt tokens are counted by this engine");
  const double running = r.delta.value("num_requests_running").value_or(0) + r.delta.value("num_requests_waiting").value_or(0);
  if (prompt) {
    const double foreign = *prompt - static_cast<double>(prompt_of(r));
    if (foreign > 0 && r.stream.usage.prompt_tokens)
      return failed(success ? *success - 1 : 0,
                    fmt::format("{} prompt tokens of another client in the window", std::llround(foreign)));
  }
  if (success) {
    const bool may_be_uncounted = r.stream.outcome != Outcome::complete;
    const double residual = *success - 1;
    if (residual > 0) return failed(residual, fmt::format("{} requests finished in our window", std::llround(*success)));
    if (residual < 0 && !may_be_uncounted) {
      if (!r.settled) return not_settled(r.not_settled_why.empty() ? "our request was not counted as finished" : r.not_settled_why);
      return failed(residual, "our request was never counted as finished: these are another server's counters, or late ones");
    }
  }
  if (const auto others = attribution::other_models_moved(r.delta); !others.empty())
    return failed(r.delta.value("other_models.request_success").value_or(0), "another model was served in the window: " + others);
  if (running > 0) return failed(running, "another request was running or waiting at the end of the window");
  return passed(success ? "" : "finished requests are not counted by this engine; prompt tokens agree");
}

// R10. A preemption, a refused allocation or a skipped store changes what a request costs without being visible in it.
CheckResult no_disturbance(const RequestContext& c) {
  const auto& r = c.request;
  if (const auto bad = counters_unusable(c)) return *bad;
  struct Item {
    const char* name;
    const char* words;
    bool tier_only;
  };
  double events = 0;
  std::string why;
  bool any = false;
  for (const Item& i : {Item{"num_preemptions", "preemptions", false},
                        Item{"kv_offload_allocation_failure", "stores dropped for want of room", true},
                        Item{"kv_offload_stores_skipped", "stores skipped by the threshold", true}}) {
    const auto v = r.delta.value(i.name);
    if (!v) continue;
    any = true;
    if (*v == 0) continue;
    events += *v;
    why += fmt::format("{}{} {}", why.empty() ? "" : ", ", std::llround(*v), i.words);
  }
  if (!any) return not_possible("num_preemptions is not reported");
  if (events != 0) return failed(events, why + " in the window");
  return passed();
}

}  // namespace kvcliff::reconcile::checks
