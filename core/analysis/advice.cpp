// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/advice.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "cache/explain.h"
#include "cache/rules.h"
#include "workload/distance.h"
#include "workload/requests.h"

namespace kvcliff::analysis {
namespace {

constexpr std::int64_t page = 4096;              // bytes; the tier's chunks are padded to it
constexpr std::int64_t most_explained = 20'000;  // requests of a session; beyond, their prompts would fill the memory

/// The caches of a session by what the engine says of itself, else by the plan.
cache::Config config_of(const reconcile::SessionInput& s) {
  const auto& c = s.plan.capacity;
  cache::Config out;
  out.block_size = c.block_size;
  out.gpu_blocks = c.gpu_blocks - 1;  // the null block
  out.blocks_per_chunk = std::max<std::int64_t>(1, c.offload.blocks_per_chunk);
  if (s.offload)
    if (const auto bytes = s.chunk_bytes(); bytes && *bytes > 0) out.host_chunks = c.host_bytes / *bytes;
  out.policy = c.offload.policy == "arc" ? cache::Policy::arc : cache::Policy::lru;
  out.offload_prompt_only = c.offload.offload_prompt_only;
  for (const std::string* version : {&s.record.effective.engine_version, &s.plan.engine.version})
    if (!version->empty())
      if (const auto ruled = cache::with_rules_of(out, *version)) return *ruled;
  return cache::with_rules_of(out, {}).value_or(out);
}

PredictedSources measured(const RequestRecord& r) {
  PredictedSources p = r.plan.predicted;
  const auto exact = [](PredictedCount& count, const MeasuredTokens& m) {
    if (m.value) count.min = count.max = m.value->v, count.mean = static_cast<double>(m.value->v);
  };
  exact(p.computed, r.sources.computed);
  exact(p.gpu_hit, r.sources.gpu_hit);
  exact(p.host_loaded, r.sources.host_loaded);
  return p;
}

struct Reason {
  std::string kind, words, next;
};

Reason reason_of(const cache::Config& c, const cache::Nearest& near, const RequestRecord& r, std::int64_t prompt_tokens, std::int64_t distance) {
  if (near.common_tokens / c.block_size == 0) {
    if (near.common_tokens == 0 && r.plan.round <= 1) return {"first visit", near.why, "nothing: what was never sent cannot be reused"};
    return {near.common_tokens == 0 ? "unique" : "below one block", near.why,
            near.common_tokens == 0 ? "fix the prompt, not the memory: what stands in every prompt belongs at its beginning"
                                    : fmt::format("fix the prompt, not the memory: a common beginning of {} tokens is the least that is reused", c.block_size)};
  }
  const std::string words = cache::why_no_reuse(c, near, prompt_tokens, distance, measured(r));
  if (words.empty()) return {};
  if (words.rfind("thrashing", 0) == 0)
    return {"thrashing", words.substr(words.find(": ") + 2), fmt::format("the memory: a cache of {} blocks holds what is used between two visits", grouped(distance))};
  return {"not usable", words, "the rules of the engine: kvcliff-cli predict --explain names the tokens"};
}

void explain_session(const reconcile::SessionInput& s, const std::vector<workload::Prompt>& prompts, std::vector<NoReuse>& rows) {
  std::vector<const RequestRecord*> sent;
  for (const auto& r : s.requests)
    if (!r.plan.warmup) sent.push_back(&r);
  const cache::Config c = config_of(s);
  std::vector<std::vector<std::uint64_t>> tokens;
  for (const auto& p : prompts) tokens.emplace_back(p.tokens.begin(), p.tokens.end());
  const auto nearest = cache::nearest_prompts(tokens, c.block_size);
  workload::DistanceMeter meter;
  for (std::size_t i = 0; i < prompts.size() && i < sent.size(); ++i) {
    const auto& p = prompts[i];
    const auto full = std::min(p.keys.size(), p.tokens.size() / static_cast<std::size_t>(c.block_size));
    const auto distance = meter.request(std::span(p.keys).first(full));
    if (sent[i]->plan.prompt_hash != p.hash) return;  // another workload than the plan's: nothing can be said
    const Reason why = reason_of(c, nearest[i], *sent[i], static_cast<std::int64_t>(p.tokens.size()), distance);
    if (why.kind.empty()) continue;
    auto row = std::find_if(rows.begin(), rows.end(), [&](const NoReuse& n) { return n.arm == s.record.arm && n.kind == why.kind; });
    if (row == rows.end()) row = rows.insert(rows.end(), {s.record.arm, why.kind, 0, 0, {}, why.words, why.next});
    ++row->requests;
    row->tokens += sent[i]->sources.computed.value ? sent[i]->sources.computed.value->v : 0;
    if (std::find(row->documents.begin(), row->documents.end(), p.document) == row->documents.end()) row->documents.push_back(p.document);
  }
}

}  // namespace

TierSizing size_tier(const reconcile::ExperimentInput& input) {
  TierSizing out;
  const reconcile::SessionInput* tier = nullptr;
  for (const auto* s : reconcile::compared_sessions(input))
    if (s->offload) tier = s;
  if (!tier) {
    out.why = "no compared session has a tier";
    return out;
  }
  const cache::Config config = config_of(*tier);
  const double shares[] = {0.5, 0.9, 1.0};
  auto sized = cache::size_host_tier(tier->plan.workload, config, shares);
  if (!sized) {
    out.why = sized.error().sentence();
    return out;
  }
  out.sizing = std::move(*sized);
  out.blocks_per_chunk = config.blocks_per_chunk;
  out.present_chunks = config.host_chunks;
  if (const auto bytes = tier->chunk_bytes()) out.chunk_bytes = (*bytes + page - 1) / page * page;
  return out;
}

NoReuseReport why_no_reuse(const reconcile::ExperimentInput& input) {
  NoReuseReport out;
  const auto untold = [](std::string why) { return NoReuseReport{{}, std::move(why)}; };
  if (input.imported) return untold("the prompts of another tool's run are not known");
  std::vector<std::string> done;
  for (const auto& s : input.sessions) {
    if (std::find(done.begin(), done.end(), s.record.arm) != done.end()) continue;  // sessions of an arm send the same
    done.push_back(s.record.arm);
    if (s.plan.workload.kind == workload::Spec::Kind::trace) return untold("the prompts are those of a trace, which the journal does not hold");
    if (static_cast<std::int64_t>(s.requests.size()) > most_explained)
      return untold(fmt::format("a session of {} requests is too long to compare its prompts", grouped(static_cast<std::int64_t>(s.requests.size()))));
    const auto prompts = workload::realise(s.plan.workload, s.plan.capacity.block_size);
    if (!prompts) return untold(prompts.error().sentence());
    explain_session(s, *prompts, out.rows);
  }
  return out;
}

std::string document_words(const std::vector<int>& documents) {
  constexpr std::size_t named = 6;
  std::string out;
  for (std::size_t i = 0; i < documents.size() && i < named; ++i) out += fmt::format("{}{}", i ? ", " : "", documents[i] + 1);
  if (documents.size() > named) out += fmt::format(" and {} more", documents.size() - named);
  return out;
}

void add_advice(OrderedJson& j, const TierSizing& t, const NoReuseReport& reuse) {
  OrderedJson sizing{{"shares", OrderedJson::array()}};
  const auto bytes = [&](std::int64_t chunks) { return t.chunk_bytes > 0 ? OrderedJson(chunks * t.chunk_bytes) : OrderedJson(nullptr); };
  if (t.sizing) {
    for (const auto& s : t.sizing->sizes) {
      OrderedJson one{{"asked", s.asked}, {"share", s.chunks ? OrderedJson(s.share) : OrderedJson(nullptr)},
                      {"host_blocks", s.chunks ? OrderedJson(*s.chunks * t.blocks_per_chunk) : OrderedJson(nullptr)},
                      {"host_bytes", s.chunks ? bytes(*s.chunks) : OrderedJson(nullptr)}};
      if (!s.chunks) one["why"] = "no size gives this share";
      else if (t.chunk_bytes <= 0) one["why"] = "the KV bytes of the model are not known";
      sizing["shares"].push_back(std::move(one));
    }
    sizing["reachable_share"] = t.sizing->reachable;
    sizing["present"] = {{"host_blocks", t.present_chunks * t.blocks_per_chunk}, {"host_bytes", bytes(t.present_chunks)}, {"share", OrderedJson(optional_json(t.sizing->present))}};
    sizing["working_set_blocks"] = t.sizing->working_set;
  } else {
    sizing["why"] = t.why;
  }
  j["sizing"] = std::move(sizing);
  OrderedJson rows = OrderedJson::array();
  for (const auto& r : reuse.rows)
    rows.push_back({{"arm", r.arm}, {"kind", r.kind}, {"requests", r.requests}, {"computed_tokens", r.tokens}, {"documents", r.documents},
                    {"example", r.example}, {"next", r.next}});
  j["no_reuse"] = std::move(rows);
  if (!reuse.why.empty()) j["no_reuse_why"] = reuse.why;
}

}  // namespace kvcliff::analysis
