// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <cmath>

#include "base/printable.h"
#include "base/text.h"
#include "chart/svg.h"
#include "chart/theme.h"
#include "report/report.h"

namespace kvcliff::report {
namespace {
using analysis::Evaluation;
using reconcile::ExperimentInput;

std::string esc(std::string_view v) {
  std::string out;
  for (const char c : printable(v)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

// Layout only; every colour is a palette token.
std::string style(const chart::Theme& t, const std::string& mark) {
  std::string css = fmt::format(
      "body{{margin:0;background:{};color:{};font:14px/1.5 Inter,system-ui,'Segoe UI',Roboto,sans-serif;font-variant-numeric:tabular-nums}}"
      "main{{max-width:1120px;margin:0 auto;padding:28px 20px 60px}}h1{{font-size:24px;margin:0 0 4px}}h2{{font-size:17px;margin:34px 0 10px}}"
      "h3{{font-size:14px;margin:20px 0 8px}}.meta{{color:{};font-size:12px}}.verdict{{font-size:26px;font-weight:600;margin:14px 0 6px}}"
      ".grid{{display:grid;grid-template-columns:1.2fr 1fr;gap:16px}}.card{{background:{};border:1px solid {};border-radius:6px;padding:14px 16px;overflow-x:auto}}"
      "@media(max-width:860px){{.grid{{grid-template-columns:1fr}}}}table{{border-collapse:collapse;width:100%;font-size:12.5px}}"
      "th{{text-align:left;color:{};font-weight:500;border-bottom:1px solid {};padding:4px 8px 4px 0;white-space:nowrap}}"
      "td{{border-bottom:1px solid {};padding:4px 8px 4px 0;vertical-align:top}}td.n,th.n{{text-align:right;white-space:nowrap}}"
      ".src{{color:{};font-size:11.5px}}.limits li{{margin:0 0 6px}}.limits b{{font-weight:500}}svg{{max-width:100%;height:auto}}"
      ".fail,.not_settled{{color:{};font-weight:600}}.pass{{color:{}}}.chip{{display:inline-block;border-radius:4px;padding:1px 8px;font-weight:600;font-size:12px}}",
      t.colour("window"), t.colour("text"), t.colour("text3"), t.colour("surface"), t.colour("line"), t.colour("text2"), t.colour("line2"),
      t.colour("line"), t.colour("text3"), t.colour("fail"), t.colour("pass"));
  css += fmt::format(".sim{{color:{};border:1px solid {}}}.wd{{color:{};border:1px solid {}}}", t.colour("simulated"), t.colour("simulated"),
                     t.colour("withdrawn"), t.colour("withdrawn"));
  if (!mark.empty())
    css += fmt::format("body::before{{content:'{}';position:fixed;left:50%;top:46%;transform:translate(-50%,-50%) rotate(-12deg);font-weight:700;"
                       "font-size:7vw;letter-spacing:.12em;white-space:nowrap;color:{};opacity:.10;pointer-events:none;z-index:9}}",
                       mark, t.colour(mark == "WITHDRAWN" ? "withdrawn" : "simulated"));
  return css;
}

class Page {
 public:
  std::string out;
  void h2(std::string_view t) { out += fmt::format("<h2>{}</h2>\n", esc(t)); }
  void p(std::string_view t, const char* cls = "") { out += fmt::format("<p{}>{}</p>\n", *cls ? fmt::format(" class=\"{}\"", cls) : "", esc(t)); }
  void begin(const std::vector<std::string>& header, std::size_t numbers_from = 99) {
    numbers_ = numbers_from;
    out += "<div class=\"card\"><table><thead><tr>";
    for (std::size_t i = 0; i < header.size(); ++i) out += fmt::format("<th{}>{}</th>", i >= numbers_ ? " class=\"n\"" : "", esc(header[i]));
    out += "</tr></thead><tbody>\n";
  }
  void row(const std::vector<std::string>& cells, const std::vector<std::string>& classes = {}) {
    out += "<tr>";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      std::string cls = i < classes.size() ? classes[i] : "";
      if (i >= numbers_) cls += cls.empty() ? "n" : " n";
      out += fmt::format("<td{}>{}</td>", cls.empty() ? "" : fmt::format(" class=\"{}\"", cls), esc(cells[i]));
    }
    out += "</tr>\n";
  }
  void end() { out += "</tbody></table></div>\n"; }

 private:
  std::size_t numbers_ = 99;
};

std::string whole(const std::optional<double>& v) { return v ? grouped(std::llround(*v)) : std::string("unknown"); }

void reconciliation(Page& page, const Evaluation& e) {
  const auto& r = e.reconciliation;
  page.h2("Reconciliation");
  page.p(esc(fmt::format("{} of {} requests reconciled; unexplained: {}. {}", r.reconciled, r.measured, r.unexplained_words(), never_possible_words(r))));
  page.begin({"check", "what", "pass", "fail", "not possible", "not settled", "n/a"}, 2);
  for (const auto& t : r.totals)
    page.row({t.id, std::string(reconcile::find_check(t.id)->title), std::to_string(t.pass), std::to_string(t.fail), std::to_string(t.not_possible),
              std::to_string(t.not_settled), std::to_string(t.not_applicable)},
             {"", "", "", t.fail ? "fail" : "", "", t.not_settled ? "fail" : ""});
  page.end();
  page.out += "<h3>Ledger</h3>";
  page.begin({"quantity", "explained by", "expected", "measured", "unexplained"}, 2);
  for (const auto& l : r.ledger) {
    std::string parts;
    for (const auto& p : l.explained) parts += fmt::format("{}{} {}", parts.empty() ? "" : "; ", p.name, grouped(std::llround(p.amount)));
    page.row({l.quantity + ", " + l.unit, parts.empty() ? l.why : parts, whole(l.expected), whole(l.measured), whole(l.unexplained)},
             {"", "src", "", "", l.unexplained.value_or(0) != 0 ? "fail" : ""});
  }
  page.end();
  page.out += "<h3>Gates</h3>";
  page.begin({"gate", "state", "why"});
  for (const auto& g : e.decision.gates) {
    std::string state(to_string(g.state));
    for (char& c : state)
      if (c == '_') c = ' ';
    page.row({g.id, state, g.why}, {"", std::string(to_string(g.state)), "src"});
  }
  page.end();
}

void advice(Page& page, const ExperimentInput& in) {
  const auto tables = advice_tables(in);
  const auto table = [&](const char* title, const std::vector<std::vector<std::string>>& rows, const std::string& why, std::size_t numbers_from) {
    page.h2(title);
    if (rows.empty()) return page.p(why);
    page.begin(rows.front(), numbers_from);
    for (std::size_t i = 1; i < rows.size(); ++i) page.row(rows[i]);
    page.end();
  };
  table("Host tier for a target share of revisits", tables.sizing, tables.sizing_why, 1);
  table("Why was there no reuse", tables.no_reuse, tables.no_reuse_why, 99);
}

void sessions(Page& page, const ExperimentInput& in) {
  page.h2("Sessions");
  page.begin({"session", "arm", "state", "engine", "command"});
  for (const auto& s : in.sessions) {
    std::string command;
    for (const auto& a : s.record.argv) command += (command.empty() ? "" : " ") + a;
    page.row({fmt::format("{}, attempt {}", s.record.ordinal + 1, s.record.attempt), s.record.arm, std::string(to_string(s.record.state)),
              s.record.effective.engine_version, command}, {"", "", "", "", "src"});
  }
  for (const auto& s : in.others)
    page.row({fmt::format("{}, attempt {}", s.ordinal + 1, s.attempt), s.arm, std::string(to_string(s.state)), s.why, ""});
  page.end();
}
}  // namespace

std::string html(const ExperimentInput& in, const Evaluation& e, const Options& o) {
  const auto theme = chart::load_theme(o.palette, "light");
  const chart::Theme plain;
  const chart::Theme& t = theme ? *theme : plain;
  const auto& d = e.decision;
  const std::string mark = watermark(in, e);
  Page page;
  page.out = fmt::format("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
                         "<title>{}</title><style>{}</style></head><body><main>\n",
                         esc(in.name + " · " + verdict_sentence(d)), style(t, mark));
  page.out += fmt::format("<h1>{}</h1><p class=\"meta\">run {} · plan {} · measured {} by kvcliff {} · method version {} · gates {}</p>\n", esc(in.name),
                          esc(in.run_id), esc(in.plan_hash), esc(in.created), esc(in.program_version), reconcile::method_version, esc(gates_word(e)));
  if (in.simulated)
    page.out += fmt::format("<p><span class=\"chip sim\">simulated</span> The engine is an emulator; its times are {}.</p>\n",
                            esc(in.times_origin.empty() ? "of unknown origin" : in.times_origin));
  if (d.withdrawn()) page.out += "<p><span class=\"chip wd\">withdrawn</span></p>\n";
  page.out += "<div class=\"grid\"><div>";
  page.p(verdict_sentence(d), "verdict");
  if (const auto s = measured_sentence(d); !s.empty()) page.p(s);
  page.p(d.why);
  if (!d.withdrawn() && !d.first_visit_caution.empty()) page.p("Caution: " + d.first_visit_caution);
  for (const auto& w : d.warnings) page.p("Note: " + w);
  for (const auto& n : o.notes) page.p("Note: " + n);
  page.p("The verdict speaks of the revisits of this workload.", "meta");
  page.out += "</div><div class=\"card\"><h3 style=\"margin-top:0\">What this run does not establish</h3><ul class=\"limits\">";
  for (const auto& l : d.not_established) page.out += fmt::format("<li><b>{}.</b> {}</li>", esc(l.what), esc(l.why));
  page.out += "</ul></div></div>\n";

  if (theme) {
    for (const auto& c : charts(in, e)) page.out += "<div class=\"card\" style=\"margin-top:16px\">" + chart::svg(c, t) + "</div>\n";
  } else {
    page.p("Charts are left out: " + theme.error().sentence());
  }

  page.h2("Numbers and where they come from");
  page.begin({"number", "value", "source"});
  for (const auto& f : facts(in, e)) page.row({f.name, f.value, f.source}, {"", "", "src"});
  page.end();
  if (d.effect.effect && !d.withdrawn()) {
    page.h2("Session means of matched revisits");
    page.begin({"session", "arm", "pair", "visits", "geometric mean, ms", "median, ms", "SD of log"}, 2);
    for (const auto& s : d.effect.effect->sessions)
      page.row({s.label, s.treatment ? "with tier" : "without", std::to_string(s.pair + 1), std::to_string(s.visits), fmt::format("{:.2f}", s.geometric_mean_ms),
                fmt::format("{:.2f}", s.median_ms), fmt::format("{:.4f}", s.sd_log)});
    page.end();
  }
  reconciliation(page, e);
  advice(page, in);
  sessions(page, in);

  if (o.definitions.is_object() && !o.definitions.empty()) {
    page.h2("Definitions");
    page.begin({"term", "meaning", "unit"});
    for (const auto& [term, v] : o.definitions.items())
      if (v.is_object()) page.row({term, v.value("text", std::string()), v.value("unit", std::string())});
    page.end();
  }
  page.out += "</main></body></html>\n";
  return page.out;
}

}  // namespace kvcliff::report
