// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tables/capabilities.h"

#include "engine/tables/generation.h"

namespace kvcliff::engine::tables {
namespace {

constexpr std::string_view no_series = "this engine does not export it";

constexpr CapabilityInfo table[]{
    {"prompt_tokens", "R2, R14", "prompt tokens counted by the engine", no_series},
    {"sources", "R1, R4, R5, R8, R13", "prompt tokens split into computed, GPU hit and host load",
     "this engine has no counters by source (0.16 and later do)"},
    {"prefix_lookups", "R6", "tokens looked up and found in the GPU cache", no_series},
    {"external_lookups", "R5, R6", "tokens looked up and found in the host tier", no_series},
    {"load_bytes", "R3", "bytes loaded from host to GPU",
     "no byte counters: no host tier, or a connector that does not export them"},
    {"store_bytes", "R7", "bytes stored from GPU to host",
     "no byte counters: no host tier, or a connector that does not export them"},
    {"two_byte_generations", "R20", "two generations of the byte counters side by side",
     "only one generation of the byte counters is exported"},
    {"transfers_pinned", "settling", "share of the host tier pinned by open transfers",
     "not exported before the first transfer, nor up to 0.23"},
    {"requests_finished", "R9", "finished requests", no_series},
    {"requests_running", "R9, settling", "requests running and waiting", no_series},
    {"preemptions", "R10", "preempted requests", no_series},
    {"allocation_failures", "R10", "stores dropped because the host tier had no free block",
     "no such counter: no host tier, or a release before 0.26"},
    {"process_start", "R11", "start time of the server process", no_series},
    {"cache_config", "R15", "cache configuration (block size, blocks)", no_series},
    {"generation_tokens", "R12", "generated tokens counted by the engine", no_series},
    {"usage", "R2, R12", "token counts in the answer", "no answer with usage was seen yet"},
    {"cached_tokens", "R4", "cached prompt tokens in the answer", "no answer with prompt_tokens_details was seen yet"},
    {"token_ids", "R12, R18", "ids of the generated tokens in the answer", "no answer with token ids was seen yet"},
    {"engine_timings", "R17", "the engine's own times in the answer", "the answers hold no metrics object"},
    {"reset", "coldness", "emptying the GPU's prefix cache", "the development endpoints are off"},
    {"reset_host", "coldness", "emptying the host tier as well", "the development endpoints are off"},
    {"version", "R15", "version of the server", "/version does not answer"},
    {"kv_events", "R19", "events of stored and removed blocks", "KV events were not asked for (--kv-events-config in engine.extra_args)"},
};

Capability of(const CounterSnapshot& page, const char* name, std::string_view absent) {
  if (const auto it = page.readings.find(name); it != page.readings.end()) return {true, it->second.series};
  if (page.declared.count(name)) return {true, std::string(name) + " (declared, nothing counted yet)"};
  if (const auto it = page.unavailable.find(name); it != page.unavailable.end()) return {false, it->second};
  return {false, std::string(absent)};
}

std::string_view absent_text(std::string_view name) {
  for (const auto& info : table)
    if (info.name == name) return info.absent;
  return no_series;
}

}  // namespace

std::span<const CapabilityInfo> capability_table() { return table; }

Capabilities from_metrics(const CounterSnapshot& page) {
  static constexpr std::pair<const char*, const char*> decided[]{
      {"prompt_tokens", "prompt_tokens"},
      {"sources", "prompt_tokens_by_source"},
      {"prefix_lookups", "prefix_cache_queries"},
      {"external_lookups", "external_prefix_cache_hits"},
      {"load_bytes", "kv_offload_load_bytes"},
      {"store_bytes", "kv_offload_store_bytes"},
      {"transfers_pinned", "kv_offload_cpu_cache_usage_perc"},
      {"requests_finished", "request_success"},
      {"requests_running", "num_requests_running"},
      {"preemptions", "num_preemptions"},
      {"allocation_failures", "kv_offload_allocation_failure"},
      {"generation_tokens", "generation_tokens"},
  };
  Capabilities found;
  for (const auto& [name, meaning] : decided)
    found[name] = page.good() ? of(page, meaning, absent_text(name)) : Capability{false, page.error};
  found["process_start"] = page.process_start ? Capability{true, "process_start_time_seconds"}
                                              : Capability{false, page.good() ? std::string(no_series) : page.error};
  found["cache_config"] = page.info.count("cache_config_info") ? Capability{true, "vllm:cache_config_info"}
                                                               : Capability{false, page.good() ? std::string(no_series) : page.error};
  const Counting counting = counting_of(page);
  found["two_byte_generations"] = counting.bytes_a && counting.bytes_b
                                      ? Capability{true, "kv_offload_total_bytes beside kv_offload_load_bytes and kv_offload_store_bytes"}
                                      : Capability{false, std::string(absent_text("two_byte_generations"))};
  return found;
}

void learn_from_answer(Capabilities& known, const StreamRecord& answer, std::string_view engine_version) {
  const auto learn = [&](const char* name, bool seen, std::string how, std::string absent) {
    auto& c = known[name];
    if (c.present) return;
    c = seen ? Capability{true, std::move(how)} : Capability{false, std::move(absent)};
  };
  const auto& u = answer.usage;
  learn("usage", u.prompt_tokens.has_value(), "usage of the last event", "the answer holds no usage");
  const bool cached = u.cached_tokens && *u.cached_tokens >= 0;
  std::string why = "the usage has no prompt_tokens_details (is --enable-prompt-tokens-details on?)";
  if (u.cached_tokens && *u.cached_tokens < 0) why = "the engine says that it does not know the cached tokens";
  else if (!u.details_seen && details_present_at_zero(engine_version) != true)
    why = "the usage has no prompt_tokens_details; up to 0.23 that is also so when nothing was cached";
  learn("cached_tokens", cached, "usage.prompt_tokens_details.cached_tokens", why);
  learn("token_ids", answer.ids_returned, "token_ids of the choices", "the answer holds no token ids");
  learn("engine_timings", !answer.engine_timings.empty(), "metrics of the answer", std::string(absent_text("engine_timings")));
}

}  // namespace kvcliff::engine::tables
