// SPDX-License-Identifier: GPL-3.0-or-later
#include "attribution/split.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "engine/tables/meanings.h"

namespace kvcliff::attribution {
namespace {

namespace tables = engine::tables;

std::string series_of(const CounterSnapshot& page, const std::string& name) {
  const auto it = page.readings.find(name);
  return it == page.readings.end() ? name + " (declared, nothing counted yet)" : it->second.series;
}

MeasuredTokens not_reported(const std::string& why) { return {std::nullopt, Provenance::none, why, false}; }
MeasuredTokens unknown(const std::string& why) { return {std::nullopt, Provenance::none, why, true}; }

void by_source(const SplitInput& in, const CounterSnapshot& after, Attribution& out) {
  const auto& d = out.delta;
  const std::string family = series_of(after, "prompt_tokens_by_source");
  const bool lazy = d.by_label.count("prompt_tokens_by_source") == 0;  // declared, no child yet: every part is 0
  const auto read = [&](std::string_view label) -> MeasuredTokens {
    const std::string where = family + "{source=\"" + std::string(label) + "\"}";
    if (lazy) return {Tokens(0), Provenance::counter, where};
    const auto v = d.value("prompt_tokens_by_source", std::string(label));
    if (!v) return not_reported("this engine does not export " + where);
    return {Tokens(std::llround(*v)), Provenance::counter, where};
  };
  out.sources.computed = read(tables::source_computed);
  out.sources.gpu_hit = read(tables::source_gpu);
  out.sources.host_loaded = read(tables::source_host);
  if (out.sources.host_loaded.value) out.host_transferred = out.sources.host_loaded.value->v;

  std::int64_t strange = 0;
  std::string names;
  if (!lazy)
    for (const auto& [label, value] : d.by_label.at("prompt_tokens_by_source")) {
      if (label == tables::source_computed || label == tables::source_gpu || label == tables::source_host) continue;
      strange += std::llround(value);
      if (value != 0) names += (names.empty() ? "" : ", ") + label;
    }
  if (strange != 0)
    out.sources.unknown = {Tokens(strange), Provenance::counter, family + " of sources that are not known here: " + names};

  if (in.prompt_tokens) {
    const auto recomputed = std::llround(d.value("prompt_tokens_recomputed").value_or(0));
    out.recomputed = book_recomputed_once(out.sources, *in.prompt_tokens, recomputed, in.requests);
  }
}

/// The help text of the look-up counters says blocks.
bool named_blocks(const CounterSnapshot& page) {
  for (const char* name : {"prefix_cache_hits", "prefix_cache_queries"})
    if (const auto it = page.readings.find(name); it != page.readings.end() && it->second.unit == "blocks") return true;
  return false;
}

/// What one look-up counts. The help text may say blocks; where it is silent, the number of look-ups tells: a prompt is
/// looked up whole, so tokens are as many as it has (or more, repeated), and blocks of 2 tokens at most half as many.
std::string unit_of_lookups(const SplitInput& in, const CounterSnapshot& after, const CounterDelta& d) {
  if (named_blocks(after)) return "blocks";
  const auto queries = d.value("prefix_cache_queries"), counted = d.value("prompt_tokens");
  if (!queries || *queries == 0 || !(counted || in.prompt_tokens)) return "tokens";
  const auto n = std::llround(*queries);
  // All prompts of the window are looked up, foreign ones too: the counter knows them.
  const std::int64_t prompt = counted ? std::llround(*counted) : *in.prompt_tokens;
  if (n >= prompt) return "tokens";
  // Of several requests some may have skipped the cache, so fewer look-ups say nothing.
  return in.requests == 1 && 2 * n <= prompt + 1 ? "blocks" : "unknown";
}

/// More block look-ups than the prompts have blocks, a last partial one of each counted too.
bool blocks_repeated(const SplitInput& in, double lookups) {
  return std::llround(lookups) * *in.block_size > *in.prompt_tokens + in.requests * (*in.block_size - 1);
}

/// Why hits cannot be read as tokens of the prompt; empty when they can.
std::string why_hits_unclear(const SplitInput& in, const CounterSnapshot& after, const CounterDelta& d,
                             const std::string& unit) {
  const auto queries = d.value("prefix_cache_queries");
  const char* const repeated = "look-ups were repeated, so the hits hold repeats too";
  if (unit == "tokens") {
    // Every try of a waiting request was counted: nothing says how many.
    return in.prompt_tokens && queries && std::llround(*queries) > *in.prompt_tokens ? repeated : "";
  }
  if (unit == "blocks" && !in.block_size) return "the hits count blocks, and the block size is not known";
  if (!in.prompt_tokens || !queries) return {};
  if (unit == "blocks" && blocks_repeated(in, *queries)) return repeated;
  if (named_blocks(after)) return {};
  const std::int64_t n = std::llround(*queries), p = *in.prompt_tokens;
  if (unit == "blocks" && n == p / *in.block_size) return {};
  return std::to_string(n) + " look-ups are neither the " + std::to_string(p) + " tokens of the prompt nor its full blocks";
}

void by_lookups(const SplitInput& in, const CounterSnapshot& after, Attribution& out) {
  const auto& d = out.delta;
  const auto hits = d.value("prefix_cache_hits");
  const auto queries = d.value("prefix_cache_queries");
  const std::string hit_series = series_of(after, "prefix_cache_hits");
  const std::string host_series = series_of(after, "external_prefix_cache_hits");
  out.lookup_unit = unit_of_lookups(in, after, d);

  if (const auto external = d.value("external_prefix_cache_hits")) {
    out.sources.host_loaded = {Tokens(std::llround(*external)), Provenance::counter, host_series};
    out.host_transferred = std::llround(*external);
  } else {
    out.sources.host_loaded = not_reported("this engine does not export external_prefix_cache_hits");
  }

  const bool blocks = out.lookup_unit == "blocks";
  const auto unclear = why_hits_unclear(in, after, d, out.lookup_unit);
  if (blocks && queries && *queries > 0 && !(in.block_size && in.prompt_tokens && blocks_repeated(in, *queries)))
    out.gpu_hit_share = *hits / *queries;
  if (!unclear.empty() && *hits > 0) {  // no hit is no hit in any unit
    out.sources.gpu_hit = out.sources.computed = unknown(unclear);
    if (out.reason.empty()) out.reason = unclear;
    return;
  }
  if (blocks)
    out.sources.gpu_hit = {Tokens(std::llround(*hits) * in.block_size.value_or(1)), Provenance::derived,
                           hit_series + " (blocks) x block size"};
  else
    out.sources.gpu_hit = {Tokens(std::llround(*hits)), Provenance::counter, hit_series};
  if (!in.prompt_tokens) {
    out.sources.computed = unknown("the prompt length is not known");
    return;
  }
  const auto cached = out.sources.gpu_hit.value->v + out.sources.host_loaded.value.value_or(Tokens(0)).v;
  if (cached > *in.prompt_tokens) {
    out.sources.gpu_hit = unknown("more hits were counted than the prompt has tokens");
    out.sources.computed = unknown(out.sources.gpu_hit.from);
    if (out.reason.empty()) out.reason = out.sources.gpu_hit.from;
    return;
  }
  out.sources.computed = {Tokens(*in.prompt_tokens - cached), Provenance::derived,
                          out.sources.host_loaded.value ? "prompt - GPU hits - external hits" : "prompt - hits"};
}

void lookup_figures(const SplitInput& in, Attribution& out) {
  const auto queries = out.delta.value("prefix_cache_queries");
  if (!queries || !in.prompt_tokens || *in.prompt_tokens <= 0) return;
  const auto hits = out.delta.value("prefix_cache_hits");
  if (*queries == 0 && hits.value_or(0) == 0) {
    out.flags.push_back("cache skipped by request option, or prefix caching is off: no look-up was counted");
    return;
  }
  if (out.lookup_unit == "unknown") return;
  if (out.lookup_unit == "blocks") {
    if (!in.block_size || !blocks_repeated(in, *queries)) return;
    const std::int64_t full = std::max<std::int64_t>(1, *in.prompt_tokens / *in.block_size);
    out.lookup_excess = *queries / static_cast<double>(full);
    out.flags.push_back("lookups repeated: counted more often than the prompt has blocks");
    return;
  }
  if (out.lookup_unit.empty()) out.lookup_unit = "tokens";
  const double factor = *queries / static_cast<double>(*in.prompt_tokens);
  if (factor == 1.0) return;
  out.lookup_excess = factor;
  if (factor > 1.0) out.flags.push_back("lookups repeated: counted more often than the prompt is long");
}

}  // namespace

std::optional<std::int64_t> block_size_of(const CounterSnapshot& page) {
  const auto info = page.info.find("cache_config_info");
  if (info == page.info.end()) return std::nullopt;
  const auto label = info->second.find("block_size");
  if (label == info->second.end()) return std::nullopt;
  const auto v = parse_int(label->second);
  return v && *v > 0 ? v : std::nullopt;
}

std::int64_t book_recomputed_once(TokenSources& s, std::int64_t prompt_tokens, std::int64_t recomputed, int requests) {
  if (recomputed <= 0 || !s.computed.value || !s.gpu_hit.value) return 0;
  const std::int64_t host = s.host_loaded.value.value_or(Tokens(0)).v;
  const std::int64_t excess = s.computed.value->v + s.gpu_hit.value->v + host - prompt_tokens;
  // Any other excess is a mismatch and stays visible.
  if (excess <= 0 || excess != recomputed || excess > requests) return 0;
  MeasuredTokens& largest = host >= s.gpu_hit.value->v ? s.host_loaded : s.gpu_hit;
  *largest.value -= Tokens(excess);
  largest.from += " - recomputed";
  largest.provenance = Provenance::derived;
  return excess;
}

void split_counters(const SplitInput& in, const CounterSnapshot& after, Attribution& out) {
  if (out.delta.value("prompt_tokens_by_source")) {
    by_source(in, after, out);
  } else if (out.delta.value("prefix_cache_hits")) {
    by_lookups(in, after, out);
  } else {
    for (auto* m : {&out.sources.computed, &out.sources.gpu_hit, &out.sources.host_loaded})
      *m = not_reported("this engine exports neither token sources nor prefix-cache hits");
    if (out.reason.empty()) out.reason = out.sources.computed.from;
    return;
  }
  if (out.sources.unknown.from.empty()) out.sources.unknown = not_reported("every counted token has a known source");
  lookup_figures(in, out);
  if (!out.gpu_hit_share && out.sources.gpu_hit.value && in.prompt_tokens && *in.prompt_tokens > 0)
    out.gpu_hit_share = static_cast<double>(out.sources.gpu_hit.value->v) / static_cast<double>(*in.prompt_tokens);
}

}  // namespace kvcliff::attribution
