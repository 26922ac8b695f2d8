// SPDX-License-Identifier: GPL-3.0-or-later
#include "reconcile/reconcile.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"
#include "reconcile/gates.h"
#include "reconcile/latency.h"
#include "reconcile/totals.h"

namespace kvcliff::reconcile {
namespace {
CheckResult named(CheckResult r, const CheckInfo& info) {
  r.id = info.id;
  r.unit = info.unit;
  return r;
}

void count(CheckTotals& t, CheckState s) {
  switch (s) {
    case CheckState::pass: ++t.pass; break;
    case CheckState::fail: ++t.fail; break;
    case CheckState::not_possible: ++t.not_possible; break;
    case CheckState::not_settled: ++t.not_settled; break;
    case CheckState::not_applicable: ++t.not_applicable; break;
  }
}

bool reports_cached_tokens(const SessionInput& s) {
  return std::any_of(s.requests.begin(), s.requests.end(),
                     [](const RequestRecord& r) { return r.stream.usage.cached_tokens.has_value(); });
}

bool all_pass(const std::vector<CheckResult>& checks) {
  for (const auto& c : checks) {
    const auto* info = find_check(c.id);
    if (info && !info->counts_for_reconciled) continue;
    if (c.state == CheckState::fail || c.state == CheckState::not_settled) return false;
  }
  return true;
}

void add_to_experiment_ledger(std::vector<LedgerLine>& all, const LedgerLine& line) {
  auto it = std::find_if(all.begin(), all.end(), [&](const LedgerLine& l) { return l.quantity == line.quantity; });
  if (it == all.end()) {
    all.push_back(line);
    return;
  }
  // A sum is known only where each of its parts is.
  const auto add = [](std::optional<double>& a, const std::optional<double>& b) { a = a && b ? std::optional(*a + *b) : std::nullopt; };
  add(it->expected, line.expected);
  add(it->measured, line.measured);
  add(it->unexplained, line.unexplained);
  if (!line.why.empty()) it->why = line.why;
  it->covered = it->covered && line.covered;
  for (const auto& part : line.explained) {
    auto p = std::find_if(it->explained.begin(), it->explained.end(), [&](const LedgerPart& q) { return q.name == part.name; });
    if (p == it->explained.end()) it->explained.push_back(part);
    else p->amount += part.amount;
  }
}
}  // namespace

const CheckResult* RequestChecks::find(std::string_view id) const {
  for (const auto& c : checks)
    if (c.id == id) return &c;
  return nullptr;
}

bool Reconciliation::gates_pass() const {
  return std::none_of(gates.begin(), gates.end(),
                      [](const Gate& g) { return g.state == CheckState::fail || g.state == CheckState::not_settled; });
}

std::string Reconciliation::unexplained_words() const {
  const auto part = [](double sum, const std::string& unknown, const char* unit) {
    return unknown.empty() ? fmt::format("{} {}", grouped(std::llround(sum)), unit) : fmt::format("unknown {} ({})", unit, unknown);
  };
  return part(unexplained_tokens, tokens_unknown, "tokens") + ", " + part(unexplained_bytes, bytes_unknown, "bytes");
}

std::vector<std::string> Reconciliation::never_possible() const {
  std::vector<std::string> out;
  for (const auto& t : totals)
    if (t.not_possible > 0 && t.pass + t.fail + t.not_settled == 0) out.push_back(t.id);
  return out;
}

std::string Reconciliation::why_not_possible(std::string_view id) const {
  const auto is = [&](const CheckResult& c) { return c.id == id && c.state == CheckState::not_possible && !c.why.empty(); };
  for (const auto& q : requests)
    if (!q.warmup)
      if (const auto* c = q.find(id); c && is(*c)) return c->why;
  for (const auto& s : sessions)
    for (const auto& c : s.checks)
      if (is(c)) return c.why;
  for (const auto& p : pairs)
    if (is(p.check)) return p.check.why;
  for (const auto& c : experiment)
    if (is(c)) return c.why;
  return {};
}

Reconciliation reconcile(const ExperimentInput& input) {
  Reconciliation out;
  const auto table = check_table();
  const auto lines = latency_lines(input);
  for (const auto& info : table) out.totals.push_back({std::string(info.id), 0, 0, 0, 0, 0});

  for (std::size_t si = 0; si < input.sessions.size(); ++si) {
    const auto& s = input.sessions[si];
    const bool reports = reports_cached_tokens(s);
    for (std::size_t ri = 0; ri < s.requests.size(); ++ri) {
      const auto& r = s.requests[ri];
      RequestChecks rc{si, ri, r.plan.warmup, {}, false};
      const RequestContext context{input, s, r, lines, reports};
      for (std::size_t k = 0; k < table.size(); ++k) {
        if (!table[k].request) continue;
        rc.checks.push_back(named(table[k].request(context), table[k]));
        if (!rc.warmup) count(out.totals[k], rc.checks.back().state);
      }
      rc.reconciled = all_pass(rc.checks);
      if (!rc.warmup) {
        ++out.measured;
        out.reconciled += rc.reconciled ? 1 : 0;
      }
      out.requests.push_back(std::move(rc));
    }
    SessionChecks sc{si, {}, session_ledger(s)};
    for (std::size_t k = 0; k < table.size(); ++k) {
      if (!table[k].session) continue;
      sc.checks.push_back(named(table[k].session(input, s), table[k]));
      count(out.totals[k], sc.checks.back().state);
    }
    for (const auto& line : sc.ledger) {
      add_to_experiment_ledger(out.ledger, line);
      if (!line.unexplained) {
        auto& why = line.unit == "bytes" ? out.bytes_unknown : out.tokens_unknown;
        if (!line.covered && why.empty()) why = fmt::format("{} of session {}: {}", line.quantity, s.record.ordinal + 1, line.why);
        continue;
      }
      (line.unit == "bytes" ? out.unexplained_bytes : out.unexplained_tokens) += std::fabs(*line.unexplained);
    }
    out.sessions.push_back(std::move(sc));
  }

  if (out.measured == 0) out.tokens_unknown = out.bytes_unknown = "nothing was measured";

  std::vector<int> pair_numbers;
  for (const auto* s : compared_sessions(input))
    if (s->offload) pair_numbers.push_back(s->record.pair);
  std::sort(pair_numbers.begin(), pair_numbers.end());
  for (std::size_t k = 0; k < table.size(); ++k) {
    if (table[k].pairs) {
      const auto results = table[k].pairs(input);
      for (std::size_t i = 0; i < results.size(); ++i) {
        out.pairs.push_back({i < pair_numbers.size() ? pair_numbers[i] : static_cast<int>(i), named(results[i], table[k])});
        count(out.totals[k], results[i].state);
      }
    }
    if (table[k].experiment) {
      out.experiment.push_back(named(table[k].experiment(input), table[k]));
      count(out.totals[k], out.experiment.back().state);
    }
  }
  out.gates = gates_of(input, out);
  return out;
}

std::string first_failure(const ExperimentInput& input, const Reconciliation& r, std::string_view id) {
  const auto bad = [](const CheckResult& c) { return c.state == CheckState::fail || c.state == CheckState::not_settled; };
  // Counted from 1 in words, as the window does; files keep the ordinals, which count from 0.
  const auto session = [&](std::size_t i) {
    return fmt::format("session {} ({})", input.sessions[i].record.ordinal + 1, input.sessions[i].record.arm);
  };
  for (const auto& c : r.experiment)
    if (c.id == id && bad(c)) return c.why;
  for (const auto& s : r.sessions)
    for (const auto& c : s.checks)
      if (c.id == id && bad(c)) return fmt::format("{}: {}", session(s.session), c.why);
  for (const auto& p : r.pairs)
    if (p.check.id == id && bad(p.check)) return fmt::format("pair {}: {}", p.pair + 1, p.check.why);
  for (const auto& q : r.requests)
    if (!q.warmup)
      if (const auto* c = q.find(id); c && bad(*c))
        return fmt::format("{} request {}: {}", session(q.session), input.sessions[q.session].requests[q.request].plan.ordinal + 1, c->why);
  return {};
}

}  // namespace kvcliff::reconcile
