// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The reference experiment as an honest engine leaves it: 78 measured requests, every number consistent. Tests change
// one thing and look at what notices. Header only: values, no library.
#include <cmath>

#include "reconcile/input.h"

namespace kvcliff::test {

struct HonestOptions {
  int pairs = 2;
  double ratio = 0.35;              ///< TTFT of a host load over computing
  double noise = 0.01;              ///< of log TTFT, deterministic
  std::string version = "0.32.0 (simulated)";
  double drift = 0;                 ///< of log TTFT per session
};

inline constexpr std::int64_t kv_bytes = 114'688, block = 16, prompt = 2003, hit = 2000, output = 16;

class HonestRun {
 public:
  explicit HonestRun(HonestOptions o = {}) : options_(o) {
    in.run_id = "0011223344556677";
    in.name = "reference";
    in.plan_hash = std::string(64, 'a');
    in.method_version = "1";
    in.program_version = "0.1.0";
    in.created = "2026-12-01T12:00:00.000000Z";
    in.simulated = true;
    in.times_origin = "assumed";
    in.plan.name = "reference";
    in.plan.capacity.host_bytes = 1250LL * kv_bytes * block;
    in.plan.arms = {{"off", false, {}}, {"on", true, {}}, {"control", false, {{"workload.documents", 2}}}};
    in.plan.schedule.pairs = o.pairs;
    int ordinal = 0;
    for (int p = 0; p < o.pairs; ++p)
      for (int k = 0; k < 2; ++k) add_session(ordinal++, (p % 2 == 0) == (k == 1) ? "on" : "off", p);
    add_session(ordinal, "control", -1);
  }

  reconcile::ExperimentInput in;

  /// A measured request of a session by its place (document, round from 1).
  RequestRecord& request(std::size_t session, int document, int round) {
    for (auto& r : in.sessions.at(session).requests)
      if (!r.plan.warmup && r.plan.document == document && r.plan.round == round) return r;
    throw std::runtime_error("no such request");
  }

  /// After changing deltas: the last scrape as the sum of the windows.
  void recount(std::size_t session) { close(in.sessions.at(session)); }

 private:
  void add_session(int ordinal, const std::string& arm, int pair) {
    reconcile::SessionInput s;
    s.plan = in.plan;
    s.plan.workload.documents = arm == "control" ? 2 : 6;
    s.offload = arm == "on";
    s.kv = {kv_bytes, "28 layers x 8 heads x 128 x 2 x 2 bytes"};
    auto& rec = s.record;
    rec.id = ordinal + 1;
    rec.ordinal = ordinal;
    rec.arm = arm;
    rec.pair = pair;
    rec.state = SessionState::finished;
    rec.changes = {{SessionState::launching, {1'000'000'000, 1'700'000'000'000'000'000 + ordinal * 60'000'000'000LL}, {}}};
    rec.argv = {"/usr/bin/vllm", "serve", "qwen3-0.6b", "--port", std::to_string(18000 + ordinal), "--block-size", "16",
                "--num-gpu-blocks-override", "385", "--enable-prompt-tokens-details"};
    if (s.offload) rec.argv.insert(rec.argv.end(), {"--kv-offloading-size", "2.13623046875", "--kv-offloading-backend", "native"});
    rec.effective.engine_version = options_.version;
    rec.effective.simulated = true;
    rec.effective.block_size = 16;
    rec.effective.gpu_blocks = 385;
    rec.effective.gpu_tokens = 385 * 16;
    rec.effective.offload = s.offload;
    if (s.offload) rec.effective.host_bytes = in.plan.capacity.host_bytes;
    rec.effective.model = "qwen3-0.6b";
    rec.capabilities["usage"] = {true, "usage in the last chunk"};
    rec.capabilities["cached_tokens"] = {true, "prompt_tokens_details.cached_tokens"};

    CounterSnapshot first;
    first.http_status = 200;
    first.engine = "vllm";
    first.process_start = 1'700'000'000.5 + ordinal * 60;
    for (const char* name : {"prompt_tokens", "generation_tokens", "prefix_cache_queries", "prefix_cache_hits",
                             "external_prefix_cache_queries", "external_prefix_cache_hits", "request_success", "num_preemptions"})
      first.readings[name].series = std::string("vllm:") + name + "_total";
    first.readings["prompt_tokens_by_source"].by_label = {{"local_compute", 0}, {"local_cache_hit", 0}, {"external_kv_transfer", 0}};
    if (s.offload)
      for (const char* name : {"kv_offload_load_bytes", "kv_offload_store_bytes", "kv_offload_allocation_failure"})
        first.readings[name].series = std::string("vllm:") + name + "_total";
    s.identity = first;

    MonoNs clock = 10'000'000'000LL + ordinal * 1'000'000'000'000LL;
    int n = 0;
    add_request(s, n++, -1, -1, true, clock, ordinal);
    for (int round = 1; round <= 3; ++round)
      for (int d = 0; d < s.plan.workload.documents; ++d) add_request(s, n++, d, round, false, clock, ordinal);
    close(s);
    in.sessions.push_back(std::move(s));
  }

  void add_request(reconcile::SessionInput& s, int ordinal, int document, int round, bool warmup, MonoNs& clock, int session) {
    RequestRecord r;
    r.id = (s.record.id << 32) | ordinal;
    r.session = s.record.id;
    r.plan.ordinal = ordinal;
    r.plan.document = document;
    r.plan.round = round;
    r.plan.warmup = warmup;
    r.plan.prompt_tokens = prompt;
    r.plan.output_tokens = output;
    r.plan.prompt_hash = warmup ? "warm" + std::to_string(session) : "document" + std::to_string(document);
    const bool again = round >= 2 && !warmup;
    const bool host = again && s.offload, gpu = again && s.record.arm == "control";
    const std::int64_t computed = host || gpu ? prompt - hit : prompt;
    const std::int64_t g = gpu ? hit : 0, h = host ? hit : 0, stored = s.offload && !host ? hit / block : 0;
    r.plan.predicted = {PredictedCount::exact(computed), PredictedCount::exact(g), PredictedCount::exact(h), PredictedCount::exact(stored)};
    r.settled = true;
    r.settle_polls = 2;
    r.scrape_before = ordinal + 1;
    r.scrape_after = ordinal + 2;
    auto& d = r.delta.values;
    d["prompt_tokens"] = prompt;
    d["generation_tokens"] = output;
    d["prompt_tokens_by_source"] = prompt;
    d["prefix_cache_queries"] = prompt;
    d["prefix_cache_hits"] = static_cast<double>(g);
    d["external_prefix_cache_queries"] = s.offload ? static_cast<double>(prompt - g) : 0;
    d["external_prefix_cache_hits"] = static_cast<double>(h);
    d["request_success"] = 1;
    d["num_preemptions"] = 0;
    d["num_requests_running"] = 0;
    r.delta.by_label["prompt_tokens_by_source"] = {{"local_compute", static_cast<double>(computed)},
                                                   {"local_cache_hit", static_cast<double>(g)},
                                                   {"external_kv_transfer", static_cast<double>(h)}};
    if (s.offload) {
      d["kv_offload_load_bytes"] = static_cast<double>(h * kv_bytes);
      d["kv_offload_store_bytes"] = static_cast<double>(stored * block * kv_bytes);
      d["kv_offload_allocation_failure"] = 0;
      r.loaded_bytes = Bytes(h * kv_bytes);
      r.stored_bytes = Bytes(stored * block * kv_bytes);
      r.bytes_from = "vllm:kv_offload_load_bytes_total";
    } else {
      r.bytes_from = "no tier";
    }
    r.sources.computed = {Tokens(computed), Provenance::counter, "prompt_tokens_by_source{local_compute}"};
    r.sources.gpu_hit = {Tokens(g), Provenance::counter, "prompt_tokens_by_source{local_cache_hit}"};
    r.sources.host_loaded = {Tokens(h), Provenance::counter, "prompt_tokens_by_source{external_kv_transfer}"};
    r.sources.unknown = {Tokens(0), Provenance::derived, "prompt - sources"};

    auto& st = r.stream;
    st.http_status = 200;
    st.outcome = Outcome::complete;
    st.transport_clean = st.saw_done = true;
    st.finish_reason = "length";
    st.usage.prompt_tokens = prompt;
    st.usage.completion_tokens = output;
    st.usage.total_tokens = prompt + output;
    st.usage.cached_tokens = g + h;
    st.usage.details_seen = true;
    st.usage.blocks = 1;
    st.ids_returned = true;
    for (int i = 0; i < output; ++i) st.token_ids.push_back(1000 + document * 50 + i);
    const double wobble = options_.noise * std::sin(static_cast<double>(ordinal * 7 + session * 13));
    const double ms = (host ? 83.0 * options_.ratio : gpu ? 18.0 : 83.0) * std::exp(wobble + options_.drift * session);
    auto& t = st.times;
    t.queued = clock;
    t.connected = clock + 10'000;
    t.t0 = clock + 20'000;
    t.request_written = t.t0 + 50'000;
    t.first_token = t.t0 + static_cast<MonoNs>(ms * 1e6);
    t.header = t.first_byte = t.first_event = t.first_token;
    t.first_content = t.first_token;
    t.last_token = t.first_token + 15 * 3'000'000;
    t.end = t.last_token + 100'000;
    for (int i = 0; i < output; ++i) st.events.push_back({t.first_token + i * 3'000'000, 180, EventKind::token, 1});
    st.content_events = output;
    r.sent = {t.t0, 1'700'000'000'000'000'000 + t.t0};
    clock = t.end + 200'000'000;
    s.requests.push_back(std::move(r));
  }

  static void close(reconcile::SessionInput& s) {
    CounterSnapshot last = *s.identity;
    for (const auto& r : s.requests) {
      for (const auto& [name, v] : r.delta.values)
        if (name != "num_requests_running") last.readings[name].value += v;
      for (const auto& [name, labels] : r.delta.by_label)
        for (const auto& [label, v] : labels) last.readings[name].by_label[label] += v;
    }
    s.last = std::move(last);
  }

  HonestOptions options_;
};

}  // namespace kvcliff::test
