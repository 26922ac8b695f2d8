// SPDX-License-Identifier: GPL-3.0-or-later
#include "reconcile/gates.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"
#include "reconcile/common.h"

namespace kvcliff::reconcile {
namespace {

Gate check_gate(const ExperimentInput& input, const Reconciliation& r, const CheckTotals& t) {
  Gate g;
  g.id = t.id;
  const int subjects = t.pass + t.fail + t.not_possible + t.not_settled;
  if (t.fail > 0) {
    g.state = CheckState::fail;
    g.why = fmt::format("{} of {} fail; first: {}", t.fail, subjects, first_failure(input, r, t.id));
  } else if (t.not_settled > 0) {
    g.state = CheckState::not_settled;
    g.why = fmt::format("{} of {} did not settle; first: {}", t.not_settled, subjects, first_failure(input, r, t.id));
  } else if (t.pass > 0) {
    g.state = CheckState::pass;
    if (t.not_possible > 0) g.why = fmt::format("{} of {} were not possible", t.not_possible, subjects);
  } else if (t.not_possible > 0) {
    g.state = CheckState::not_possible;
    g.why = r.why_not_possible(t.id);
  } else {
    g.state = CheckState::not_applicable;
    g.why = "has no subject in this run";
  }
  return g;
}

Gate unexplained_gate(const Reconciliation& r) {
  Gate g;
  g.id = "unexplained";
  if (r.unexplained_tokens != 0 || r.unexplained_bytes != 0) {
    g.state = CheckState::fail;
    g.why = fmt::format("{} and {} bytes have no explanation in the ledgers", tokens_text(std::llround(r.unexplained_tokens)),
                        grouped(std::llround(r.unexplained_bytes)));
    return g;
  }
  const std::string& unknown = r.tokens_unknown.empty() ? r.bytes_unknown : r.tokens_unknown;
  if (!unknown.empty()) {
    g.state = CheckState::not_possible;
    g.why = unknown;
  }
  return g;
}

Gate sessions_gate(const ExperimentInput& input) {
  Gate g;
  g.id = "sessions";
  int off = 0, on = 0;
  for (const auto* s : compared_sessions(input)) ++(s->offload ? on : off);
  // Equal arms (a/a as the compared ones) have no tier in either; then each of two names must be there twice.
  if (on == 0 || off == 0) {
    std::map<std::string, int> by_arm;
    for (const auto* s : compared_sessions(input)) ++by_arm[s->record.arm];
    if (by_arm.size() == 2) {
      off = by_arm.begin()->second;
      on = by_arm.rbegin()->second;
    }
  }
  if (off >= 2 && on >= 2) return g;
  // A plan without pairs (a sweep, controls alone) compares nothing, so there is no claim that sessions could carry.
  if (input.plan.schedule.pairs == 0 && off == 0 && on == 0) {
    g.state = CheckState::not_applicable;
    g.why = "the plan compares no arms";
    return g;
  }
  g.state = CheckState::fail;
  g.why = fmt::format("{} finished session(s) of the off arm and {} of the on arm: at least two of either are needed", off, on);
  return g;
}

// Controls whose counts alone decide: `control` must hit the GPU, `no-reuse` must hit nothing.
Gate control_gate(const ExperimentInput& input) {
  Gate g;
  g.id = "control";
  bool any = false;
  std::string unknown;
  for (const auto& s : input.sessions) {
    if (s.record.pair >= 0 || s.record.conditioning) continue;
    const bool control = s.record.arm == "control", no_reuse = s.record.arm == "no-reuse";
    if (!control && !no_reuse) continue;
    for (const auto& r : s.requests) {
      if (r.plan.warmup || (control && r.plan.round < 2)) continue;
      any = true;
      const auto hits = control ? (r.sources.gpu_hit.value ? std::optional(r.sources.gpu_hit.value->v) : std::nullopt) : hit_tokens(r);
      if (!hits) {
        unknown = fmt::format("hits of the {} arm are not reported", s.record.arm);
        continue;
      }
      const std::int64_t block = s.plan.capacity.block_size;
      const std::int64_t most = block > 0 ? (prompt_of(r) - 1) / block * block : 0;
      if (control && *hits < most) {
        g.state = CheckState::fail;
        g.why = fmt::format("the control's working set must fit the GPU, but session {} request {} hit {} of {}", s.record.ordinal + 1,
                            r.plan.ordinal + 1, *hits, tokens_text(most));
        return g;
      }
      if (no_reuse && *hits > 0) {
        g.state = CheckState::fail;
        g.why = fmt::format("prompts without reuse were served from a cache: session {} request {} hit {}", s.record.ordinal + 1,
                            r.plan.ordinal + 1, tokens_text(*hits));
        return g;
      }
    }
  }
  if (!any) {
    g.state = CheckState::not_applicable;
    g.why = "no control was run";
  } else if (!unknown.empty()) {
    g.state = CheckState::not_possible;
    g.why = unknown;
  }
  return g;
}
}  // namespace

std::vector<Gate> gates_of(const ExperimentInput& input, const Reconciliation& r) {
  std::vector<Gate> out;
  for (const auto& t : r.totals)
    if (const auto* info = find_check(t.id); info && !info->flag) out.push_back(check_gate(input, r, t));
  out.push_back(unexplained_gate(r));
  out.push_back(sessions_gate(input));
  out.push_back(control_gate(input));
  for (auto& g : out) {
    const auto it = input.plan.gates.find(g.id);
    if (it == input.plan.gates.end() || it->second) continue;
    g.why = fmt::format("switched off by the plan; it would have said {}{}", to_string(g.state), g.why.empty() ? "" : ": " + g.why);
    g.state = CheckState::not_applicable;
  }
  return out;
}

}  // namespace kvcliff::reconcile
