// SPDX-License-Identifier: GPL-3.0-or-later
// R1, R2, R4, R5, R6: token counts of one request against each other.
#include <fmt/format.h>

#include <cmath>

#include "reconcile/checks.h"
#include "reconcile/common.h"

namespace kvcliff::reconcile::checks {
namespace {
std::optional<std::int64_t> counter(const RequestRecord& r, const char* name) {
  const auto v = r.delta.value(name);
  return v ? std::optional(static_cast<std::int64_t>(std::llround(*v))) : std::nullopt;
}

std::string absent(const MeasuredTokens& m, const char* what) {
  return fmt::format("{} is not known: {}", what, m.from.empty() ? "not reported by this engine" : m.from);
}
}  // namespace

// R1. The residual is what the three sources leave over, tokens of unknown source included in it.
CheckResult token_identity(const RequestContext& c) {
  if (const auto bad = counters_unusable(c)) return *bad;
  const auto& s = c.request.sources;
  if (!s.computed.value) return not_possible(absent(s.computed, "computed"));
  if (!s.gpu_hit.value) return not_possible(absent(s.gpu_hit, "the GPU hit"));
  if (!s.host_loaded.value) return not_possible(absent(s.host_loaded, "the host load"));
  const std::int64_t known = s.computed.value->v + s.gpu_hit.value->v + s.host_loaded.value->v;
  const std::int64_t prompt = prompt_of(c.request);
  for (const auto* m : {&s.computed, &s.gpu_hit, &s.host_loaded})
    if (m->value->v < 0) return failed(static_cast<double>(m->value->v), "a source is negative: " + m->from);
  if (known == prompt) return passed();
  // 0.16 to 0.20 book the last token of a full hit twice and say so; attribution takes it back, raw records may not.
  const auto recomputed = counter(c.request, "prompt_tokens_recomputed");
  if (recomputed && *recomputed == 1 && known == prompt + 1)
    return passed("1 token was recomputed after a full hit and is counted in two sources by this release");
  std::string why = fmt::format("computed {} + GPU hit {} + host loaded {} = {}, the prompt has {}", s.computed.value->v,
                                s.gpu_hit.value->v, s.host_loaded.value->v, known, tokens_text(prompt));
  if (s.unknown.value && s.unknown.value->v != 0)
    why += fmt::format("; {} of a source that cannot be attributed ({})", tokens_text(s.unknown.value->v), s.unknown.from);
  return failed(static_cast<double>(known - prompt), std::move(why));
}

// R2. What was sent, what the answer says, what the counter moved by.
CheckResult prompt_length(const RequestContext& c) {
  const auto& r = c.request;
  const std::int64_t sent = r.plan.prompt_tokens;
  const auto usage = r.stream.usage.prompt_tokens;
  if (r.stream.usage.conflicting) return failed(0, "the answer holds two usage objects that contradict each other");
  if (usage && *usage != sent)
    return failed(static_cast<double>(*usage - sent),
                  fmt::format("{} were sent, usage says {}", tokens_text(sent), *usage));
  if (!usage && r.stream.outcome == Outcome::complete) {
    const auto cap = c.session.record.capabilities.find("usage");
    if (cap == c.session.record.capabilities.end() || cap->second.present)
      return failed(static_cast<double>(-sent), "usage was asked for and is missing in a complete answer");
  }
  if (const auto bad = counters_unusable(c)) {
    if (usage && bad->state == CheckState::not_possible) return passed("usage only: " + bad->why);
    return *bad;
  }
  const auto counted = counter(r, "prompt_tokens");
  if (!counted && !usage) return not_possible("neither usage nor a prompt token counter is reported");
  if (counted && *counted != sent)
    return failed(static_cast<double>(*counted - sent),
                  fmt::format("{} were sent, the prompt token counter moved by {}", tokens_text(sent), *counted));
  if (!counted) return passed("usage only: the prompt token counter is not reported");
  return passed(usage ? "" : "counter only: the answer carries no usage");
}

// R4. Not affected by how the counters are split: the body counts GPU hits and host loads together.
CheckResult cached_tokens(const RequestContext& c) {
  const auto& r = c.request;
  if (const auto bad = counters_unusable(c)) return *bad;
  const auto hits = hit_tokens(r);
  if (!hits) return not_possible("GPU hit and host load are not both reported, so there is nothing to compare with");
  if (r.sources.gpu_hit.provenance == Provenance::body || r.sources.host_loaded.provenance == Provenance::body)
    return not_possible("the sources were taken from the body itself");
  const auto& u = r.stream.usage;
  if (u.cached_tokens) {
    if (*u.cached_tokens < 0) return not_possible("the engine states -1: it does not know");
    // Transferred tokens count in the body even where one of them was recomputed (0.16 to 0.20).
    const std::int64_t moved = recomputed_term(r) ? counter(r, "prompt_tokens_recomputed").value_or(0) : 0;
    const std::int64_t residual = *u.cached_tokens - *hits;
    if (residual == 0 || (moved == 1 && residual == 1)) return passed();
    return failed(static_cast<double>(residual), fmt::format("cached_tokens is {}, the counters say {}", *u.cached_tokens,
                                                             tokens_text(*hits)));
  }
  if (r.stream.outcome != Outcome::complete) return not_possible("the answer did not come to its end, where usage stands");
  const auto& argv = c.session.record.argv;
  bool asked = false;  // the last word counts, as in the engine
  for (const auto& word : argv) {
    if (word == "--enable-prompt-tokens-details") asked = true;
    if (word == "--no-enable-prompt-tokens-details") asked = false;
  }
  const auto cap = c.session.record.capabilities.find("cached_tokens");
  const bool reports = c.session_reports_cached_tokens ||
                       (cap != c.session.record.capabilities.end() ? cap->second.present : asked);
  // From 0.24 on the count stands in every answer, also at 0, once it was asked for: silence is then a contradiction.
  const auto version = version_at_least(c.session.record.effective.engine_version, 0, 24);
  if (!c.session_reports_cached_tokens && asked && version.value_or(false))
    return failed(static_cast<double>(-*hits), "cached_tokens is missing in every answer, although it was asked for (--enable-prompt-tokens-details) and " +
                                                   c.session.record.effective.engine_version + " always states it");
  // Up to 0.23 the count is left out where it is 0, and only there: with hits, silence contradicts what was asked for.
  if (!c.session_reports_cached_tokens && asked && *hits > 0)
    return failed(static_cast<double>(-*hits), fmt::format("cached_tokens is missing although it was asked for (--enable-prompt-tokens-details) and {} were hit",
                                                           tokens_text(*hits)));
  if (!reports)
    return not_possible(cap != c.session.record.capabilities.end() && !cap->second.how.empty()
                            ? cap->second.how
                            : std::string("this engine does not report cached_tokens"));
  if (*hits == 0) return passed("left out, which this engine does when it is 0");
  return failed(static_cast<double>(-*hits),
                fmt::format("cached_tokens is missing although {} were hit", tokens_text(*hits)));
}

// R5. The look-up counter moves at admission, the source counter at the first token.
CheckResult external_hits(const RequestContext& c) {
  const auto& r = c.request;
  if (const auto bad = counters_unusable(c)) return *bad;
  const auto hits = counter(r, "external_prefix_cache_hits");
  const auto loaded = transferred_tokens(r);
  if (!c.session.offload && hits.value_or(0) == 0 && loaded.value_or(0) == 0)
    return not_applicable("this arm has no tier");
  if (!hits) return not_possible("external_prefix_cache_hits is not reported");
  if (!loaded || r.sources.host_loaded.provenance == Provenance::derived)
    return not_possible("the host load is not counted apart from the look-ups: " + r.sources.host_loaded.from);
  if (r.sources.host_loaded.from.find("external_prefix_cache_hits") != std::string::npos &&
      !r.delta.value(by_source, source_host))
    return not_possible("the host load was taken from this very counter");
  // Announced and booked, but no byte came: the engine recomputed what it calls loaded.
  if (*hits == *loaded && *loaded > 0 && r.loaded_bytes && r.loaded_bytes->v == 0)
    return failed(static_cast<double>(*hits), fmt::format("{} announced and booked as loaded, but 0 bytes moved", tokens_text(*hits)));
  if (*hits == *loaded) return passed();
  std::string why = fmt::format("{} announced as external hits, {} booked as loaded", tokens_text(*hits), *loaded);
  if (*loaded == 0 && r.loaded_bytes && r.loaded_bytes->v == 0) why += ": announced but not loaded, 0 bytes moved";
  return failed(static_cast<double>(*hits - *loaded), std::move(why));
}

// R6. Before 0.27 a request that waits is looked up at every try; the excess is shown, not judged.
CheckResult look_ups(const RequestContext& c) {
  const auto& r = c.request;
  if (const auto bad = counters_unusable(c)) return *bad;
  const auto queries = counter(r, "prefix_cache_queries");
  if (!queries) return not_possible("prefix_cache_queries is not reported");
  const std::int64_t prompt = prompt_of(r);
  const auto once = version_at_least(c.session.record.effective.engine_version, 0, 27);
  if (!once.value_or(false)) {
    if (*queries > prompt && prompt > 0)
      return not_applicable(fmt::format("look-ups were repeated {:.1f} times: this release counts every try",
                                        static_cast<double>(*queries) / static_cast<double>(prompt)));
    return not_applicable(once ? "this release counts a look-up at every try, not once at admission"
                               : "the release is not known, so it is not known whether look-ups are counted once");
  }
  if (*queries == 0 && hit_tokens(r).value_or(1) == 0)
    return failed(static_cast<double>(-prompt), "no look-up was counted: the cache was skipped for this request");
  if (*queries != prompt)
    return failed(static_cast<double>(*queries - prompt),
                  fmt::format("{} looked up, the prompt has {}", tokens_text(*queries), prompt));
  if (!c.session.offload) return passed();
  const auto hits = counter(r, "prefix_cache_hits"), external = counter(r, "external_prefix_cache_queries");
  if (!hits || !external) return passed("the external look-ups are not reported");
  // When the GPU serves all that a look-up may ask for, the tier need not be asked at all.
  const std::int64_t rest = *queries - *hits;
  if (*external == rest || (*external == 0 && *hits + c.session.plan.capacity.block_size >= prompt)) return passed();
  return failed(static_cast<double>(*external - rest),
                fmt::format("the tier was asked for {}, the GPU left {} over", tokens_text(*external), rest));
}

}  // namespace kvcliff::reconcile::checks
