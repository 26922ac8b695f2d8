// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tables/meanings.h"

#include <map>
#include <string>

namespace kvcliff::engine::tables {
namespace {

constexpr auto counter = Kind::counter;
constexpr auto sum = Kind::gauge_sum;
constexpr auto max = Kind::gauge_max;
constexpr auto histogram = Kind::histogram;

constexpr SeriesName s(std::string_view name, std::string_view generation) { return {name, generation, {}, {}}; }

// Generation A of the byte counters has one name and tells the direction by a label; B has a name per direction.
constexpr SeriesName a(std::string_view name, std::string_view direction) {
  return {name, "0.15+ (A)", "transfer_type", direction};
}

constexpr Meaning table[]{
    // Where the prompt tokens came from. They move when the first output token of a request is out.
    {"prompt_tokens", counter, "tokens", "", {s("vllm:prompt_tokens", "all")}},
    {"generation_tokens", counter, "tokens", "", {s("vllm:generation_tokens", "all")}},
    {"prompt_tokens_by_source", counter, "tokens", "source", {s("vllm:prompt_tokens_by_source", "0.16+")}},
    {"prompt_tokens_cached", counter, "tokens", "", {s("vllm:prompt_tokens_cached", "0.16+")}},
    {"prompt_tokens_recomputed", counter, "tokens", "", {s("vllm:prompt_tokens_recomputed", "0.16-0.20")}},
    {"prompt_tokens_cached_by_source", counter, "tokens", "source",
     {s("vllm:prompt_tokens_cached_by_source", "0.32+")}},

    // Look-ups. They move when a request is scheduled; before 0.27 once per try.
    {"prefix_cache_queries", counter, "tokens", "",
     {s("vllm:prefix_cache_queries", "0.11+"), s("vllm:gpu_prefix_cache_queries", "up to 0.10")}},
    {"prefix_cache_hits", counter, "tokens", "",
     {s("vllm:prefix_cache_hits", "0.11+"), s("vllm:gpu_prefix_cache_hits", "up to 0.10")}},
    {"external_prefix_cache_queries", counter, "tokens", "", {s("vllm:external_prefix_cache_queries", "0.12+")}},
    {"external_prefix_cache_hits", counter, "tokens", "", {s("vllm:external_prefix_cache_hits", "0.12+")}},

    // Bytes between the tiers. They move in one lump when a transfer job ends.
    {"kv_offload_load_bytes", counter, "bytes", "",
     {s("vllm:kv_offload_load_bytes", "0.24+ (B)"), a("vllm:kv_offload_total_bytes", "CPU_to_GPU")}},
    {"kv_offload_store_bytes", counter, "bytes", "",
     {s("vllm:kv_offload_store_bytes", "0.24+ (B)"), a("vllm:kv_offload_total_bytes", "GPU_to_CPU")}},
    {"kv_offload_load_time", counter, "s", "",
     {s("vllm:kv_offload_load_time", "0.24+ (B)"), a("vllm:kv_offload_total_time", "CPU_to_GPU")}},
    {"kv_offload_store_time", counter, "s", "",
     {s("vllm:kv_offload_store_time", "0.24+ (B)"), a("vllm:kv_offload_total_time", "GPU_to_CPU")}},
    // Generation A under its own name, so that two generations can be compared. Never added to B.
    {"kv_offload_total_bytes", counter, "bytes", "transfer_type", {s("vllm:kv_offload_total_bytes", "0.15+ (A)")}},
    {"kv_offload_total_time", counter, "s", "transfer_type", {s("vllm:kv_offload_total_time", "0.15+ (A)")}},
    {"kv_offload_load_size", histogram, "bytes", "", {s("vllm:kv_offload_load_size", "0.24+ (B)")}},
    {"kv_offload_store_size", histogram, "bytes", "", {s("vllm:kv_offload_store_size", "0.24+ (B)")}},
    {"kv_offload_cpu_allocation_size", histogram, "chunks", "", {s("vllm:kv_offload_cpu_allocation_size", "0.25+")}},
    {"kv_offload_allocation_failure", counter, "events", "", {s("vllm:kv_offload_allocation_failure", "0.26+")}},
    {"kv_offload_stores_skipped", counter, "events", "", {s("vllm:kv_offload_stores_skipped", "0.22+")}},
    {"kv_offload_cpu_cache_usage_perc", max, "share", "", {s("vllm:kv_offload_cpu_cache_usage_perc", "0.24+")}},
    {"kv_offload_cpu_cache_write_usage_perc", max, "share", "",
     {s("vllm:kv_offload_cpu_cache_write_usage_perc", "0.26+")}},
    {"kv_offload_cpu_cache_read_usage_perc", max, "share", "",
     {s("vllm:kv_offload_cpu_cache_read_usage_perc", "0.26+")}},
    {"simple_kv_offload_load_blocks", counter, "blocks", "", {s("vllm:simple_kv_offload_load_blocks", "0.32+")}},
    {"simple_kv_offload_save_outcomes", counter, "events", "outcome",
     {s("vllm:simple_kv_offload_save_outcomes", "0.32+")}},

    // The engine's state and the requests.
    {"num_requests_running", sum, "requests", "", {s("vllm:num_requests_running", "all")}},
    {"num_requests_waiting", sum, "requests", "", {s("vllm:num_requests_waiting", "all")}},
    {"num_requests_waiting_by_reason", sum, "requests", "reason", {s("vllm:num_requests_waiting_by_reason", "0.26+")}},
    {"num_requests_kv_fetch_by_stage", sum, "requests", "stage", {s("vllm:num_requests_kv_fetch_by_stage", "0.32+")}},
    {"kv_cache_usage_perc", max, "share", "",
     {s("vllm:kv_cache_usage_perc", "0.10+"), s("vllm:gpu_cache_usage_perc", "up to 0.10")}},
    {"num_preemptions", counter, "events", "", {s("vllm:num_preemptions", "all")}},
    {"request_success", counter, "requests", "finished_reason", {s("vllm:request_success", "all")}},
    {"admission_rejections", counter, "requests", "reason", {s("vllm:admission_rejections", "0.32+")}},

    // The engine's own times: shown beside ours, never used as ours.
    {"time_to_first_token_seconds", histogram, "s", "", {s("vllm:time_to_first_token_seconds", "all")}},
    {"request_queue_time_seconds", histogram, "s", "", {s("vllm:request_queue_time_seconds", "all")}},
    {"request_prefill_time_seconds", histogram, "s", "", {s("vllm:request_prefill_time_seconds", "all")}},
    {"request_prefill_kv_computed_tokens", histogram, "tokens", "",
     {s("vllm:request_prefill_kv_computed_tokens", "0.12+")}},
    {"request_prompt_tokens", histogram, "tokens", "", {s("vllm:request_prompt_tokens", "all")}},

    {"cache_config_info", Kind::info, "", "", {s("vllm:cache_config_info", "all")}},
    {"kv_offload_cpu_config_info", Kind::info, "", "", {s("vllm:kv_offload_cpu_config_info", "0.33+")}},
};

std::map<std::string, const Meaning*, std::less<>> make_index() {
  std::map<std::string, const Meaning*, std::less<>> index;
  for (const auto& m : table) {
    index.emplace(m.name, &m);
    if (m.kind != histogram) continue;
    index.emplace(std::string(m.name) + "_sum", &m);
    index.emplace(std::string(m.name) + "_count", &m);
  }
  return index;
}

}  // namespace

std::span<const Meaning> meanings() { return table; }

const Meaning* meaning_named(std::string_view name) {
  static const auto index = make_index();
  const auto it = index.find(name);
  return it == index.end() ? nullptr : it->second;
}

std::span<const std::string_view> traffic_names() {
  static constexpr std::string_view names[]{"prompt_tokens",   "generation_tokens",    "prefix_cache_queries",
                                            "request_success", "num_requests_running", "num_requests_waiting"};
  return names;
}

bool is_counter(std::string_view name) {
  const Meaning* m = meaning_named(name);
  if (m == nullptr) return false;
  return m->kind == counter || (m->kind == histogram && name != m->name);
}

}  // namespace kvcliff::engine::tables
