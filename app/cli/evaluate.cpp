// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/evaluate.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <cmath>
#include <ostream>

#include "base/text.h"
#include "cli/context.h"
#include "cli/kv_facts.h"
#include "report/report.h"

namespace kvcliff::cli {
namespace {
const char* mark(CheckState s) {
  switch (s) {
    case CheckState::pass: return "pass";
    case CheckState::fail: return "FAIL";
    case CheckState::not_possible: return "not possible";
    case CheckState::not_settled: return "NOT SETTLED";
    case CheckState::not_applicable: return "n/a";
  }
  return "";
}
}  // namespace

Result<Judged> judge(const Context& context, const std::string& journal, const std::string& experiment, const std::function<bool()>& go_on,
                     journal::Depth depth) {
  reconcile::LoadOptions options;
  options.depth = depth;
  options.go_on = go_on;
  options.kv = [&context](const plan::Plan& p) { return kv_facts(context, p); };
  return analysis::judge(journal, experiment, options);
}

void print_reconciliation(const Context& context, const Judged& j) {
  auto& out = context.out;
  const auto& r = j.evaluation.reconciliation;
  fmt::print(out, "{}run {}  {}  plan {}\n", j.input.simulated ? "SIMULATED  " : "", j.input.run_id, j.input.name, j.input.plan_hash.substr(0, 12));
  fmt::print(out, "{} of {} requests reconciled; unexplained: {}\n", r.reconciled, r.measured, r.unexplained_words());
  if (const auto words = report::never_possible_words(r); !words.empty()) fmt::print(out, "{}\n", words);
  out << '\n';
  fmt::print(out, "{:<5} {:>6} {:>6} {:>13} {:>12} {:>6}  {}\n", "check", "pass", "fail", "not possible", "not settled", "n/a", "what");
  for (const auto& t : r.totals)
    fmt::print(out, "{:<5} {:>6} {:>6} {:>13} {:>12} {:>6}  {}\n", t.id, t.pass, t.fail, t.not_possible, t.not_settled, t.not_applicable,
               reconcile::find_check(t.id)->title);
  fmt::print(out, "\n{:<44} {:>16} {:>16} {:>14}  {}\n", "ledger", "expected", "measured", "unexplained", "explained by");
  const auto number = [](const std::optional<double>& v) { return v ? grouped(std::llround(*v)) : std::string("unknown"); };
  for (const auto& l : r.ledger) {
    std::string parts;
    for (const auto& p : l.explained) parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", p.name, grouped(std::llround(p.amount)));
    fmt::print(out, "{:<44} {:>16} {:>16} {:>14}  {}\n", l.quantity + ", " + l.unit, number(l.expected), number(l.measured),
               number(l.unexplained), parts.empty() ? l.why : parts);
  }
  out << "\n";
  for (const auto& g : j.evaluation.decision.gates)
    if (g.state != CheckState::pass && g.state != CheckState::not_applicable) fmt::print(out, "gate {:<12} {:<12} {}\n", g.id, mark(g.state), g.why);
  out << (j.evaluation.gates_pass() ? "All gates pass.\n" : "A gate failed: the claim is withdrawn.\n");
}

void print_decision(const Context& context, const Judged& j) {
  auto& out = context.out;
  const auto& d = j.evaluation.decision;
  if (j.input.simulated) fmt::print(out, "SIMULATED: times are {}\n", j.input.times_origin.empty() ? "of unknown origin" : j.input.times_origin);
  out << report::verdict_sentence(d) << '\n';
  if (const auto& e = d.effect.effect; e && !d.withdrawn()) {
    fmt::print(out, "Revisits: {:.1f} ms without the tier, {:.1f} ms with it ({:+.1f} ms); ratio {:.3f} ({:.3f} to {:.3f}), 95 %, {} sessions, {} degree{} of freedom, {}\n",
               e->baseline_ms, e->treatment_ms, e->difference_ms(), e->ratio.estimate, e->ratio.low, e->ratio.high, d.sessions,
               e->degrees_of_freedom, e->degrees_of_freedom == 1 ? "" : "s", e->basis);
    fmt::print(out, "Order: {:+.1f} % a session ({:+.1f} to {:+.1f} %)\n", 100 * e->position.estimate, 100 * e->position.low, 100 * e->position.high);
    if (d.gain)
      fmt::print(out, "Split by the control: not computing saves {:.1f} ms, loading costs {:.1f} ms (GPU hit {:.1f} ms; {})\n",
                 d.gain->not_computing_ms, d.gain->loading_ms, d.gain->gpu_hit_ms, d.control->note);
    else
      fmt::print(out, "Not split: {}\n", d.gain_why);
    if (d.detectable) fmt::print(out, "Smallest effect this run finds with 80 % power: ratio {:.3f}\n", d.detectable->ratio_below);
    if (!d.first_visit_caution.empty()) fmt::print(out, "Caution: {}\n", d.first_visit_caution);
  }
  fmt::print(out, "{}\n", d.why);
  for (const auto& w : d.warnings) fmt::print(out, "Note: {}\n", w);
  for (const auto& n : j.notes) fmt::print(out, "Note: {}\n", n);
  out << "\nWhat this run does not establish:\n";
  for (const auto& l : d.not_established) fmt::print(out, "  {}. {}\n", l.what, l.why);
}

}  // namespace kvcliff::cli
