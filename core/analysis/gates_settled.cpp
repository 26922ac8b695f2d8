// SPDX-License-Identifier: GPL-3.0-or-later
// The two gates that need statistics: clocks (R17) and equal arms.
#include <fmt/format.h>

#include <cmath>
#include <set>

#include "analysis/decision.h"
#include "reconcile/latency.h"
#include "record/sleep.h"

namespace kvcliff::analysis {
namespace {
using reconcile::ExperimentInput;

Gate* find_gate(std::vector<Gate>& gates, std::string_view id) {
  for (auto& g : gates)
    if (g.id == id) return &g;
  return nullptr;
}

// The compared sessions without the requests that failed R17, and with `lag` ms taken off one arm.
std::vector<ComparedSession> doubtful(const ExperimentInput& input, const reconcile::Reconciliation& r, bool treatment, double lag) {
  std::set<std::pair<std::size_t, std::size_t>> out_of_order;
  for (const auto& q : r.requests)
    if (const auto* c = q.find("R17"); c && c->state == CheckState::fail) out_of_order.insert({q.session, q.request});
  std::vector<ComparedSession> out;
  for (std::size_t i = 0; i < input.sessions.size(); ++i) {
    const auto& s = input.sessions[i];
    if (!s.compared()) continue;
    ComparedSession c;
    c.treatment = s.offload;
    c.pair = s.record.pair;
    for (std::size_t k = 0; k < s.requests.size(); ++k) {
      const auto& q = s.requests[k];
      const auto ttft = q.stream.ttft();
      if (q.plan.warmup || !times_count(q.stream) || !ttft || out_of_order.count({i, k})) continue;
      const double ms = static_cast<double>(*ttft) / 1e6 - (s.offload == treatment ? lag : 0);
      if (ms > 0) c.visits.push_back({q.plan.document, q.plan.round, ms});
    }
    out.push_back(std::move(c));
  }
  return out;
}
}  // namespace

void settle_clock_gate(const ExperimentInput& input, const reconcile::Reconciliation& r, Verdict verdict, std::vector<Gate>& gates) {
  Gate* gate = find_gate(gates, "R17");
  if (!gate || gate->state != CheckState::fail) return;
  double lag = 0;
  for (const auto& s : input.sessions)
    if (const auto lags = reconcile::client_lags_ms(s); !lags.empty()) lag = std::max(lag, reconcile::percentile(lags, 0.99));
  for (const double shift : {0.0, lag})
    for (const bool treatment : {false, true}) {
      const auto e = arm_effect(doubtful(input, r, treatment, shift), Part::revisits);
      if (!e.effect || verdict_of(e.effect->ratio, input.plan.smallest_effect) != verdict) return;
    }
  gate->state = CheckState::pass;
  gate->why = "does not change the verdict (doubtful requests left out, the client's lag taken off either arm): " + gate->why;
}

void settle_control_gate(const ExperimentInput& input, std::vector<Gate>& gates) {
  Gate* gate = find_gate(gates, "control");
  if (!gate || gate->state == CheckState::fail) return;
  // Equal arms: the compared ones where neither has a tier or both have, told apart by name; or controls called a/a*.
  std::vector<ComparedSession> equal;
  std::string first;
  for (const auto& s : input.sessions) {
    if (s.record.conditioning || s.record.arm.rfind("a/a", 0) != 0) continue;
    if (first.empty()) first = s.record.arm;
    ComparedSession c;
    // One name only: alternate sessions play the two arms.
    c.treatment = s.record.arm != first || (s.record.arm == first && equal.size() % 2 == 1);
    for (const auto& q : s.requests)
      if (const auto ttft = q.stream.ttft(); !q.plan.warmup && times_count(q.stream) && ttft && *ttft > 0)
        c.visits.push_back({q.plan.document, q.plan.round, static_cast<double>(*ttft) / 1e6});
    equal.push_back(std::move(c));
  }
  if (equal.empty()) return;
  const auto e = arm_effect(equal, Part::revisits);
  if (!e.effect) {
    if (gate->state == CheckState::not_applicable) gate->state = CheckState::not_possible;
    gate->why = "equal arms: " + e.why;
    return;
  }
  const auto v = verdict_of(e.effect->ratio, input.plan.smallest_effect);
  if (v == Verdict::helps || v == Verdict::hurts) {
    gate->state = CheckState::fail;
    gate->why = fmt::format("equal arms differ: ratio {:.3f} ({:.3f} to {:.3f})", e.effect->ratio.estimate, e.effect->ratio.low,
                            e.effect->ratio.high);
  } else if (gate->state == CheckState::not_applicable) {
    gate->state = CheckState::pass;
    gate->why.clear();
  }
}

}  // namespace kvcliff::analysis
