// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "analysis/advice.h"
#include "base/text.h"
#include "report/report.h"

namespace kvcliff::report {
using analysis::Evaluation;
using reconcile::ExperimentInput;

std::string gates_word(const Evaluation& e) {
  std::string failed;
  for (const auto& g : e.decision.gates)
    if (g.state == CheckState::fail || g.state == CheckState::not_settled) failed += (failed.empty() ? "" : " ") + g.id;
  return failed.empty() ? "pass" : "fail: " + failed;
}

std::string watermark(const ExperimentInput& input, const Evaluation& e) {
  if (input.simulated && e.decision.withdrawn()) return "SIMULATED · WITHDRAWN";
  return input.simulated ? "SIMULATED" : e.decision.withdrawn() ? "WITHDRAWN" : "";
}

std::string never_possible_words(const reconcile::Reconciliation& r) {
  const auto ids = r.never_possible();
  return ids.empty() ? std::string() : fmt::format("Never possible, so not part of that: {}.", fmt::join(ids, ", "));
}

std::string verdict_sentence(analysis::Verdict v) {
  switch (v) {
    case analysis::Verdict::helps: return "The host tier helps.";
    case analysis::Verdict::no_effect: return "The host tier makes no difference.";
    case analysis::Verdict::hurts: return "The host tier hurts.";
    case analysis::Verdict::cannot_tell: return "Cannot tell.";
    case analysis::Verdict::withdrawn: return "Withdrawn: no claim from this run.";
  }
  return {};
}

std::string verdict_sentence(const analysis::Decision& d) {
  if (!d.only_locates()) return verdict_sentence(d.verdict);
  const auto& edges = d.cliff->edges;
  const bool located = std::all_of(edges.begin(), edges.end(), [](const auto& edge) { return edge.located(); });
  const bool foretold = std::all_of(edges.begin(), edges.end(), [](const auto& edge) { return edge.as_predicted == true; });
  const bool missed = std::any_of(edges.begin(), edges.end(), [](const auto& edge) { return edge.as_predicted == false; });
  if (missed) return "The cliff is not where it was predicted.";
  if (!located) return "The sweep does not reach past the cliff.";
  return foretold ? "The cliff is where it was predicted." : "The cliff is located.";
}

std::string measured_sentence(const analysis::Decision& d) {
  if (d.withdrawn() || !d.effect.effect) return {};
  const auto& e = *d.effect.effect;
  return fmt::format("A revisit takes {:.1f} ms without the tier and {:.1f} ms with it ({:+.1f} ms, geometric means; medians {:.1f} and {:.1f} ms): "
                     "ratio {:.3f}, 95 % interval {:.3f} to {:.3f} ({}, {} sessions, {} degree{} of freedom).",
                     e.baseline_ms, e.treatment_ms, e.difference_ms(), e.baseline_median_ms, e.treatment_median_ms, e.ratio.estimate, e.ratio.low,
                     e.ratio.high, e.basis, d.sessions, e.degrees_of_freedom, e.degrees_of_freedom == 1 ? "" : "s");
}

AdviceTables advice_tables(const ExperimentInput& input) {
  AdviceTables out;
  const auto t = analysis::size_tier(input);
  const auto row = [&](std::string share, std::int64_t chunks) {
    return std::vector<std::string>{std::move(share), grouped(chunks * t.blocks_per_chunk),
                                    t.chunk_bytes > 0 ? human_bytes(Bytes(chunks * t.chunk_bytes)) : std::string("unknown")};
  };
  if (t.sizing) {
    out.sizing.push_back({"share of the revisits' tokens", "host blocks", "host memory"});
    for (const auto& s : t.sizing->sizes)
      out.sizing.push_back(s.chunks ? row(fmt::format("{:.1f} %", 100 * s.share), *s.chunks)
                                    : std::vector<std::string>{fmt::format("{:.1f} %", 100 * s.asked), "no size gives this", ""});
    out.sizing.push_back(row(t.sizing->present ? fmt::format("this run: {:.1f} %", 100 * *t.sizing->present) : std::string("this run"), t.present_chunks));
  }
  out.sizing_why = t.why;
  const auto reuse = analysis::why_no_reuse(input);
  out.no_reuse_why = reuse.why.empty() && reuse.rows.empty() ? "everything that could be reused was" : reuse.why;
  if (!reuse.rows.empty()) out.no_reuse.push_back({"arm", "reason", "requests", "computed tokens", "documents", "for example", "what would change it"});
  for (const auto& r : reuse.rows)
    out.no_reuse.push_back({r.arm, r.kind, grouped(r.requests), grouped(r.tokens), analysis::document_words(r.documents), r.example, r.next});
  return out;
}

std::vector<Fact> facts(const ExperimentInput& in, const Evaluation& e) {
  std::vector<Fact> out;
  const auto& r = e.reconciliation;
  const auto& d = e.decision;
  const std::string journal = in.journal.empty() ? "the journal" : in.journal;
  double prompt = 0, computed = 0, gpu = 0, host = 0, loaded = 0;
  bool known = true, bytes_known = true;
  for (const auto& q : r.requests) {
    if (q.warmup) continue;
    const auto& x = in.sessions[q.session].requests[q.request];
    prompt += static_cast<double>(x.plan.prompt_tokens);
    if (x.sources.computed.value && x.sources.gpu_hit.value && x.sources.host_loaded.value) {
      computed += static_cast<double>(x.sources.computed.value->v);
      gpu += static_cast<double>(x.sources.gpu_hit.value->v);
      host += static_cast<double>(x.sources.host_loaded.value->v);
    } else {
      known = false;
    }
    if (x.loaded_bytes) loaded += static_cast<double>(x.loaded_bytes->v);
    else if (in.sessions[q.session].offload) bytes_known = false;
  }
  const auto whole = [](double v) { return grouped(std::llround(v)); };
  const std::string scrape = "difference of the settled scrapes around each request (requests.csv: scrape_before_row, scrape_after_row; " + journal +
                             ", table of scrapes, raw pages kept)";
  out.push_back({"Measured requests", fmt::format("{}", r.measured), "requests of finished attempts without warm-up; requests.csv"});
  out.push_back({"Reconciled requests", fmt::format("{} of {}", r.reconciled, r.measured), "every applicable and possible check passed, R17 and R21 apart; checks.csv"});
  out.push_back({"Prompt tokens", whole(prompt), "token ids sent; requests.csv prompt_tokens_sent"});
  out.push_back({"Computed tokens", known ? whole(computed) : "unknown", "prompt_tokens_by_source{local_compute}: " + scrape});
  out.push_back({"GPU hit tokens", known ? whole(gpu) : "unknown", "prompt_tokens_by_source{local_cache_hit}: " + scrape});
  out.push_back({"Host loaded tokens", known ? whole(host) : "unknown", "prompt_tokens_by_source{external_kv_transfer}: " + scrape});
  out.push_back({"Loaded bytes", bytes_known ? whole(loaded) : "not reported", "kv_offload_load_bytes: " + scrape});
  out.push_back({"Unexplained", r.unexplained_words(), "sum over ledger.csv"});
  for (const auto& s : in.sessions)
    if (s.offload && s.kv.bytes_per_token) {
      out.push_back({"KV bytes per token", grouped(*s.kv.bytes_per_token), s.kv.from});
      break;
    }
  if (!d.withdrawn() && d.effect.effect) {
    const auto& x = *d.effect.effect;
    out.push_back({"Ratio of TTFT, with over without the tier", fmt::format("{:.4f} ({:.4f} to {:.4f})", x.ratio.estimate, x.ratio.low, x.ratio.high),
                   fmt::format("{}: session means of log TTFT over {} matched revisits each; sessions.csv geometric_mean_revisit_ms", x.basis, x.matched_visits)});
    out.push_back({"Least squares interval", fmt::format("{:.4f} to {:.4f}", x.least_squares.low, x.least_squares.high),
                   "arm and centred position on session means, Student's t"});
    if (x.pairs) out.push_back({"Pairs' interval", fmt::format("{:.4f} to {:.4f}", x.pairs->low, x.pairs->high), "Student's t over the pairs' log differences; pairs.csv"});
    out.push_back({"Order effect", fmt::format("{:+.2f} % a session ({:+.2f} to {:+.2f} %)", 100 * x.position.estimate, 100 * x.position.low, 100 * x.position.high),
                   "position coefficient of the least squares"});
    if (d.detectable) out.push_back({"Smallest effect found with 80 % power", fmt::format("ratio {:.3f}", d.detectable->ratio_below), d.detectable->how});
    if (d.bootstrap)
      out.push_back({"Interval if sessions did not differ", fmt::format("{:.4f} to {:.4f}", d.bootstrap->low, d.bootstrap->high), "bootstrap within sessions; too narrow whenever sessions differ"});
  }
  if (!d.withdrawn() && d.first_visits.effect)
    out.push_back({"First visits, ratio", fmt::format("{:.3f} ({:.3f} to {:.3f})", d.first_visits.effect->ratio.estimate, d.first_visits.effect->ratio.low, d.first_visits.effect->ratio.high),
                   "the same over round 1"});
  if (d.control) out.push_back({"GPU hit (control)", fmt::format("{:.2f} ms", d.control->gpu_hit_ms), fmt::format("geometric mean of {} revisits, {}", d.control->requests, d.control->note)});
  if (d.gain)
    out.push_back({"Gain split", fmt::format("not computing {:.1f} ms, loading {:.1f} ms", d.gain->not_computing_ms, d.gain->loading_ms), "off - GPU hit; on - GPU hit"});
  out.push_back({"TTFT model", d.ttft.model ? fmt::format("median error {:.1f} %", 100 * d.ttft.model->median_error) : "none", d.ttft.model ? d.ttft.model->origin : d.ttft.why});
  out.push_back({"Break-even", d.break_even.value ? fmt::format("{:.0f} tokens", d.break_even.value->tokens) : "none", d.break_even.value ? "loaded tokens at which loading costs what it replaces" : d.break_even.why});
  for (const auto& t : d.total_time) out.push_back({fmt::format("Total time, arm {}", t.arm), fmt::format("{:.2f} s a session", t.mean_total_s), "t0 to end of every measured request"});
  return out;
}

}  // namespace kvcliff::report
