// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <cmath>

#include "base/clock.h"
#include "report/csv.h"
#include "report/report.h"

namespace kvcliff::report {
namespace {
using analysis::Evaluation;
using reconcile::ExperimentInput;

class Maker {
 public:
  Maker(const ExperimentInput& in, const Evaluation& e, bool spreadsheet)
      : in_(in), e_(e), format_(spreadsheet ? CsvFormat::spreadsheet() : CsvFormat{}), gates_(gates_word(e)) {}

  Csv table(std::vector<std::string> columns) const {
    columns.insert(columns.begin(), {"run_id", "plan_hash", "simulated", "gates"});
    return Csv(std::move(columns), format_);
  }
  Csv& row(Csv& c) const { return c.row().text(in_.run_id).text(in_.plan_hash).text(in_.simulated ? "true" : "false").text(gates_); }

  Table requests(bool warmup) const;
  Table sessions() const;
  Table checks() const;
  Table ledger() const;
  Table pairs() const;
  Table events() const;

 private:
  const ExperimentInput& in_;
  const Evaluation& e_;
  CsvFormat format_;
  std::string gates_;
};

std::optional<std::int64_t> plain(const MeasuredTokens& m) { return m.value ? std::optional(m.value->v) : std::nullopt; }
std::optional<std::int64_t> plain(const std::optional<Bytes>& b) { return b ? std::optional(b->v) : std::nullopt; }

Csv& span_ms(Csv& c, MonoNs from, MonoNs to) {
  return from > 0 && to >= from ? c.number(static_cast<double>(to - from) / 1e6) : c.none();
}

std::string predicted(const PredictedCount& p, bool any) {
  if (!any) return {};
  return p.is_exact() ? std::to_string(p.min) : fmt::format("{}..{}", p.min, p.max);
}

Table Maker::requests(bool warmup) const {
  std::vector<std::string> columns{"session", "request", "session_ordinal", "attempt", "arm", "request_ordinal", "document", "round", "prompt_hash", "sent_utc",
                                   "prompt_tokens_sent", "prompt_tokens_usage", "computed_tokens", "gpu_hit_tokens", "host_loaded_tokens",
                                   "unknown_tokens", "computed_from", "gpu_hit_from", "host_loaded_from", "predicted_computed_tokens",
                                   "predicted_gpu_hit_tokens", "predicted_host_loaded_tokens", "loaded_bytes", "stored_bytes", "cached_tokens",
                                   "output_tokens", "revisit_distance_blocks", "ttft_ns", "ttft_ms", "first_byte_ms", "total_ms",
                                   "client_lag_ms", "outcome", "finish_reason", "settled", "settle_ms", "reconciled", "scrape_before_row", "scrape_after_row"};
  for (const auto& info : reconcile::check_table())
    if (info.request) {
      columns.push_back(std::string(info.id) + "_state");
      columns.push_back(fmt::format("{}_residual_{}", info.id, info.unit));
    }
  Csv c = table(std::move(columns));
  for (const auto& q : e_.reconciliation.requests) {
    if (q.warmup != warmup) continue;
    const auto& s = in_.sessions[q.session];
    const auto& r = s.requests[q.request];
    const bool any = r.plan.predicted.computed.max > 0;
    const auto& t = r.stream.times;
    row(c).integer(s.record.ordinal + 1).integer(r.plan.ordinal + 1);
    c.integer(s.record.ordinal).integer(s.record.attempt).text(s.record.arm).integer(r.plan.ordinal);
    r.plan.document >= 0 ? c.integer(r.plan.document) : c.none();
    r.plan.round >= 0 ? c.integer(r.plan.round) : c.none();
    c.text(r.plan.prompt_hash);
    r.sent.wall > 0 ? c.text(iso8601(r.sent.wall)) : c.none();  // an imported file may say neither when nor how long
    r.plan.prompt_tokens > 0 ? c.integer(r.plan.prompt_tokens) : c.none();
    c.maybe(r.stream.usage.prompt_tokens);
    c.maybe(plain(r.sources.computed)).maybe(plain(r.sources.gpu_hit)).maybe(plain(r.sources.host_loaded)).maybe(plain(r.sources.unknown));
    c.text(r.sources.computed.from).text(r.sources.gpu_hit.from).text(r.sources.host_loaded.from);
    c.text(predicted(r.plan.predicted.computed, any)).text(predicted(r.plan.predicted.gpu_hit, any)).text(predicted(r.plan.predicted.host_loaded, any));
    c.maybe(plain(r.loaded_bytes)).maybe(plain(r.stored_bytes)).maybe(r.stream.usage.cached_tokens).maybe(r.stream.usage.completion_tokens);
    r.plan.revisit_distance >= 0 ? c.integer(r.plan.revisit_distance) : c.none();
    const auto ttft = r.stream.ttft();
    c.maybe(ttft ? std::optional<std::int64_t>(*ttft) : std::nullopt);
    c.maybe(ttft ? std::optional(static_cast<double>(*ttft) / 1e6) : std::nullopt);
    span_ms(c, t.t0, t.first_byte);
    span_ms(c, t.t0, t.end);
    span_ms(c, std::max(t.queued, t.connected), t.t0);
    c.text(to_string(r.stream.outcome)).text(r.stream.finish_reason).text(r.settled ? "true" : "false").number(static_cast<double>(r.settle_ns) / 1e6);
    c.text(q.reconciled ? "true" : "false");
    r.scrape_before > 0 ? c.integer(r.scrape_before) : c.none();
    r.scrape_after > 0 ? c.integer(r.scrape_after) : c.none();
    for (const auto& k : q.checks) {
      c.text(to_string(k.state));
      k.state == CheckState::pass || k.state == CheckState::fail ? c.number(k.residual) : c.none();
    }
  }
  return {warmup ? "warmup.csv" : "requests.csv", c.str()};
}

Table Maker::sessions() const {
  Csv c = table({"session", "session_ordinal", "attempt", "arm", "pair", "conditioning", "state", "why", "engine_version", "offload", "block_size_tokens",
                 "gpu_blocks", "host_bytes", "kv_bytes_per_token", "kv_bytes_from", "measured_requests", "geometric_mean_revisit_ms", "pid",
                 "exit_code", "started_utc", "command"});
  const auto write = [&](const SessionRecord& s, const reconcile::SessionInput* input) {
    row(c).integer(s.ordinal + 1).integer(s.ordinal).integer(s.attempt).text(s.arm);
    s.pair >= 0 ? c.integer(s.pair + 1) : c.none();
    c.text(s.conditioning ? "true" : "false").text(to_string(s.state)).text(s.why).text(s.effective.engine_version);
    input ? c.text(input->offload ? "true" : "false") : c.none();
    c.maybe(s.effective.block_size).maybe(s.effective.gpu_blocks).maybe(s.effective.host_bytes);
    input ? c.maybe(input->kv.bytes_per_token).text(input->kv.from) : c.none().none();
    double sum = 0;
    std::int64_t n = 0, measured = 0;
    if (input)
      for (const auto& r : input->requests) {
        if (r.plan.warmup) continue;
        ++measured;
        if (const auto t = r.stream.ttft(); t && *t > 0 && r.plan.round >= 2 && r.stream.outcome == Outcome::complete) sum += std::log(static_cast<double>(*t) / 1e6), ++n;
      }
    input ? c.integer(measured) : c.none();
    n > 0 ? c.number(std::exp(sum / static_cast<double>(n))) : c.none();
    s.pid > 0 ? c.integer(s.pid) : c.none();
    c.maybe(s.exit_code ? std::optional<std::int64_t>(*s.exit_code) : std::nullopt);
    s.changes.empty() ? c.none() : c.text(iso8601(s.changes.front().at.wall));
    std::string command;
    for (const auto& a : s.argv) command += (command.empty() ? "" : " ") + a;
    c.text(command);
  };
  for (const auto& s : in_.sessions) write(s.record, &s);
  for (const auto& s : in_.others) write(s, nullptr);
  return {"sessions.csv", c.str()};
}

Table Maker::checks() const {
  Csv c = table({"check", "scope", "session", "request", "session_ordinal", "request_ordinal", "pair", "warmup", "state", "residual", "unit", "why"});
  const auto put = [&](const CheckResult& k, const char* scope, std::optional<std::int64_t> session, std::optional<std::int64_t> request,
                       std::optional<std::int64_t> pair, bool warmup) {
    const auto counted = [](std::optional<std::int64_t> v) { return v ? std::optional(*v + 1) : v; };
    row(c).text(k.id).text(scope).maybe(counted(session)).maybe(counted(request)).maybe(session).maybe(request).maybe(pair).text(warmup ? "true" : "false").text(to_string(k.state));
    k.state == CheckState::pass || k.state == CheckState::fail ? c.number(k.residual) : c.none();
    c.text(k.unit).text(k.why);
  };
  for (const auto& q : e_.reconciliation.requests)
    for (const auto& k : q.checks)
      put(k, "request", in_.sessions[q.session].record.ordinal, in_.sessions[q.session].requests[q.request].plan.ordinal, {}, q.warmup);
  for (const auto& s : e_.reconciliation.sessions)
    for (const auto& k : s.checks) put(k, "session", in_.sessions[s.session].record.ordinal, {}, {}, false);
  for (const auto& p : e_.reconciliation.pairs) put(p.check, "pair", {}, {}, p.pair + 1, false);
  for (const auto& k : e_.reconciliation.experiment) put(k, "experiment", {}, {}, {}, false);
  return {"checks.csv", c.str()};
}

Table Maker::ledger() const {
  Csv c = table({"scope", "session_ordinal", "quantity", "unit", "expected", "measured", "explained", "explained_by", "unexplained", "why"});
  const auto put = [&](const LedgerLine& l, std::optional<std::int64_t> session) {
    double sum = 0;
    std::string names;
    for (const auto& p : l.explained) {
      sum += p.amount;
      names += fmt::format("{}{} = {}", names.empty() ? "" : "; ", p.name, plain_number(p.amount));
    }
    row(c).text(session ? "session" : "experiment").maybe(session).text(l.quantity).text(l.unit).maybe(l.expected).maybe(l.measured).number(sum)
        .text(names).maybe(l.unexplained).text(l.why);
  };
  for (const auto& s : e_.reconciliation.sessions)
    for (const auto& l : s.ledger) put(l, in_.sessions[s.session].record.ordinal);
  for (const auto& l : e_.reconciliation.ledger) put(l, {});
  return {"ledger.csv", c.str()};
}

// One row per matched visit of a pair. Ratios and differences are estimates: withheld when the claim is withdrawn.
Table Maker::pairs() const {
  Csv c = table({"pair", "document", "round", "off_session_ordinal", "on_session_ordinal", "off_ttft_ms", "on_ttft_ms", "difference_ms", "ratio"});
  std::map<int, std::pair<const reconcile::SessionInput*, const reconcile::SessionInput*>> pairs;
  for (const auto* s : reconcile::compared_sessions(in_)) (s->offload ? pairs[s->record.pair].second : pairs[s->record.pair].first) = s;
  for (const auto& [pair, both] : pairs) {
    if (!both.first || !both.second) continue;
    for (const auto& a : both.first->requests) {
      if (a.plan.warmup) continue;
      for (const auto& b : both.second->requests) {
        if (b.plan.warmup || b.plan.document != a.plan.document || b.plan.round != a.plan.round) continue;
        const auto x = a.stream.ttft(), y = b.stream.ttft();
        row(c).integer(pair + 1).integer(a.plan.document).integer(a.plan.round).integer(both.first->record.ordinal).integer(both.second->record.ordinal);
        x ? c.number(static_cast<double>(*x) / 1e6) : c.none();
        y ? c.number(static_cast<double>(*y) / 1e6) : c.none();
        if (x && y && *x > 0 && !e_.decision.withdrawn()) c.number(static_cast<double>(*y - *x) / 1e6).number(static_cast<double>(*y) / static_cast<double>(*x));
        else c.none().none();
        break;
      }
    }
  }
  return {"pairs.csv", c.str()};
}

Table Maker::events() const {
  Csv c = table({"session_ordinal", "request_ordinal", "event", "since_t0_ms", "bytes", "kind", "tokens"});
  for (const auto& s : in_.sessions)
    for (const auto& r : s.requests) {
      std::int64_t i = 0;
      for (const auto& v : r.stream.events) {
        row(c).integer(s.record.ordinal).integer(r.plan.ordinal).integer(i++);
        span_ms(c, r.stream.times.t0, v.at).integer(v.bytes).text(to_string(v.kind));
        r.stream.ids_returned ? c.integer(v.tokens) : c.none();
      }
    }
  return {"events.csv", c.str()};
}
}  // namespace

std::vector<Table> tables(const ExperimentInput& input, const Evaluation& e, bool spreadsheet) {
  const Maker m(input, e, spreadsheet);
  return {m.requests(false), m.requests(true), m.sessions(), m.checks(), m.ledger(), m.pairs(), m.events()};
}

}  // namespace kvcliff::report
