// SPDX-License-Identifier: GPL-3.0-or-later
// R13 and R16: what a cache with these rules must have given, made before the run.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "reconcile/checks.h"
#include "reconcile/common.h"
#include "reconcile/converted.h"

namespace kvcliff::reconcile {
namespace {
void shift(PredictedCount& c, std::int64_t by) {
  c.min += by;
  c.max += by;
  c.mean += static_cast<double>(by);
}

std::string shown(const PredictedCount& c) {
  return c.is_exact() ? fmt::format("{}", c.min) : fmt::format("{}..{}", c.min, c.max);
}
}  // namespace

Converted converted_prediction(const PredictedSources& p, std::int64_t prompt, bool recomputed_is_exported) {
  Converted out{p.computed, p.gpu_hit, p.host_loaded, false};
  // Cached sources that cover the whole prompt leave one token to run: real terms then sum to prompt + 1.
  const auto sum = p.computed.mean + p.gpu_hit.mean + p.host_loaded.mean;
  if (!(p.computed.is_exact() && p.computed.min == 1 && sum > static_cast<double>(prompt) + 0.5)) return out;
  out.full_hit = true;
  if (recomputed_is_exported)
    shift(p.host_loaded.max > p.gpu_hit.max ? out.host_loaded : out.gpu_hit, -1);
  else
    shift(out.computed, -1);
  return out;
}

void add_prediction(const RequestRecord& r, PredictedTotals& totals) {
  const auto& p = r.plan.predicted;
  // The source counters themselves: where a token is booked twice, they hold it twice.
  const auto later = converted_prediction(p, r.plan.prompt_tokens, false);
  totals.computed.add(recomputed_term(r) ? p.computed : later.computed);
  totals.gpu_hit.add(p.gpu_hit);
  totals.host_loaded.add(p.host_loaded);
  totals.transferred.add(p.host_loaded);
  totals.stored.add(p.stored_blocks);
}

namespace checks {

// R13. Equal, or inside the predicted range where the engine's own order is random.
CheckResult prediction(const RequestContext& c) {
  const auto& r = c.request;
  if (const auto bad = counters_unusable(c)) return *bad;
  if (!has_prediction(r)) return not_possible("no prediction was made for this request");
  const auto& s = r.sources;
  if (!s.computed.value || !s.gpu_hit.value || !s.host_loaded.value)
    return not_possible("a source is not reported: " + (!s.computed.value ? s.computed.from : !s.gpu_hit.value ? s.gpu_hit.from
                                                                                                           : s.host_loaded.from));
  const auto p = converted_prediction(r.plan.predicted, prompt_of(r), recomputed_term(r));
  const std::int64_t computed = s.computed.value->v, gpu = s.gpu_hit.value->v, host = s.host_loaded.value->v;
  if (p.computed.contains(computed) && p.gpu_hit.contains(gpu) && p.host_loaded.contains(host)) return passed();
  const auto beyond = [](const PredictedCount& range, std::int64_t v) { return v < range.min ? v - range.min : v > range.max ? v - range.max : 0; };
  std::int64_t residual = beyond(p.computed, computed);
  if (residual == 0) residual = beyond(p.host_loaded, host);
  if (residual == 0) residual = beyond(p.gpu_hit, gpu);
  return failed(static_cast<double>(residual),
                fmt::format("predicted computed {}, GPU hit {}, host {}; measured {}, {}, {}", shown(p.computed),
                            shown(p.gpu_hit), shown(p.host_loaded), computed, gpu, host));
}

namespace {

// With several requests in flight the engine may take a later visit first (seen live: vLLM 0.26.0, four streams). Whatever
// visit came first computed the document, so a cold cache shows in the coldest of those sent before the first one ended.
std::int64_t coldest_in_flight(const SessionInput& s, const RequestRecord& first, std::int64_t found) {
  for (const auto& r : s.requests)
    if (!r.plan.warmup && r.plan.document == first.plan.document && r.stream.times.t0 <= first.stream.times.end)
      found = std::min(found, r.stream.usage.cached_tokens.value_or(found));
  return found;
}

}  // namespace

// R16. The first visit of a document finds nothing but what it shares with an earlier prompt.
CheckResult cold_start(const ExperimentInput& e, const SessionInput& s) {
  std::set<int> seen;
  double residual = 0;
  int first = 0, judged = 0;
  std::string why, unknown;
  for (const auto& r : s.requests) {
    if (r.plan.warmup || r.plan.document < 0 || !seen.insert(r.plan.document).second) continue;
    ++first;
    const auto hits = hit_tokens(r);
    if (!hits || !r.settled || s.plan.load.mode != plan::LoadSpec::Mode::serial) {
      unknown = !hits ? "hits are not reported per request" : "the counters of a first visit are not its own";
      // The answer's own count still says whether anything was cached.
      if (!r.stream.usage.cached_tokens) continue;
    }
    std::int64_t found = hits.value_or(r.stream.usage.cached_tokens.value_or(0));
    if (s.plan.load.mode != plan::LoadSpec::Mode::serial) found = coldest_in_flight(s, r, found);
    std::int64_t allowed_low = 0, allowed_high = 0;
    if (has_prediction(r)) {
      allowed_low = r.plan.predicted.gpu_hit.min + r.plan.predicted.host_loaded.min;
      allowed_high = r.plan.predicted.gpu_hit.max + r.plan.predicted.host_loaded.max;
    } else if (s.plan.workload.shared_prefix_tokens > 0 || s.plan.workload.kind != workload::Spec::Kind::documents) {
      unknown = "prompts may share a start and no prediction says how much";
      continue;
    }
    ++judged;
    if (found >= allowed_low && found <= allowed_high) continue;
    residual += static_cast<double>(found - (found < allowed_low ? allowed_low : allowed_high));
    if (why.empty())
      why = fmt::format("document {} was {} cached on its first visit, a cold cache gives {}", r.plan.document + 1,
                        tokens_text(found), allowed_high);
  }
  if (first == 0) return not_applicable("the session has no document");
  if (!why.empty()) return failed(residual, std::move(why));
  if (judged == 0) return not_possible(unknown.empty() ? "no first visit was measured" : unknown);
  if (!server_kept_from(e, s) && s.identity && s.identity->value("prefix_cache_hits").value_or(0) > 0)
    return failed(*s.identity->value("prefix_cache_hits"), "the server had prefix hits before our first request");
  return passed();
}

}  // namespace checks
}  // namespace kvcliff::reconcile
