// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/decision.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "analysis/linear.h"
#include "reconcile/common.h"
#include "record/sleep.h"

namespace kvcliff::analysis {
namespace {
using reconcile::ExperimentInput;
using reconcile::SessionInput;

std::string arm_names(const ExperimentInput& input, bool offload) {
  for (const auto* s : reconcile::compared_sessions(input))
    if (s->offload == offload) return s->record.arm;
  return offload ? "on" : "off";
}

std::vector<ArmTime> total_times(const ExperimentInput& input) {
  std::map<std::string, ArmTime> by_arm;
  for (const auto* s : reconcile::compared_sessions(input)) {
    double total = 0;
    for (const auto& r : s->requests)
      if (!r.plan.warmup && r.stream.times.t0 && r.stream.times.end > r.stream.times.t0)
        total += static_cast<double>(r.stream.times.end - r.stream.times.t0) / 1e9;
    auto& a = by_arm[s->record.arm];
    a.arm = s->record.arm;
    a.mean_total_s += total;
    ++a.sessions;
  }
  std::vector<ArmTime> out;
  for (auto& [name, a] : by_arm) {
    a.mean_total_s /= a.sessions;
    out.push_back(a);
  }
  return out;
}

std::optional<GainSplit> split_gain(const Decision& d, std::string& why) {
  if (!d.effect.effect) {
    why = "there is no estimate to split: " + d.effect.why;
    return std::nullopt;
  }
  if (!d.control) {
    why = d.control_why;
    return std::nullopt;
  }
  const ControlResult& c = *d.control;
  if (!c.loaded_tokens || *c.loaded_tokens <= 0) {
    why = c.note;
    return std::nullopt;
  }
  // A tier that served a part only leaves the rest computed: then the difference to a full GPU hit is not loading alone.
  if (std::fabs(*c.loaded_tokens - c.gpu_hit_tokens) > 0.05 * c.gpu_hit_tokens) {
    why = fmt::format("a revisit with the tier loaded {:.0f} tokens, one of the control hit {:.0f}: their times do not differ by loading alone",
                      *c.loaded_tokens, c.gpu_hit_tokens);
    return std::nullopt;
  }
  if (c.gpu_hit_ms >= d.effect.effect->baseline_ms || c.gpu_hit_ms >= d.effect.effect->treatment_ms) {
    why = fmt::format("a GPU hit took {:.1f} ms, which is not the least of the three", c.gpu_hit_ms);
    return std::nullopt;
  }
  GainSplit g;
  g.off_ms = d.effect.effect->baseline_ms;
  g.on_ms = d.effect.effect->treatment_ms;
  g.gpu_hit_ms = d.control->gpu_hit_ms;
  g.not_computing_ms = g.off_ms - g.gpu_hit_ms;
  g.loading_ms = g.on_ms - g.gpu_hit_ms;
  return g;
}

/// Host loaded tokens of a measured revisit of the arm with the tier, mean; nullopt where one of them is not known.
std::optional<double> loaded_per_revisit(const ExperimentInput& input) {
  double sum = 0;
  int n = 0;
  for (const auto* s : reconcile::compared_sessions(input)) {
    if (!s->offload) continue;
    for (const auto& r : s->requests) {
      if (r.plan.warmup || r.plan.round < 2) continue;
      if (!r.sources.host_loaded.value) return std::nullopt;
      sum += static_cast<double>(r.sources.host_loaded.value->v);
      ++n;
    }
  }
  return n > 0 ? std::optional(sum / n) : std::nullopt;
}

// KV bytes per token of the arm with the tier.
double kv_bytes(const ExperimentInput& input) {
  for (const auto* s : reconcile::compared_sessions(input))
    if (s->offload && s->kv.bytes_per_token) return static_cast<double>(*s->kv.bytes_per_token);
  return 0;
}

/// A flag withdraws nothing, so it must be seen: one note for each check that only flags.
void add_flags(const reconcile::Reconciliation& r, const ExperimentInput& input, std::vector<std::string>& notes) {
  for (const auto& t : r.totals) {
    const auto* info = reconcile::find_check(t.id);
    if (!info || !info->flag || t.fail == 0) continue;
    notes.push_back(fmt::format("{} ({}) flags {} of {}; first: {}", t.id, info->title, t.fail, t.pass + t.fail, reconcile::first_failure(input, r, t.id)));
  }
}

std::string withdrawal(const std::vector<Gate>& gates) {
  std::string out;
  for (const auto& g : gates)
    if (g.state == CheckState::fail || g.state == CheckState::not_settled)
      out += fmt::format("{}{}: {}", out.empty() ? "" : "; ", g.id, g.why);
  return out;
}
}  // namespace

bool Evaluation::gates_pass() const {
  return std::none_of(decision.gates.begin(), decision.gates.end(), [](const Gate& g) {
    return g.state == CheckState::fail || g.state == CheckState::not_settled;
  });
}

std::vector<ComparedSession> compared(const ExperimentInput& input) {
  std::vector<ComparedSession> out;
  for (const auto* s : reconcile::compared_sessions(input)) {
    ComparedSession c;
    c.label = fmt::format("{} ({})", s->record.ordinal + 1, s->record.arm);
    c.treatment = s->offload;
    c.pair = s->record.pair;
    for (const auto& r : s->requests) {
      const auto ttft = r.stream.ttft();
      if (r.plan.warmup || !times_count(r.stream) || !ttft || *ttft <= 0) continue;
      c.visits.push_back({r.plan.document, r.plan.round, static_cast<double>(*ttft) / 1e6});
    }
    out.push_back(std::move(c));
  }
  return out;
}

std::vector<TtftPoint> ttft_points(const ExperimentInput& input) {
  const std::string& calibration = input.plan.schedule.calibration;
  std::vector<TtftPoint> out;
  for (const auto& s : input.sessions) {
    if (!calibration.empty() && s.record.arm != calibration) continue;
    if (s.record.conditioning) continue;
    for (const auto& r : s.requests) {
      const auto ttft = r.stream.ttft();
      if (r.plan.warmup || !times_count(r.stream) || !ttft || !r.settled || !r.sources.computed.value) continue;
      const auto hits = reconcile::hit_tokens(r);
      if (!hits) continue;
      // A full hit books 0 computed in some releases; one token runs all the same.
      const double computed = static_cast<double>(std::max<std::int64_t>(1, r.sources.computed.value->v));
      const double bytes = r.loaded_bytes ? static_cast<double>(r.loaded_bytes->v)
                                          : static_cast<double>(r.sources.host_loaded.value->v) *
                                                static_cast<double>(s.kv.bytes_per_token.value_or(0));
      if (r.sources.host_loaded.value->v > 0 && bytes <= 0) continue;
      out.push_back({computed, static_cast<double>(*hits), bytes, static_cast<double>(*ttft) / 1e6});
    }
  }
  return out;
}

std::optional<ControlResult> control_result(const ExperimentInput& input, const EffectResult& effect, std::string& why) {
  ControlResult c;
  std::vector<double> logs;
  std::int64_t length = -1;
  double hit_sum = 0;
  for (const auto& s : input.sessions) {
    if (s.record.arm != "control" || s.record.conditioning) continue;
    bool any = false;
    for (const auto& r : s.requests) {
      const auto ttft = r.stream.ttft();
      if (r.plan.warmup || r.plan.round < 2 || !times_count(r.stream) || !ttft || *ttft <= 0) continue;
      logs.push_back(std::log(static_cast<double>(*ttft) / 1e6));
      length = reconcile::prompt_of(r);
      hit_sum += r.sources.gpu_hit.value ? static_cast<double>(r.sources.gpu_hit.value->v) : 0;
      any = true;
    }
    c.sessions += any ? 1 : 0;
  }
  if (logs.empty()) {
    why = "no control was run: what a GPU hit costs is not known";
    return std::nullopt;
  }
  for (const auto* s : reconcile::compared_sessions(input))
    for (const auto& r : s->requests)
      if (!r.plan.warmup && r.plan.round >= 2 && reconcile::prompt_of(r) != length) {
        why = fmt::format("the control's prompts have {} tokens, the compared ones {}: their times do not compare", length,
                          reconcile::prompt_of(r));
        return std::nullopt;
      }
  double sum = 0;
  for (const double v : logs) sum += v;
  c.requests = static_cast<int>(logs.size());
  c.gpu_hit_ms = std::exp(sum / c.requests);
  c.gpu_hit_median_ms = median_of_logs(logs);
  c.gpu_hit_tokens = c.requests > 0 ? hit_sum / c.requests : 0;
  c.loaded_tokens = loaded_per_revisit(input);
  if (effect.effect) {
    c.off_ms = effect.effect->baseline_ms;
    c.on_ms = effect.effect->treatment_ms;
    if (!c.loaded_tokens) c.note = "what the revisits loaded from the host is not known";
    else if (*c.loaded_tokens <= 0) c.note = "the revisits with the tier loaded nothing from the host";
    else {
      c.as_expected = c.gpu_hit_ms < *c.on_ms && *c.on_ms < *c.off_ms;
      if (*c.as_expected) c.note = "GPU hit < host load < compute";
      else if (*c.on_ms >= *c.off_ms) c.note = "the host load is not faster than computing";
      else c.note = "the host load is not slower than a GPU hit, which has less to do";
    }
  }
  if (c.sessions == 1) c.note += c.note.empty() ? "within one session" : ", within one session";
  return c;
}

Evaluation evaluate(const ExperimentInput& input) {
  Evaluation e;
  e.reconciliation = reconcile::reconcile(input);
  Decision& d = e.decision;
  const double smallest = input.plan.smallest_effect;
  const auto sessions = compared(input);
  d.baseline_arm = arm_names(input, false);
  d.treatment_arm = arm_names(input, true);
  d.sessions = static_cast<int>(sessions.size());
  d.effect = arm_effect(sessions, Part::revisits);
  d.first_visits = arm_effect(sessions, Part::first_visits);
  if (d.first_visits.effect && d.first_visits.effect->ratio.low > 1 + smallest)
    d.first_visit_caution = fmt::format("First visits are slower with the tier: ratio {:.3f}, the whole interval above {:g}.",
                                        d.first_visits.effect->ratio.estimate, 1 + smallest);
  d.bootstrap = bootstrap_within_sessions(sessions, Part::revisits);
  d.control = control_result(input, d.effect, d.control_why);
  d.ttft = fit_ttft(ttft_points(input), input.plan.schedule.calibration.empty() ? "the measured requests" : "the calibration arm");
  if (d.ttft.model) d.break_even = break_even(*d.ttft.model, kv_bytes(input));
  else d.break_even.why = "no TTFT model: " + d.ttft.why;
  d.total_time = total_times(input);
  d.warnings = run_warnings(input);

  if (d.effect.effect) {
    d.detectable = detectable_effect(*d.effect.effect);
    d.unwithdrawn = verdict_of(d.effect.effect->ratio, smallest);
    d.why = verdict_reason(d.unwithdrawn, d.effect.effect->ratio, smallest);
    if (d.unwithdrawn == Verdict::cannot_tell) {
      d.pairs_needed = pairs_needed(*d.effect.effect, smallest);
      d.why += d.pairs_needed->at_estimate
                   ? fmt::format(" {} pairs would settle it if ratio and spread stay as estimated.", *d.pairs_needed->at_estimate)
                   : " " + d.pairs_needed->why + ".";
    }
  } else {
    d.why = d.effect.why;
  }
  d.cliff = locate_cliff(input);
  if (d.cliff && d.sessions == 0) {
    d.why.clear();
    for (const auto& edge : d.cliff->edges) d.why += cliff_sentence(edge) + " ";
    d.why += "No arms are compared: a sweep says nothing about times.";
  }
  d.gates = e.reconciliation.gates;
  settle_clock_gate(input, e.reconciliation, d.unwithdrawn, d.gates);
  settle_control_gate(input, d.gates);
  d.verdict = d.unwithdrawn;
  if (!e.gates_pass()) {
    d.verdict = Verdict::withdrawn;
    d.why = "withdrawn: " + withdrawal(d.gates);
    d.gain_why = "withheld: the claim is withdrawn";
  } else {
    d.gain = split_gain(d, d.gain_why);
  }
  add_flags(e.reconciliation, input, d.warnings);
  d.not_established = limits_of(input, e);
  return e;
}

}  // namespace kvcliff::analysis
