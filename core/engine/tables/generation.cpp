// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tables/generation.h"

#include <charconv>

namespace kvcliff::engine::tables {
namespace {

bool has(const CounterSnapshot& page, const char* name) {
  return page.readings.count(name) > 0 || page.declared.count(name) > 0 || page.unavailable.count(name) > 0;
}

bool series_is(const CounterSnapshot& page, const char* name, std::string_view part) {
  const auto it = page.readings.find(name);
  return it != page.readings.end() && it->second.series.find(part) != std::string::npos;
}

}  // namespace

Counting counting_of(const CounterSnapshot& page) {
  Counting c;
  c.by_source = has(page, "prompt_tokens_by_source");
  c.recomputed_term = has(page, "prompt_tokens_recomputed");
  c.bytes_a = has(page, "kv_offload_total_bytes");
  // The meaning exists through A as well: B is there when the series read is not A's.
  c.bytes_b = has(page, "kv_offload_store_bytes") && !series_is(page, "kv_offload_store_bytes", "total_bytes");
  return c;
}

std::string generation_of(const CounterSnapshot& page) {
  if (page.engine != "vllm") return {};
  if (has(page, "prompt_tokens_cached_by_source")) return "0.32+";
  const Counting c = counting_of(page);
  if (c.bytes_b && has(page, "kv_offload_allocation_failure")) return "0.26-0.31";
  if (c.bytes_b) return "0.24-0.25";
  if (c.recomputed_term) return "0.16-0.20";
  if (c.by_source) return c.bytes_a ? "0.20-0.23" : "0.20+";
  if (has(page, "external_prefix_cache_hits") || has(page, "external_prefix_cache_queries")) return "0.12-0.15";
  if (series_is(page, "prefix_cache_hits", "gpu_prefix") || series_is(page, "prefix_cache_queries", "gpu_prefix"))
    return "up to 0.10";
  if (has(page, "prefix_cache_hits")) return "0.11";
  return "unknown";
}

std::optional<Version> parse_version(std::string_view text) {
  if (!text.empty() && (text.front() == 'v' || text.front() == 'V')) text.remove_prefix(1);
  Version v;
  int* const parts[]{&v.major, &v.minor, &v.patch};
  int read = 0;
  for (int* part : parts) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *part);
    if (error != std::errc() || *part < 0) break;
    ++read;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty() || text.front() != '.') break;
    text.remove_prefix(1);
  }
  if (read < 2) return std::nullopt;
  return v;
}

std::optional<bool> lookups_counted_once(std::string_view engine_version) {
  const auto v = parse_version(engine_version);
  if (!v) return std::nullopt;
  return *v >= Version{0, 27, 0};
}

std::optional<bool> details_present_at_zero(std::string_view engine_version) {
  const auto v = parse_version(engine_version);
  if (!v) return std::nullopt;
  return *v >= Version{0, 24, 0};
}

}  // namespace kvcliff::engine::tables
