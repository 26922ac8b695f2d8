// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "journal/records.h"

namespace kvcliff::test {

inline journal::ExperimentRecord sample_experiment(const std::string& uid, WallNs created = 1'000'000'000) {
  journal::ExperimentRecord e;
  e.uid = uid;
  e.name = "reference";
  e.plan_text = R"({"schema":"kvcliff.plan/1"})";
  e.plan_hash = std::string(64, 'a');
  e.schedule = Json::array({Json{{"ordinal", 0}, {"arm", "off"}}});
  e.method_version = "1";
  e.program_version = "0.1.0";
  e.host = Json{{"cpus", 2}};
  e.simulated = true;
  e.engine = "emulator";
  e.model = "qwen3-0.6b";
  e.created = created;
  e.tags = {"first", "odd \"tag\""};
  return e;
}

inline SessionRecord sample_session(int ordinal, int attempt = 1) {
  SessionRecord s;
  s.ordinal = ordinal;
  s.attempt = attempt;
  s.arm = ordinal % 2 ? "on" : "off";
  s.pair = ordinal / 2;
  s.argv = {"kvcliff-emulator", "--port", "1"};
  s.env_set = {{"PYTHONUNBUFFERED", "1"}};
  s.env_unset = {"LD_LIBRARY_PATH"};
  s.url = "http://127.0.0.1:1";
  s.pid = 77;
  s.exit_code = 0;
  s.effective.block_size = 16;
  s.effective.from["block_size"] = "log line 3";
  s.capabilities["sources"] = {true, "vllm:prompt_tokens_by_source"};
  s.preflight = Json::array({Json{{"id", "port"}, {"state", "pass"}}});
  return s;
}

/// A request in which every field differs from its default.
inline RequestRecord sample_request(std::int64_t session, int ordinal, int events = 3) {
  RequestRecord r;
  r.id = journal::request_id(session, ordinal);
  r.session = session;
  r.plan.ordinal = ordinal;
  r.plan.document = ordinal % 6;
  r.plan.round = 1 + ordinal / 6;
  r.plan.prompt_tokens = 2003;
  r.plan.output_tokens = 16;
  r.plan.prompt_hash = std::string(64, 'b');
  r.plan.block_hashes = {1, 0xffffffffffffffffULL, static_cast<std::uint64_t>(ordinal)};
  r.plan.planned_send = 5;
  r.plan.revisit_distance = 750;
  r.plan.predicted.computed = PredictedCount::exact(3);
  r.plan.predicted.gpu_hit = {0, 16, 7.5, "the order of a transfer job is random"};
  r.plan.predicted.host_loaded = PredictedCount::exact(2000);
  r.plan.predicted.stored_blocks = PredictedCount::exact(1);
  const MonoNs t0 = 1'000'000'000'000 + ordinal * 10'000'000LL;
  r.sent = {t0, 1'790'000'000'000'000'000 + ordinal};
  StreamRecord& s = r.stream;
  s.http_status = 200;
  s.outcome = Outcome::complete;
  s.transport_clean = s.saw_done = s.ids_returned = true;
  s.finish_reason = "length";
  s.times = {t0 - 5, t0 - 4, t0, t0 + 1, t0 + 2, t0 + 3, t0 + 3, t0 + 4, t0 + 4, t0 + 9000, t0 + 9999};
  for (int i = 0; i < events; ++i)
    s.events.push_back({t0 + 4 + i * 1000, static_cast<std::uint32_t>(200 + i % 3),
                        i % 5 ? EventKind::token : EventKind::empty, static_cast<std::uint16_t>(i % 5 ? 1 : 0)});
  s.usage.prompt_tokens = 2003;
  s.usage.completion_tokens = 16;
  s.usage.cached_tokens = 2000;
  s.usage.cached_by_tier = {{"host", 2000}};
  s.usage.details_seen = true;
  s.usage.blocks = 1;
  s.usage.raw = R"({"prompt_tokens":2003})";
  s.token_ids = {1, -1, 151'000};
  s.text = "a\xc3\xa9";
  s.reasoning_text = "why";
  s.content_events = events;
  s.request_id = "cmpl-1";
  s.engine_timings = {{"queue_time_ms", 0.25}};
  s.warnings = {"late"};
  s.raw = "data: {}\n\n";
  r.scrape_before = 1;
  r.scrape_after = 2;
  r.settled = true;
  r.settle_polls = 4;
  r.settle_ns = 123;
  r.delta.values = {{"prompt_tokens", 2003}};
  r.delta.by_label = {{"prompt_tokens_by_source", {{"local_compute", 3}}}};
  r.delta.first_seen = {"external_prefix_cache_hits"};
  r.sources.computed = {Tokens(3), Provenance::counter, "by_source"};
  r.sources.gpu_hit = {Tokens(0), Provenance::counter, "by_source"};
  r.sources.host_loaded = {Tokens(2000), Provenance::derived, "prompt - rest"};
  r.sources.unknown = {std::nullopt, Provenance::none, "not reported"};
  r.loaded_bytes = Bytes(229'376'000);
  r.bytes_from = "kv_offload_load_bytes";
  return r;
}

}  // namespace kvcliff::test
