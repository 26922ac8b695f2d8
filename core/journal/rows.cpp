// SPDX-License-Identifier: GPL-3.0-or-later
#include "journal/rows.h"

#include "base/file.h"
#include "journal/codec.h"
#include "journal/packed_events.h"

namespace kvcliff::journal {
namespace {

// Level 1: the raw answers of 2,000 requests a second must not keep the writer busy; level 3 saves 8 % more.
constexpr int fast_level = 1;

std::optional<std::int64_t> tokens(const MeasuredTokens& m) {
  return m.value ? std::optional(m.value->v) : std::nullopt;
}
std::optional<std::int64_t> from_zero(std::int64_t v) { return v < 0 ? std::nullopt : std::optional(v); }
std::optional<std::int64_t> row(std::int64_t id) { return id == 0 ? std::nullopt : std::optional(id); }

Json planned_json(const PlannedRequest& p) {
  return Json{{"output_tokens", p.output_tokens},
              {"planned_send_ns", p.planned_send},
              {"revisit_distance", p.revisit_distance},
              {"predicted", p.predicted}};
}

Json stream_json(const StreamRecord& s) {
  return Json{{"transport_clean", s.transport_clean}, {"saw_done", s.saw_done},
              {"finish_reason", s.finish_reason},     {"error_message", s.error_message},
              {"error_code", s.error_code},           {"ids_returned", s.ids_returned},
              {"content_events", s.content_events},   {"parse_errors", s.parse_errors},
              {"request_id", s.request_id},           {"engine_timings", s.engine_timings},
              {"warnings", s.warnings}};
}

Json settling_json(const RequestRecord& r) {
  return Json{{"why", r.not_settled_why}, {"polls", r.settle_polls}, {"settle_ns", r.settle_ns},
              {"bytes_from", r.bytes_from}};
}

}  // namespace

Result<std::unique_ptr<Rows>> Rows::prepare(Database& db) {
  std::unique_ptr<Rows> rows(new Rows);
  const std::pair<Statement*, const char*> all[] = {
      {&rows->experiment_,
       "INSERT INTO experiments (id, uid, name, created_utc_ns, ended_utc_ns, state, why, simulated, engine, model, "
       "plan_hash, method_version, program_version, tags, note, schedule, host, plan) "
       "VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (id) DO UPDATE SET name=excluded.name, "
       "ended_utc_ns=excluded.ended_utc_ns, state=excluded.state, why=excluded.why, simulated=excluded.simulated, "
       "tags=excluded.tags, note=excluded.note, host=excluded.host"},
      {&rows->session_,
       "INSERT OR REPLACE INTO sessions (id, experiment_id, ordinal, attempt, arm, conditioning, pair, state, why, url, "
       "pid, exit_code, identity_scrape, last_scrape, argv, env_set, env_unset, effective, capabilities, preflight, "
       "stop) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"},
      {&rows->state_, "INSERT OR REPLACE INTO session_states VALUES (?,?,?,?,?,?)"},
      {&rows->request_,
       "INSERT OR REPLACE INTO requests VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"},
      {&rows->details_, "INSERT OR REPLACE INTO request_details VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"},
      {&rows->scrape_, "INSERT OR REPLACE INTO scrapes VALUES (?,?,?,?,?,?,?,?,?,?,?,?)"},
      {&rows->log_, "INSERT OR REPLACE INTO log_lines VALUES (?,?,?,?,?,?,?)"},
      {&rows->kv_event_, "INSERT OR REPLACE INTO kv_events VALUES (?,?,?,?,?)"},
      {&rows->notice_, "INSERT OR REPLACE INTO notices VALUES (?,?,?,?,?,?,?)"},
      {&rows->sealed_, "INSERT OR REPLACE INTO sealed_results VALUES (?,?,?,?,?)"},
  };
  for (const auto& [statement, sql] : all) {
    auto s = db.prepare(sql);
    if (!s) return fail(s.error());
    *statement = std::move(*s);
  }
  return rows;
}

int Rows::experiment(const ExperimentRecord& e) {
  const std::string tags = text_of(e.tags), schedule = text_of(e.schedule), host = text_of(e.host);
  return experiment_
      .bind(e.id, e.uid, e.name, e.created, e.ended, e.state, e.why, e.simulated, e.engine, e.model, e.plan_hash,
            e.method_version, e.program_version, tags, e.note, schedule, host, e.plan_text)
      .step();
}

int Rows::session(std::int64_t experiment, const SessionRecord& s) {
  const std::string argv = text_of(s.argv), set = text_of(s.env_set), unset = text_of(s.env_unset),
                    effective = text_of(s.effective), capabilities = text_of(s.capabilities),
                    preflight = text_of(s.preflight), stop = text_of(s.stop);
  return session_
      .bind(s.id, experiment, s.ordinal, s.attempt, s.arm, s.conditioning, from_zero(s.pair), to_string(s.state), s.why,
            s.url, row(s.pid), s.exit_code, row(s.identity_scrape), row(s.last_scrape), argv, set, unset, effective,
            capabilities, preflight, stop)
      .step();
}

int Rows::state(std::int64_t session, int seq, const StateChange& c) {
  return state_.bind(session, seq, to_string(c.state), c.at.mono, c.at.wall, c.why).step();
}

int Rows::request(const RequestRecord& r) {
  const PlannedRequest& p = r.plan;
  const StreamRecord& s = r.stream;
  const auto ttft = s.ttft();
  const std::optional<std::int64_t> total =
      s.times.t0 > 0 && s.times.end >= s.times.t0 ? std::optional(s.times.end - s.times.t0) : std::nullopt;
  const std::int64_t prompt = p.prompt_tokens > 0 ? p.prompt_tokens : static_cast<std::int64_t>(p.prompt.size());
  const auto bytes = [](const std::optional<Bytes>& b) { return b ? std::optional(b->v) : std::nullopt; };
  int rc = request_
               .bind(r.session, p.ordinal, from_zero(p.document), from_zero(p.round), p.warmup, to_string(s.outcome),
                     prompt, tokens(r.sources.computed), tokens(r.sources.gpu_hit), tokens(r.sources.host_loaded),
                     tokens(r.sources.unknown), bytes(r.loaded_bytes), bytes(r.stored_bytes), s.usage.cached_tokens,
                     s.usage.completion_tokens, ttft, total, p.predicted.computed.mean, p.predicted.gpu_hit.mean,
                     p.predicted.host_loaded.mean, r.sent.mono, r.sent.wall, r.settled)
               .step();
  if (rc != SQLITE_DONE) return rc;
  const std::string planned = text_of(planned_json(p)), hashes = pack_u64(p.block_hashes),
                    times = text_of(times_json(s.times)), stream = text_of(stream_json(s)),
                    usage = text_of(usage_json(s.usage)), sources = text_of(Json(r.sources)),
                    counters = text_of(delta_json(r.delta)), settling = text_of(settling_json(r)),
                    ids = pack_i32(s.token_ids), events = pack_events(s.events, s.times.t0),
                    raw = s.raw.empty() ? std::string() : zstd_compress(s.raw, fast_level);
  using Blob = Statement::Blob;
  return details_
      .bind(request_id(r.session, p.ordinal), planned, p.prompt_hash, Blob{hashes}, s.http_status, s.why, times, stream,
            usage, sources, counters, settling, row(r.scrape_before), row(r.scrape_after), Blob{ids}, s.text,
            s.reasoning_text, Blob{events}, raw.empty() ? std::nullopt : std::optional(Blob{raw}))
      .step();
}

int Rows::scrape(std::int64_t id, std::int64_t session, const CounterSnapshot& s) {
  const std::string counters = zstd_compress(text_of(snapshot_json(s)), fast_level),
                    raw = s.raw ? zstd_compress(*s.raw, fast_level) : std::string();
  using Blob = Statement::Blob;
  return scrape_
      .bind(id, session, s.sent, s.received, s.wall, s.http_status, s.error, s.engine, s.generation, s.process_start,
            Blob{counters}, raw.empty() ? std::nullopt : std::optional(Blob{raw}))
      .step();
}

int Rows::log_line(std::int64_t session, std::int64_t line, const LogLine& l) {
  return log_.bind(session, line, l.at.mono, l.at.wall, l.is_stderr, l.truncated, l.text).step();
}

int Rows::kv_event(std::int64_t session, std::int64_t seq, Instant at, const std::string& payload) {
  return kv_event_.bind(session, seq, at.mono, at.wall, Statement::Blob{payload}).step();
}

int Rows::notice(std::int64_t id, const Notice& n) {
  return notice_.bind(id, n.experiment, row(n.session), n.at.mono, n.at.wall, n.severity, n.text).step();
}

int Rows::sealed(std::int64_t id, const SealedResult& r) {
  const std::string document = text_of(r.document);
  return sealed_.bind(id, r.experiment, r.method_version, r.at, document).step();
}

}  // namespace kvcliff::journal
