// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <cmath>

#include "analysis/decision.h"
#include "analysis/rates.h"

namespace kvcliff::analysis {
namespace {
using reconcile::ExperimentInput;

OrderedJson interval(const Interval& v) { return {{"estimate", v.estimate}, {"low", v.low}, {"high", v.high}}; }

OrderedJson absent(const std::string& why) { return {{"estimate", nullptr}, {"why", why}}; }

OrderedJson effect_json(const ArmEffect& e) {
  OrderedJson j{{"basis", e.basis},
                {"degrees_of_freedom", e.degrees_of_freedom},
                {"session_sd", e.residual_sd},
                {"least_squares", interval(e.least_squares)},
                {"pairs", e.pairs ? interval(*e.pairs) : OrderedJson(nullptr)},
                {"pair_ratios", e.pair_ratios},
                {"matched_visits_per_session", e.matched_visits},
                {"unmatched_visits", e.unmatched_visits},
                {"baseline_ms", e.baseline_ms},
                {"treatment_ms", e.treatment_ms},
                {"difference_ms", e.difference_ms()},
                {"saving_percent", saving(e.baseline_ms, e.treatment_ms).percent},
                {"baseline_median_ms", e.baseline_median_ms},
                {"treatment_median_ms", e.treatment_median_ms}};
  OrderedJson sessions = OrderedJson::array();
  for (const auto& s : e.sessions)
    sessions.push_back({{"session", s.label},
                        {"treatment", s.treatment},
                        {"pair", s.pair},
                        {"position", s.position},
                        {"visits", s.visits},
                        {"geometric_mean_ms", s.geometric_mean_ms},
                        {"median_ms", s.median_ms},
                        {"sd_log", s.sd_log}});
  j["session_means"] = std::move(sessions);
  return j;
}

OrderedJson gates_json(const std::vector<Gate>& gates) {
  OrderedJson out = OrderedJson::array();
  for (const auto& g : gates) out.push_back({{"id", g.id}, {"state", to_string(g.state)}, {"why", g.why}});
  return out;
}

OrderedJson control_json(const Decision& d) {
  if (!d.control) return {{"gpu_hit_ms", nullptr}, {"why", d.control_why}};
  OrderedJson j{{"gpu_hit_ms", d.control->gpu_hit_ms}, {"gpu_hit_median_ms", d.control->gpu_hit_median_ms},
                {"sessions", d.control->sessions},     {"requests", d.control->requests},
                {"note", d.control->note}};
  j["gpu_hit_tokens_a_revisit"] = d.control->gpu_hit_tokens;
  j["loaded_tokens_a_revisit"] = d.control->loaded_tokens ? OrderedJson(*d.control->loaded_tokens) : OrderedJson(nullptr);
  if (!d.withdrawn()) j["gpu_hit_below_host_load_below_compute"] = d.control->as_expected ? OrderedJson(*d.control->as_expected) : OrderedJson(nullptr);
  return j;
}
}  // namespace

OrderedJson decision_json(const ExperimentInput& input, const Evaluation& e) {
  const Decision& d = e.decision;
  const bool hidden = d.withdrawn();
  const std::string withheld = "withheld: the claim is withdrawn";
  const auto or_null = [&](bool present, OrderedJson value, const std::string& why) {
    if (hidden) return OrderedJson{{"estimate", nullptr}, {"why", withheld}};
    return present ? value : absent(why);
  };
  OrderedJson j{{"verdict", to_string(d.verdict)}, {"why", d.why}};
  const auto& effect = d.effect.effect;
  j["ratio"] = or_null(effect.has_value(), effect ? interval(effect->ratio) : OrderedJson(), d.effect.why);
  j["sessions"] = d.sessions;
  j["degrees_of_freedom"] = effect ? OrderedJson(effect->degrees_of_freedom) : OrderedJson(nullptr);
  if (hidden) j["minimum_detectable_effect"] = {{"ratio_below", nullptr}, {"why", withheld}};
  else if (d.detectable) j["minimum_detectable_effect"] = OrderedJson(Json(*d.detectable));
  else j["minimum_detectable_effect"] = {{"ratio_below", nullptr}, {"why", d.effect.why}};
  j["order_effect"] = or_null(effect.has_value(),
                              effect ? OrderedJson{{"unit", "share per session"},
                                                   {"estimate", effect->position.estimate},
                                                   {"low", effect->position.low},
                                                   {"high", effect->position.high}}
                                     : OrderedJson(),
                              d.effect.why);
  if (d.gain && !hidden)
    j["gain_split"] = {{"off_ms", d.gain->off_ms},
                       {"on_ms", d.gain->on_ms},
                       {"gpu_hit_ms", d.gain->gpu_hit_ms},
                       {"not_computing_ms", d.gain->not_computing_ms},
                       {"loading_ms", d.gain->loading_ms},
                       {"saved_ms", d.gain->not_computing_ms - d.gain->loading_ms}};
  else
    j["gain_split"] = {{"not_computing_ms", nullptr}, {"loading_ms", nullptr}, {"why", d.gain_why}};
  j["ttft_model"] = d.ttft.model ? OrderedJson(Json(*d.ttft.model)) : OrderedJson(nullptr);
  if (!d.ttft.model) j["ttft_model_why"] = d.ttft.why;
  j["break_even_tokens"] = d.break_even.value ? OrderedJson(Json(*d.break_even.value)) : OrderedJson(nullptr);
  if (!d.break_even.value) j["break_even_tokens_why"] = d.break_even.why;
  j["control"] = control_json(d);
  OrderedJson limits = OrderedJson::array();
  for (const auto& l : d.not_established) limits.push_back({{"what", l.what}, {"why", l.why}});
  j["not_established"] = std::move(limits);

  // Beyond the contract: what stands beside the headline.
  j["cliff"] = d.cliff ? OrderedJson(Json(*d.cliff)) : OrderedJson(nullptr);
  j["experiment"] = input.run_id;
  j["plan_hash"] = input.plan_hash;
  j["method_version"] = reconcile::method_version;
  j["simulated"] = input.simulated;
  if (input.simulated) j["times_origin"] = input.times_origin;
  j["smallest_effect"] = input.plan.smallest_effect;
  j["arms"] = {{"baseline", d.baseline_arm}, {"treatment", d.treatment_arm}};
  j["effect"] = hidden ? OrderedJson{{"why", withheld}} : effect ? effect_json(*effect) : OrderedJson{{"why", d.effect.why}};
  j["first_visits"] = or_null(d.first_visits.effect.has_value(), d.first_visits.effect ? interval(d.first_visits.effect->ratio) : OrderedJson(),
                              d.first_visits.why);
  if (!hidden && !d.first_visit_caution.empty()) j["first_visits"]["caution"] = d.first_visit_caution;
  if (!hidden && d.bootstrap) {
    j["if_sessions_did_not_differ"] = interval(*d.bootstrap);
    j["if_sessions_did_not_differ"]["how"] = "bootstrap within sessions, 2,000 samples; too narrow whenever sessions differ";
  }
  if (!hidden && d.pairs_needed) j["pairs_that_would_settle_it"] = OrderedJson(Json(*d.pairs_needed));
  OrderedJson times = OrderedJson::array();
  for (const auto& t : d.total_time) times.push_back({{"arm", t.arm}, {"sessions", t.sessions}, {"mean_total_s", t.mean_total_s}});
  j["total_time"] = std::move(times);
  j["gates"] = gates_json(d.gates);
  j["warnings"] = d.warnings;
  return j;
}

namespace {
OrderedJson count_or_null(const MeasuredTokens& m, OrderedJson& why, const char* name) {
  if (m.value) return m.value->v;
  why[name] = m.from.empty() ? "not reported" : m.from;
  return nullptr;
}

// Null where nothing was judged.
OrderedJson residual_of(const CheckResult& c) { return OrderedJson(Json(c).at("residual")); }

OrderedJson request_json(const ExperimentInput& input, const reconcile::RequestChecks& q) {
  const auto& s = input.sessions[q.session];
  const auto& r = s.requests[q.request];
  OrderedJson why = OrderedJson::object();
  OrderedJson j{{"session", s.record.ordinal},
                {"ordinal", r.plan.ordinal},
                {"document", r.plan.document},
                {"round", r.plan.round},
                {"prompt_tokens", r.plan.prompt_tokens}};
  j["computed"] = count_or_null(r.sources.computed, why, "computed");
  j["gpu_hit"] = count_or_null(r.sources.gpu_hit, why, "gpu_hit");
  j["host_loaded"] = count_or_null(r.sources.host_loaded, why, "host_loaded");
  j["unknown"] = r.sources.unknown.value ? OrderedJson(r.sources.unknown.value->v) : OrderedJson(nullptr);
  if (!r.sources.unknown.value) why["unknown"] = r.sources.unknown.from.empty() ? "not reported" : r.sources.unknown.from;
  const auto bytes = [&](const std::optional<Bytes>& b, const char* name) -> OrderedJson {
    if (b) return b->v;
    why[name] = r.bytes_from.empty() ? "not reported" : r.bytes_from;
    return nullptr;
  };
  j["loaded_bytes"] = bytes(r.loaded_bytes, "loaded_bytes");
  j["stored_bytes"] = bytes(r.stored_bytes, "stored_bytes");
  j["cached_tokens"] = r.stream.usage.cached_tokens ? OrderedJson(*r.stream.usage.cached_tokens) : OrderedJson(nullptr);
  if (!r.stream.usage.cached_tokens) why["cached_tokens"] = "not in the answer";
  const auto ttft = r.stream.ttft();
  j["ttft_ns"] = ttft ? OrderedJson(*ttft) : OrderedJson(nullptr);
  if (!ttft) why["ttft_ns"] = "no token, or an impossible time";
  j["outcome"] = to_string(r.stream.outcome);
  const auto& p = r.plan.predicted;
  if (p.computed.max > 0)
    j["predicted"] = {{"computed", OrderedJson(Json(p.computed))}, {"gpu_hit", OrderedJson(Json(p.gpu_hit))}, {"host_loaded", OrderedJson(Json(p.host_loaded))}};
  else
    j["predicted"] = nullptr, why["predicted"] = "no prediction was made";
  OrderedJson checks = OrderedJson::object();
  for (const auto& c : q.checks) {
    checks[c.id] = {{"state", to_string(c.state)}, {"residual", residual_of(c)}};
    if (!c.why.empty()) checks[c.id]["why"] = c.why;
  }
  j["checks"] = std::move(checks);
  if (!why.empty()) j["why"] = std::move(why);
  return j;
}
}  // namespace

OrderedJson reconcile_json(const ExperimentInput& input, const Evaluation& e, bool with_requests) {
  const auto& r = e.reconciliation;
  OrderedJson j{{"experiment", input.run_id},
                {"plan_hash", input.plan_hash},
                {"method_version", reconcile::method_version},
                {"simulated", input.simulated}};
  OrderedJson sessions = OrderedJson::array();
  const auto add_session = [&](const SessionRecord& s, std::int64_t requests, const std::string& engine) {
    OrderedJson row{{"ordinal", s.ordinal}, {"attempt", s.attempt},   {"arm", s.arm},
                    {"state", to_string(s.state)}, {"requests", requests}, {"engine", engine},
                    {"version", s.effective.engine_version.empty() ? OrderedJson(nullptr) : OrderedJson(s.effective.engine_version)}};
    if (s.effective.engine_version.empty()) row["why"] = s.why.empty() ? "the engine did not state its version" : s.why;
    else if (!s.why.empty()) row["why"] = s.why;
    sessions.push_back(std::move(row));
  };
  for (const auto& s : input.sessions) {
    const auto measured = std::count_if(s.requests.begin(), s.requests.end(), [](const RequestRecord& q) { return !q.plan.warmup; });
    add_session(s.record, measured, input.plan.engine.adapter);
  }
  for (const auto& s : input.others) add_session(s, 0, input.plan.engine.adapter);
  j["sessions"] = std::move(sessions);
  j["requests"] = r.measured;
  j["reconciled"] = r.reconciled;
  OrderedJson checks = OrderedJson::array();
  for (const auto& t : r.totals)
    checks.push_back({{"id", t.id},
                      {"pass", t.pass},
                      {"fail", t.fail},
                      {"not_possible", t.not_possible},
                      {"not_settled", t.not_settled},
                      {"not_applicable", t.not_applicable}});
  j["checks"] = std::move(checks);
  const auto sum = [](double v, const std::string& unknown) { return unknown.empty() ? OrderedJson(static_cast<std::int64_t>(std::llround(v))) : OrderedJson(nullptr); };
  j["unexplained"] = {{"tokens", sum(r.unexplained_tokens, r.tokens_unknown)}, {"bytes", sum(r.unexplained_bytes, r.bytes_unknown)}};
  if (!r.tokens_unknown.empty()) j["unexplained"]["why"]["tokens"] = r.tokens_unknown;
  if (!r.bytes_unknown.empty()) j["unexplained"]["why"]["bytes"] = r.bytes_unknown;
  j["gates"] = gates_json(e.decision.gates);
  j["never_possible"] = r.never_possible();
  OrderedJson ledger = OrderedJson::array();
  for (const auto& l : r.ledger) ledger.push_back(OrderedJson(Json(l)));
  j["ledger"] = std::move(ledger);
  if (with_requests) {
    OrderedJson measured = OrderedJson::array(), warmup = OrderedJson::array();
    for (const auto& q : r.requests) (q.warmup ? warmup : measured).push_back(request_json(input, q));
    j["request_list"] = std::move(measured);
    j["warmup_list"] = std::move(warmup);
    OrderedJson whole = OrderedJson::array();
    const auto add = [&](const CheckResult& c, OrderedJson subject) {
      subject["id"] = c.id;
      subject["state"] = to_string(c.state);
      subject["residual"] = residual_of(c);
      subject["why"] = c.why;
      whole.push_back(std::move(subject));
    };
    for (const auto& s : r.sessions)
      for (const auto& c : s.checks) add(c, {{"session", input.sessions[s.session].record.ordinal}});
    for (const auto& p : r.pairs) add(p.check, {{"pair", p.pair}});
    for (const auto& c : r.experiment) add(c, {{"experiment", input.run_id}});
    j["session_checks"] = std::move(whole);
  }
  return j;
}

}  // namespace kvcliff::analysis
