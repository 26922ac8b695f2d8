// SPDX-License-Identifier: GPL-3.0-or-later
// R19: what the engine publishes about its blocks against what it counts.
#include <fmt/format.h>

#include <cmath>

#include "base/text.h"
#include "reconcile/checks.h"
#include "reconcile/common.h"

namespace kvcliff::reconcile::checks {
namespace {

struct Range {
  std::int64_t low = 0, high = 0;
};

double moved(const SessionInput& s, const std::string& name, const std::string& label = {}) {
  const auto at = [&](const CounterSnapshot& page) { return (label.empty() ? page.value(name) : page.value(name, label)).value_or(0); };
  return at(*s.last) - at(*s.identity);
}

// A request announces each block that it fills or loads: all full blocks of prompt and output, less those that the GPU
// had. The last sampled token has no KV, but an engine that schedules ahead may run it.
std::optional<Range> announced_on_gpu(const SessionInput& s, std::string& why) {
  const std::int64_t block = s.plan.capacity.block_size;
  Range blocks;
  for (const auto& r : s.requests) {
    if (r.stream.outcome != Outcome::complete || !r.stream.usage.completion_tokens) {
      why = "a request did not end whole, so its blocks are not known";
      return std::nullopt;
    }
    const std::int64_t tokens = prompt_of(r) + *r.stream.usage.completion_tokens;
    blocks.low += std::max<std::int64_t>(0, tokens - 1) / block;
    blocks.high += tokens / block;
  }
  if (s.last->readings.find(by_source) == s.last->readings.end()) {
    why = "GPU hits are not exported";
    return std::nullopt;
  }
  if (moved(s, "num_preemptions") > 0) {
    why = "a preempted request fills its blocks twice";
    return std::nullopt;
  }
  const auto hits = std::llround(moved(s, by_source, source_gpu)) / block;
  return Range{blocks.low - hits, blocks.high - hits};
}

}  // namespace

CheckResult kv_events(const ExperimentInput&, const SessionInput& s) {
  if (!s.kv_events)
    return not_possible("KV events of the engine were not recorded in this run (--kv-events-config in engine.extra_args asks for them)");
  const auto& t = *s.kv_events;
  if (t.messages() == 0) return not_possible("KV events were asked for and none came");
  if (t.lost() > 0) return not_possible(fmt::format("{} of {} messages of KV events were lost", t.lost(), t.lost() + t.messages()));
  if (t.unreadable() > 0) return not_possible(fmt::format("{} of {} messages of KV events could not be read", t.unreadable(), t.messages()));
  if (!s.identity || !s.last || !s.identity->good() || !s.last->good()) return not_possible("the identity scrape or the last scrape is missing");

  double residual = 0;
  std::string faults, left_out;
  const auto fault = [&](std::int64_t by, std::string why) {
    residual += static_cast<double>(by);
    faults += (faults.empty() ? "" : "; ") + std::move(why);
  };
  const auto gpu = t.of("GPU"), host = t.of("CPU");
  std::string why;
  if (const auto wanted = announced_on_gpu(s, why)) {
    if (gpu.stored < wanted->low || gpu.stored > wanted->high)
      fault(gpu.stored - (gpu.stored < wanted->low ? wanted->low : wanted->high),
            fmt::format("{} blocks announced on the GPU, the counters account for {}", grouped(gpu.stored), grouped(wanted->low)));
  } else {
    left_out = "GPU: " + why;
  }
  const auto chunk = s.chunk_bytes();
  if (!chunk || *chunk <= 0 || !s.last->value("kv_offload_store_bytes")) {
    if (host.stored > 0) left_out += (left_out.empty() ? "" : "; ") + std::string("host: stored bytes are not exported, or the model's are not known");
  } else {
    const auto counted = std::llround(moved(s, "kv_offload_store_bytes")) / *chunk;
    if (host.stored != counted)
      fault(host.stored - counted, fmt::format("{} chunks announced on the host, {} counted as stored", grouped(host.stored), grouped(counted)));
    if (const auto room = s.plan.capacity.host_bytes / *chunk; s.offload && host.most_resident > room)
      fault(host.most_resident - room, fmt::format("{} chunks on the host at once, it has room for {}", grouped(host.most_resident), grouped(room)));
  }
  if (const auto room = s.plan.capacity.gpu_blocks - 1; gpu.most_resident > room)
    fault(gpu.most_resident - room, fmt::format("{} blocks on the GPU at once, {} are usable", grouped(gpu.most_resident), grouped(room)));
  for (const auto& [medium, m] : t.media())
    if (m.strangers > 0) fault(m.strangers, fmt::format("{} entries of {} removed that were never announced", grouped(m.strangers), medium));
  if (!faults.empty()) return failed(residual, std::move(faults));
  if (!left_out.empty() && host.stored == 0) return not_possible(left_out);
  return passed(fmt::format("{} blocks announced on the GPU, {} on the host{}", grouped(gpu.stored), grouped(host.stored), left_out.empty() ? "" : "; " + left_out));
}

}  // namespace kvcliff::reconcile::checks
