// SPDX-License-Identifier: GPL-3.0-or-later
// Allowed, and yet likely not meant: the run goes on, and the reader is told.
#include <fmt/format.h>

#include "base/text.h"
#include "plan/internal.h"

namespace kvcliff::plan {
namespace {

using Kind = workload::Spec::Kind;

void about_workload(const Plan& p, std::vector<Fault>& out) {
  const auto& w = p.workload;
  if (w.kind == Kind::trace) return;
  if (w.kind == Kind::documents && w.tokens % p.capacity.block_size == 0)
    out.push_back({"workload.tokens",
                   fmt::format("Prompts of {} tokens are an exact multiple of the block size {}: the rule of the last token then differs by engine version and tier", grouped(w.tokens), p.capacity.block_size),
                   fmt::format("Use {} tokens unless this is what you want to see", grouped(w.tokens + 3))});
  if (w.tokens < p.capacity.block_size)
    out.push_back({"workload.tokens", fmt::format("Prompts of {} tokens fill no block of {}: nothing can ever be reused", w.tokens, p.capacity.block_size), {}});
  if (w.rounds == 1 && p.schedule.pairs > 0)
    out.push_back({"workload.rounds", "Each document is sent once: there is no revisit, and so no effect to measure", "Give two or more rounds"});
  if (w.shared_prefix_tokens > 0 && w.shared_prefix_tokens < p.capacity.block_size)
    out.push_back({"workload.shared_prefix_tokens", fmt::format("A shared prefix of {} tokens fills no block of {}", w.shared_prefix_tokens, p.capacity.block_size), {}});
}

void about_sizes(const Plan& p, std::optional<std::int64_t> per_token, std::vector<Fault>& out) {
  const auto set = working_set(p);
  const std::int64_t usable = p.capacity.gpu_blocks - 1;
  if (set && set->v <= usable && p.schedule.pairs > 0)
    out.push_back({"capacity.gpu_blocks",
                   fmt::format("The working set of {} blocks fits the {} usable GPU blocks: both arms hit on the GPU, and the tier has nothing to load", grouped(set->v), grouped(usable)),
                   "Take more documents, or fewer GPU blocks"});
  if (!per_token || *per_token <= 0 || p.capacity.host_bytes <= 0) return;
  const std::int64_t block_bytes = *per_token * p.capacity.block_size;
  const std::int64_t host_blocks = p.capacity.host_bytes / block_bytes;
  if (host_blocks <= usable)
    out.push_back({"capacity.host_bytes",
                   fmt::format("The host tier holds {} blocks, no more than the {} of the GPU cache: it keeps copies of what the GPU has and adds little", grouped(host_blocks), grouped(usable)),
                   fmt::format("More than {} bytes let it hold more than the GPU does", grouped(usable * block_bytes))});
  else if (set && host_blocks < set->v)
    out.push_back({"capacity.host_bytes",
                   fmt::format("The working set of {} blocks is past the host tier's cliff at {} blocks: in cyclic order nothing is found there", grouped(set->v), grouped(host_blocks)),
                   fmt::format("{} bytes would hold it", grouped(set->v * block_bytes))});
  if (p.capacity.host_bytes % (block_bytes * p.capacity.offload.blocks_per_chunk) != 0)
    out.push_back({"capacity.host_bytes",
                   fmt::format("The host tier is not a whole number of chunks of {} bytes; the rest is not used", grouped(block_bytes * p.capacity.offload.blocks_per_chunk)), {}});
}

void about_schedule(const Plan& p, std::vector<Fault>& out) {
  if (p.schedule.pairs == 1)
    out.push_back({"schedule.pairs", "One pair gives no verdict: each compared arm needs two sessions", "Take two pairs or more; three see a ratio of 0.8 with 99 % power at 3 % session spread"});
  else if (p.schedule.pairs == 2 && p.engine.adapter != "emulator")
    out.push_back({"schedule.pairs", "Two pairs see a ratio of 0.8 at 3 % session spread with 34 % power only", "Three pairs: 99 %"});
  if (p.schedule.conditioning == 0 && p.schedule.pairs > 0 && p.engine.adapter == "vllm")
    out.push_back({"schedule.conditioning", "No conditioning session: the first server reads a cold disk, is slower, and biases its arm", "Set schedule.conditioning to 1"});
  if (p.schedule.pairs > 0 && p.schedule.controls.empty())
    out.push_back({"schedule.controls", "There is no control: what a GPU hit costs is not measured, and the gain cannot be split", {}});
  for (const auto& [id, on] : p.gates)
    if (!on) out.push_back({"gates." + id, fmt::format("The gate {} is switched off: every export says so", id), {}});
}

}  // namespace

std::vector<Fault> warnings(const Plan& plan, std::optional<std::int64_t> kv_bytes_per_token) {
  std::vector<Fault> out;
  if (!find_value_faults(plan).empty()) return out;  // the faults come first
  about_workload(plan, out);
  about_sizes(plan, kv_bytes_per_token, out);
  about_schedule(plan, out);
  return out;
}

}  // namespace kvcliff::plan
