// SPDX-License-Identifier: GPL-3.0-or-later
#include "emulator/lies.h"

#include <array>

#include "base/text.h"

namespace kvcliff::emulator {
namespace {

constexpr std::array table{
    LieEntry{Lie::tier_off, "tier-off", 0, false, "the offload flags are accepted and shown, but there is no tier", "R13"},
    LieEntry{Lie::warm_cache, "warm-cache", 0, false, "first visits are GPU hits, as if somebody had used the server before", "R16"},
    LieEntry{Lie::reset_ignored, "reset-ignored", 0, false, "a cache reset answers success and does nothing", "R16"},
    LieEntry{Lie::double_count, "double-count", 3, false, "prompt tokens by source move twice", "R1"},
    LieEntry{Lie::misbooked_source, "misbooked-source", 0, false, "host-loaded tokens are booked as GPU hits", "R5"},
    LieEntry{Lie::external_not_loaded, "external-not-loaded", 0, false, "external hits are announced and recomputed; no byte is loaded", "R5"},
    LieEntry{Lie::bytes_short, "bytes-short", 0, false, "load bytes are one block short", "R3"},
    LieEntry{Lie::bytes_long, "bytes-long", 0, false, "load bytes are one block too many", "R3"},
    LieEntry{Lie::store_bytes_short, "store-bytes-short", 3, true, "one store counts one block too few", "R7"},
    LieEntry{Lie::generations_differ, "generations-differ", 0, false, "the older byte counter misses a tenth of each load", "R20"},
    LieEntry{Lie::cached_missing, "cached-missing", 0, false, "prompt_tokens_details is left out of the usage", "R4"},
    LieEntry{Lie::cached_zero, "cached-zero", 0, false, "cached_tokens is always 0", "R4"},
    LieEntry{Lie::usage_missing, "usage-missing", 3, false, "no usage is sent", "R2"},
    LieEntry{Lie::usage_duplicate, "usage-duplicate", 3, false, "usage is sent twice, the second with one token more", "R2"},
    LieEntry{Lie::usage_wrong, "usage-wrong", 3, false, "usage counts one prompt token too many", "R2"},
    LieEntry{Lie::generation_wrong, "generation-wrong", 3, false, "generated tokens are counted one too many", "R12"},
    LieEntry{Lie::queries_wrong, "queries-wrong", 3, false, "prefix cache queries count one block too many", "R6"},
    LieEntry{Lie::foreign_request, "foreign-request", 3, true, "somebody else's request runs in the same window", "R9"},
    LieEntry{Lie::counter_reset, "counter-reset", 3, true, "all counters fall to zero, the process start time stays", "R11"},
    LieEntry{Lie::process_restarted, "process-restarted", 3, true, "counters fall to zero under a new process start time", "R11"},
    LieEntry{Lie::aliased_metrics, "aliased-metrics", 3, false, "/metrics shows the page of another process", "R11"},
    LieEntry{Lie::preemption, "preemption", 3, true, "one request is preempted and loaded or computed again", "R10"},
    LieEntry{Lie::failed_stores, "failed-stores", 3, true, "the stores of one request find no host memory", "R10"},
    LieEntry{Lie::skipped_stores, "skipped-stores", 3, true, "the stores of one request are skipped", "R10"},
    LieEntry{Lie::late_counters, "late-counters", 3, false, "byte counters move seconds after the response", "R3"},
    LieEntry{Lie::stuck_request, "stuck-request", 3, true, "one request never gives a token", "R12"},
    LieEntry{Lie::stream_cut, "stream-cut", 3, true, "one connection closes in the middle of the stream", "R12"},
    LieEntry{Lie::stream_stall, "stream-stall", 3, true, "one stream falls silent after four tokens", "R12"},
    LieEntry{Lie::stream_coalesced, "stream-coalesced", 3, false, "all tokens of a request come in one event", "R21"},
    LieEntry{Lie::role_only_first, "role-only-first", 0, false, "an event without a token comes at once, long before the first token", "statistics"},
    LieEntry{Lie::empty_tokens, "empty-tokens", 0, false, "events without text or token ids come before the tokens", "statistics"},
    LieEntry{Lie::output_changed, "output-changed", 0, false, "a host load changes the tokens that follow", "R18"},
    LieEntry{Lie::smaller_cache, "smaller-cache", 0, false, "the pool has three quarters of the blocks asked for, and says so", "R15"},
    LieEntry{Lie::smaller_cache_hidden, "smaller-cache-hidden", 0, false, "the pool has half of the blocks it reports", "R13"},
    LieEntry{Lie::block_size, "block-size", 0, false, "blocks are twice as long as asked, and the server says so", "R15"},
    LieEntry{Lie::offload_hurts, "offload-hurts", 0, false, "the link to the host is so slow that a load costs more than computing", "verdict"},
    LieEntry{Lie::drift, "drift", 0, false, "every session is 3 % slower than the one before", "statistics"},
    LieEntry{Lie::session_effect, "session-effect", 0, false, "each session has a speed of its own (5 % spread)", "statistics"},
    LieEntry{Lie::slow_first_server, "slow-first-server", 0, false, "the first session is half as fast", "statistics"},
    LieEntry{Lie::hit_without_speed, "hit-without-speed", 0, false, "GPU hits and host loads are booked, but the time is that of computing", "R21"},
    LieEntry{Lie::gpu_store_unannounced, "gpu-store-unannounced", 3, true, "KV events of one request leave out a block that it stored on the GPU", "R19"},
    LieEntry{Lie::host_store_unannounced, "host-store-unannounced", 3, true, "KV events of one request leave out a chunk that it stored on the host", "R19"},
    LieEntry{Lie::removal_invented, "removal-invented", 3, true, "KV events announce the removal of a block that was never stored", "R19"},
};

}  // namespace

std::span<const LieEntry> lie_table() { return table; }

std::optional<ActiveLie> parse_lie(std::string_view text) {
  const auto parts = split(text, ':');
  if (parts.empty() || parts.size() > 2) return std::nullopt;
  for (const LieEntry& e : table) {
    if (e.name != trim(parts[0])) continue;
    ActiveLie out{&e, e.from};
    if (parts.size() == 2) {
      const auto n = parse_int(parts[1]);
      if (!n || *n < 0) return std::nullopt;
      out.from = *n;
    }
    return out;
  }
  return std::nullopt;
}

const ActiveLie* Lies::find(Lie lie) const {
  for (const auto& a : active_)
    if (a.entry->lie == lie) return &a;
  return nullptr;
}
bool Lies::has(Lie lie) const { return find(lie) != nullptr; }
bool Lies::on(Lie lie, std::int64_t request) const {
  const ActiveLie* a = find(lie);
  return a && (a->entry->once ? request == a->from : request >= a->from);
}
std::int64_t Lies::from(Lie lie) const {
  const ActiveLie* a = find(lie);
  return a ? a->from : 0;
}

}  // namespace kvcliff::emulator
