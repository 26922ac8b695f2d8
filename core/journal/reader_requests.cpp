// SPDX-License-Identifier: GPL-3.0-or-later
// The requests of a session: whole records, and the fast narrow rows of charts.
#include <fmt/format.h>

#include <stdexcept>

#include "base/file.h"
#include "journal/codec.h"
#include "journal/packed_events.h"
#include "journal/reader_impl.h"

namespace kvcliff::journal {
namespace {

constexpr const char* narrow_columns =
    "r.ordinal, r.document, r.round, r.warmup, r.outcome, r.prompt_tokens, r.computed, r.gpu_hit, r.host_loaded, "
    "r.unknown, r.loaded_bytes, r.stored_bytes, r.cached_tokens, r.output_tokens, r.ttft_ns, r.total_ns, "
    "r.predicted_computed, r.predicted_gpu_hit, r.predicted_host_loaded, r.sent_ns, r.sent_utc_ns, r.settled";
constexpr int narrow_count = 22;
constexpr const char* wide_columns =
    ", d.planned, d.prompt_hash, d.block_hashes, d.http_status, d.why, d.times_ns, d.stream, d.usage, d.sources, "
    "d.counters, d.settling, d.scrape_before, d.scrape_after, d.token_ids, d.text, d.reasoning_text";
constexpr int wide_count = 16;

MeasuredTokens measured(const Statement& s, int c) {
  MeasuredTokens m;
  if (const auto v = s.optional_integer(c)) {
    m.value = Tokens(*v);
    m.provenance = Provenance::counter;
  }
  return m;
}

PredictedCount predicted(const Statement& s, int c) {
  const double v = s.real(c);
  return {static_cast<std::int64_t>(v), static_cast<std::int64_t>(v), v, {}};
}

RequestRecord narrow_from(const Statement& s, std::int64_t session) {
  RequestRecord r;
  r.session = session;
  r.plan.ordinal = static_cast<int>(s.integer(0));
  r.id = request_id(session, r.plan.ordinal);
  r.plan.document = static_cast<int>(s.optional_integer(1).value_or(-1));
  r.plan.round = static_cast<int>(s.optional_integer(2).value_or(-1));
  r.plan.warmup = s.integer(3) != 0;
  r.stream.outcome = outcome_from(s.view(4)).value_or(Outcome::error);
  r.plan.prompt_tokens = s.integer(5);
  r.sources.computed = measured(s, 6);
  r.sources.gpu_hit = measured(s, 7);
  r.sources.host_loaded = measured(s, 8);
  r.sources.unknown = measured(s, 9);
  if (const auto v = s.optional_integer(10)) r.loaded_bytes = Bytes(*v);
  if (const auto v = s.optional_integer(11)) r.stored_bytes = Bytes(*v);
  r.stream.usage.cached_tokens = s.optional_integer(12);
  r.stream.usage.completion_tokens = s.optional_integer(13);
  r.sent = {s.integer(19), s.integer(20)};
  r.stream.times.t0 = r.sent.mono;
  if (const auto v = s.optional_integer(14)) r.stream.times.first_token = r.sent.mono + *v;
  if (const auto v = s.optional_integer(15)) r.stream.times.end = r.sent.mono + *v;
  r.plan.predicted.computed = predicted(s, 16);
  r.plan.predicted.gpu_hit = predicted(s, 17);
  r.plan.predicted.host_loaded = predicted(s, 18);
  r.settled = s.integer(21) != 0;
  return r;
}

void widen(const Statement& s, RequestRecord& r) {
  int c = narrow_count;
  const Json planned = Json::parse(s.view(c));
  planned.at("output_tokens").get_to(r.plan.output_tokens);
  planned.at("planned_send_ns").get_to(r.plan.planned_send);
  planned.at("revisit_distance").get_to(r.plan.revisit_distance);
  planned.at("predicted").get_to(r.plan.predicted);
  r.plan.prompt_hash = s.text(++c);
  r.plan.block_hashes = unpack_u64(s.view(++c));
  r.stream.http_status = static_cast<int>(s.integer(++c));
  r.stream.why = s.text(++c);
  r.stream.times = times_from(Json::parse(s.view(++c)));
  const Json stream = Json::parse(s.view(++c));
  stream.at("transport_clean").get_to(r.stream.transport_clean);
  stream.at("saw_done").get_to(r.stream.saw_done);
  stream.at("finish_reason").get_to(r.stream.finish_reason);
  stream.at("error_message").get_to(r.stream.error_message);
  stream.at("error_code").get_to(r.stream.error_code);
  stream.at("ids_returned").get_to(r.stream.ids_returned);
  stream.at("content_events").get_to(r.stream.content_events);
  stream.at("parse_errors").get_to(r.stream.parse_errors);
  stream.at("request_id").get_to(r.stream.request_id);
  stream.at("engine_timings").get_to(r.stream.engine_timings);
  stream.at("warnings").get_to(r.stream.warnings);
  r.stream.usage = usage_from(Json::parse(s.view(++c)));
  r.sources = Json::parse(s.view(++c)).get<TokenSources>();
  r.delta = delta_from(Json::parse(s.view(++c)));
  const Json settling = Json::parse(s.view(++c));
  settling.at("why").get_to(r.not_settled_why);
  settling.at("polls").get_to(r.settle_polls);
  settling.at("settle_ns").get_to(r.settle_ns);
  settling.at("bytes_from").get_to(r.bytes_from);
  r.scrape_before = s.integer(++c);
  r.scrape_after = s.integer(++c);
  r.stream.token_ids = unpack_i32(s.view(++c));
  r.stream.text = s.text(++c);
  r.stream.reasoning_text = s.text(++c);
}

std::string query(Depth depth, const char* where) {
  std::string columns = narrow_columns, from = "requests r";
  if (depth >= Depth::details) {
    columns += wide_columns;
    from += " JOIN request_details d ON d.id = (r.session_id << 32) | r.ordinal";
  }
  if (depth >= Depth::events) columns += ", d.events";
  if (depth >= Depth::raw) columns += ", d.raw_zstd";
  return fmt::format("SELECT {} FROM {} WHERE r.session_id = ?1 {} ORDER BY r.ordinal", columns, from, where);
}

RequestRecord record_from(const Statement& s, std::int64_t session, Depth depth) {
  RequestRecord r = narrow_from(s, session);
  if (depth >= Depth::details) widen(s, r);
  if (depth >= Depth::events) {
    auto events = unpack_events(s.view(narrow_count + wide_count), r.stream.times.t0);
    if (!events) throw std::runtime_error(events.error().sentence());
    r.stream.events = std::move(*events);
  }
  if (depth >= Depth::raw && !s.is_null(narrow_count + wide_count + 1)) {
    auto raw = zstd_decompress(s.view(narrow_count + wide_count + 1));
    if (!raw) throw std::runtime_error(raw.error().sentence());
    r.stream.raw = std::move(*raw);
  }
  return r;
}

}  // namespace

Result<void> Reader::for_each_request(std::int64_t session, Depth depth,
                                      const std::function<bool(RequestRecord&&)>& visit) const {
  const auto r = impl_->read(
      query(depth, ""), [&](Statement& s) { s.bind(session); },
      [&](const Statement& s) { return visit(record_from(s, session, depth)); }, 0);
  if (!r) return fail(r.error());
  return {};
}

Result<std::vector<RequestRecord>> Reader::requests(std::int64_t session, Depth depth) const {
  std::vector<RequestRecord> out;
  const auto r = for_each_request(session, depth, [&](RequestRecord&& record) {
    out.push_back(std::move(record));
    return true;
  });
  if (!r) return fail(r.error());
  return out;
}

Result<RequestRecord> Reader::request(std::int64_t session, std::int64_t ordinal, Depth depth) const {
  std::optional<RequestRecord> found;
  const auto r = impl_->read(
      query(depth, "AND r.ordinal = ?2"), [&](Statement& s) { s.bind(session, ordinal); },
      [&](const Statement& s) {
        found = record_from(s, session, depth);
        return false;
      },
      0);
  if (!r) return fail(r.error());
  if (!found)
    return fail(ErrorCode::not_found, fmt::format("The journal holds no request {} of session {}", ordinal, session),
                path());
  return std::move(*found);
}

Result<std::vector<ChartRow>> Reader::chart_rows(std::int64_t session, std::int64_t from, std::int64_t limit) const {
  std::vector<ChartRow> out;
  return impl_->read(
      fmt::format("SELECT {} FROM requests r WHERE session_id = ?1 AND ordinal >= ?2 ORDER BY ordinal LIMIT ?3",
                  narrow_columns),
      [&](Statement& s) { s.bind(session, from, limit); },
      [&](const Statement& s) {
        const auto known = [&](int c) { return s.is_null(c) ? std::int64_t{-1} : s.integer(c); };
        ChartRow r;
        r.session = session;
        r.ordinal = static_cast<std::int32_t>(s.integer(0));
        r.document = static_cast<std::int32_t>(known(1));
        r.round = static_cast<std::int32_t>(known(2));
        r.warmup = s.integer(3) != 0;
        r.outcome = outcome_from(s.view(4)).value_or(Outcome::error);
        std::int64_t* const integers[] = {&r.prompt_tokens, &r.computed,      &r.gpu_hit,       &r.host_loaded,
                                          &r.unknown,       &r.loaded_bytes,  &r.stored_bytes,  &r.cached_tokens,
                                          &r.output_tokens, &r.ttft_ns,       &r.total_ns};
        int c = 5;
        for (std::int64_t* field : integers) *field = known(c++);
        double* const reals[] = {&r.predicted_computed, &r.predicted_gpu_hit, &r.predicted_host_loaded};
        for (double* field : reals) {
          *field = s.is_null(c) ? -1 : s.real(c);
          ++c;
        }
        r.sent = s.integer(20);
        out.push_back(r);
        return true;
      },
      out);
}

}  // namespace kvcliff::journal
