// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/printable.h"
#include "base/text.h"
#include "report/report.h"

namespace kvcliff::report {
namespace {
using analysis::Evaluation;
using reconcile::ExperimentInput;

// Text of foreign origin in one line: what Markdown or the HTML in it would take for markup shows as it is.
std::string words(std::string_view v) {
  std::string out;
  for (const char c : printable_line(v)) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '|':
      case '`':
      case '\\':
      case '*':
      case '[':
      case ']':
        out += '\\';
        [[fallthrough]];
      default: out += c;
    }
  }
  return out;
}

std::string cell(std::string_view v) { return words(v); }

// Between backticks nothing is markup but the backtick.
std::string code(std::string_view v) {
  std::string out = printable_line(v);
  std::replace(out.begin(), out.end(), '`', '\'');
  return out;
}

std::string number(const std::optional<double>& v) { return v ? grouped(std::llround(*v)) : std::string("unknown"); }
}  // namespace

std::string markdown(const ExperimentInput& in, const Evaluation& e, const Options& o) {
  const auto& d = e.decision;
  const auto& r = e.reconciliation;
  std::string m;
  const auto line = [&](const std::string& s) { m += s + "\n"; };
  const std::string mark = watermark(in, e);
  line(fmt::format("# {}{}", mark.empty() ? "" : mark + ": ", in.name.empty() ? "Experiment" : words(in.name)));
  line("");
  line(fmt::format("Run `{}`, plan `{}`, measured {} by kvcliff {}, method version {}. Gates: {}.", code(in.run_id), code(in.plan_hash), words(in.created),
                   words(in.program_version), reconcile::method_version, gates_word(e)));
  if (in.simulated) line(fmt::format("\n**Simulated**: the engine is an emulator; its times are {}.", in.times_origin.empty() ? "of unknown origin" : words(in.times_origin)));
  line("\n## Verdict\n");
  line(fmt::format("**{}**", verdict_sentence(d)));
  if (const auto s = measured_sentence(d); !s.empty()) line("\n" + s);
  line("\n" + words(d.why));
  if (!d.withdrawn() && !d.first_visit_caution.empty()) line("\nCaution: " + words(d.first_visit_caution));
  for (const auto& w : d.warnings) line("\nNote: " + words(w));
  for (const auto& n : o.notes) line("\nNote: " + words(n));
  line("\nThe verdict speaks of the revisits of this workload.");

  line("\n## What this run does not establish\n");
  for (const auto& l : d.not_established) line(fmt::format("- **{}.** {}", words(l.what), words(l.why)));

  line("\n## Numbers and where they come from\n");
  line("| number | value | source |\n| --- | --- | --- |");
  for (const auto& f : facts(in, e)) line(fmt::format("| {} | {} | {} |", cell(f.name), cell(f.value), cell(f.source)));

  const auto advice = advice_tables(in);
  const auto table = [&](const char* title, const std::vector<std::vector<std::string>>& rows, const std::string& why) {
    line(fmt::format("\n## {}\n", title));
    if (rows.empty()) line(words(why));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::string cells = "|", rule = "|";
      for (const auto& c : rows[i]) cells += " " + cell(c) + " |", rule += " --- |";
      line(cells);
      if (i == 0) line(rule);
    }
  };
  table("Host tier for a target share of revisits", advice.sizing, advice.sizing_why);
  table("Why was there no reuse", advice.no_reuse, advice.no_reuse_why);

  line("\n## Sessions\n");
  line("| session | attempt | arm | state | engine | measured requests |\n| --- | --- | --- | --- | --- | --- |");
  for (const auto& s : in.sessions) {
    const auto n = std::count_if(s.requests.begin(), s.requests.end(), [](const RequestRecord& q) { return !q.plan.warmup; });
    line(fmt::format("| {} | {} | {} | {} | {} | {} |", s.record.ordinal + 1, s.record.attempt, cell(s.record.arm), to_string(s.record.state),
                     cell(s.record.effective.engine_version), n));
  }
  for (const auto& s : in.others)
    line(fmt::format("| {} | {} | {} | {} | {} | not counted |", s.ordinal + 1, s.attempt, cell(s.arm), to_string(s.state), cell(s.why)));

  line("\n## Reconciliation\n");
  line(fmt::format("{} of {} requests reconciled; unexplained: {}. {}\n\nSessions and requests are counted from 1; columns that end in `_ordinal`, and JSON, count from 0.\n", r.reconciled, r.measured, r.unexplained_words(), never_possible_words(r)));
  line("| check | what | pass | fail | not possible | not settled | n/a |\n| --- | --- | --- | --- | --- | --- | --- |");
  for (const auto& t : r.totals)
    line(fmt::format("| {} | {} | {} | {} | {} | {} | {} |", t.id, reconcile::find_check(t.id)->title, t.pass, t.fail, t.not_possible, t.not_settled, t.not_applicable));
  line("\n### Ledger\n");
  line("| quantity | unit | expected | measured | explained by | unexplained |\n| --- | --- | --- | --- | --- | --- |");
  for (const auto& l : r.ledger) {
    std::string parts;
    for (const auto& p : l.explained) parts += fmt::format("{}{} {}", parts.empty() ? "" : "; ", p.name, grouped(std::llround(p.amount)));
    line(fmt::format("| {} | {} | {} | {} | {} | {} |", cell(l.quantity), l.unit, number(l.expected), number(l.measured), cell(parts.empty() ? l.why : parts), number(l.unexplained)));
  }
  line("\n### Gates\n");
  line("| gate | state | why |\n| --- | --- | --- |");
  for (const auto& g : d.gates) line(fmt::format("| {} | {} | {} |", g.id, to_string(g.state), cell(g.why)));

  if (d.effect.effect && !d.withdrawn()) {
    line("\n## Pairs\n");
    line("| session | arm | pair | matched revisits | geometric mean, ms | median, ms | SD of log |\n| --- | --- | --- | --- | --- | --- | --- |");
    for (const auto& s : d.effect.effect->sessions)
      line(fmt::format("| {} | {} | {} | {} | {:.2f} | {:.2f} | {:.4f} |", cell(s.label), s.treatment ? "with tier" : "without", s.pair + 1, s.visits,
                       s.geometric_mean_ms, s.median_ms, s.sd_log));
  }
  line("\n## Files\n");
  line("`requests.csv` (one row per measured request), `warmup.csv`, `sessions.csv` (exact commands), `checks.csv` (every result), `ledger.csv`, "
       "`pairs.csv`, `events.csv` (every stream event), `report.json`. Raw scrapes, streams and log lines are in the journal.");
  return m;
}

}  // namespace kvcliff::report
