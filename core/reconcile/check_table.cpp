// SPDX-License-Identifier: GPL-3.0-or-later
#include "reconcile/check_table.h"

#include <array>

#include "reconcile/checks.h"

namespace kvcliff::reconcile {
namespace {
using namespace checks;

CheckInfo on_request(std::string_view id, std::string_view title, std::string_view unit, std::string_view needs,
                     CheckResult (*f)(const RequestContext&)) {
  CheckInfo c;
  c.id = id;
  c.title = title;
  c.unit = unit;
  c.needs = needs;
  c.request = f;
  return c;
}

CheckInfo on_session(std::string_view id, std::string_view title, std::string_view unit, std::string_view needs,
                     CheckResult (*f)(const ExperimentInput&, const SessionInput&)) {
  CheckInfo c;
  c.id = id;
  c.title = title;
  c.unit = unit;
  c.needs = needs;
  c.session = f;
  return c;
}

std::array<CheckInfo, 21> make_table() {
  auto r7 = on_request("R7", "Bytes stored are the newly stored blocks", "bytes", "stored bytes, KV bytes per token", stored_bytes);
  r7.session = stored_bytes_session;
  auto r15 = on_session("R15", "The server runs what the plan says, and arms differ only as declared", "settings",
                        "configuration in the log or in info metrics", configuration);
  r15.experiment = arms_differ_in_offload_only;
  auto r17 = on_request("R17", "Times are possible, and the client was not late", "ms", "", clocks);
  r17.session = client_lag;
  r17.counts_for_reconciled = false;
  CheckInfo r18;
  r18.id = "R18";
  r18.title = "The tier does not change the outputs";
  r18.unit = "share";
  r18.needs = "output token ids or text, two sessions of an equal arm";
  r18.pairs = equal_outputs;
  auto r21 = on_request("R21", "A source claim agrees with its latency", "ms", "at least 4 computed and 4 cached requests of one length",
                        latency_claim);
  r21.flag = true;
  r21.counts_for_reconciled = false;
  return {on_request("R1", "Computed, GPU hit and host loaded make up the prompt", "tokens", "prompt tokens by source", token_identity),
          on_request("R2", "Prompt tokens sent, in usage and in the counter agree", "tokens", "usage or the prompt token counter", prompt_length),
          on_request("R3", "Loaded tokens times KV bytes per token are the bytes loaded", "bytes", "loaded bytes, KV bytes per token", loaded_bytes),
          on_request("R4", "cached_tokens is GPU hit plus host loaded", "tokens", "cached_tokens in usage", cached_tokens),
          on_request("R5", "External hits are the tokens booked as loaded", "tokens", "external prefix cache hits", external_hits),
          on_request("R6", "Look-ups are the prompt, and the tier is asked for the rest", "tokens", "prefix cache queries, vLLM 0.27 or later", look_ups),
          r7,
          on_request("R8", "Hits and loads are whole blocks", "tokens", "hits, block size", whole_blocks),
          on_request("R9", "Only our request is in the window", "requests", "finished requests or prompt tokens", exclusive_window),
          on_request("R10", "No preemption, failed allocation or skipped store", "events", "num_preemptions", no_disturbance),
          on_session("R11", "One process of ours, whose counters only grow", "-", "process start time, two scrapes", one_process),
          on_request("R12", "The stream is complete and its tokens are counted", "tokens", "usage", stream_complete),
          on_request("R13", "Predicted sources are the measured ones", "tokens", "prompt tokens by source", prediction),
          on_session("R14", "Requests add up to the session's counters", "tokens, bytes", "first and last scrape", session_totals),
          r15,
          on_session("R16", "Every document is cold on its first visit", "tokens", "hits per request", cold_start),
          r17,
          r18,
          on_session("R19", "KV events agree with the counters", "blocks", "published KV events", kv_events),
          on_request("R20", "Two generations of a byte counter agree", "bytes", "both generations exported", generations_agree),
          r21};
}
}  // namespace

std::span<const CheckInfo> check_table() {
  static const auto table = make_table();
  return table;
}

const CheckInfo* find_check(std::string_view id) {
  for (const auto& c : check_table())
    if (c.id == id) return &c;
  return nullptr;
}

const SessionInput* server_kept_from(const ExperimentInput& input, const SessionInput& session) {
  const SessionInput* found = nullptr;
  for (const auto& s : input.sessions) {
    if (&s == &session) break;
    if (session.record.pid != 0 && s.record.pid == session.record.pid && s.record.stop.is_object() && s.record.stop.value("kept", false))
      found = &s;
  }
  return found;
}

std::vector<const SessionInput*> compared_sessions(const ExperimentInput& input) {
  std::vector<const SessionInput*> out;
  for (const auto& s : input.sessions)
    if (s.compared()) out.push_back(&s);
  return out;
}

}  // namespace kvcliff::reconcile
