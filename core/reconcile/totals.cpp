// SPDX-License-Identifier: GPL-3.0-or-later
#include "reconcile/totals.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <set>

#include "reconcile/common.h"

namespace kvcliff::reconcile {
namespace {
const char* unit_of(const std::string& name) {
  if (name.find("bytes") != std::string::npos) return "bytes";
  if (name == "request_success") return "requests";
  if (name == "num_preemptions" || name.find("failure") != std::string::npos) return "events";
  return "tokens";
}

bool serial(const SessionInput& s) { return s.plan.load.mode == plan::LoadSpec::Mode::serial; }

// Under concurrency a request has no window of its own; what its answer states still adds up.
std::optional<double> from_answer(const std::string& name, const RequestRecord& r) {
  const auto& u = r.stream.usage;
  if (name == "prompt_tokens" && u.prompt_tokens) return static_cast<double>(*u.prompt_tokens);
  if (name == "generation_tokens" && u.completion_tokens) return static_cast<double>(*u.completion_tokens);
  if (name == "request_success" && r.stream.outcome == Outcome::complete) return 1.0;
  return std::nullopt;
}

CounterTotal total_of(const SessionInput& s, const std::string& name, const std::string& label, double session) {
  CounterTotal t;
  t.name = label.empty() ? name : fmt::format("{}{{{}}}", name, label);
  t.unit = unit_of(name);
  t.session = session;
  double sum = 0;
  for (const auto& r : s.requests) {
    std::optional<double> v;
    if (serial(s)) v = label.empty() ? r.delta.value(name) : r.delta.value(name, label);
    if (!v && !serial(s) && label.empty()) v = from_answer(name, r);
    // A series that is not there yet counts nothing: lazy children appear with their first sample.
    if (!v && serial(s)) v = 0.0;
    if (!v) {
      t.why = "several requests share each window and the answers do not state it";
      return t;
    }
    sum += *v;
    if (r.plan.warmup) t.warmup += *v;
  }
  t.sum_of_requests = sum;
  return t;
}
}  // namespace

const std::vector<std::string>& accounted_counters() {
  static const std::vector<std::string> names{
      "prompt_tokens",         "generation_tokens",     "prompt_tokens_by_source",       "prefix_cache_queries",
      "prefix_cache_hits",     "external_prefix_cache_queries", "external_prefix_cache_hits", "kv_offload_load_bytes",
      "kv_offload_store_bytes", "request_success",      "num_preemptions",               "kv_offload_allocation_failure"};
  return names;
}

std::vector<CounterTotal> session_counter_totals(const SessionInput& s) {
  std::vector<CounterTotal> out;
  if (!s.identity || !s.last) return out;
  for (const auto& name : accounted_counters()) {
    const auto after = s.last->value(name);
    if (!after) continue;
    if (name == by_source) {
      const auto reading = s.last->readings.find(name);
      if (reading == s.last->readings.end()) continue;
      for (const auto& [label, value] : reading->second.by_label)
        out.push_back(total_of(s, name, label, value - s.identity->value(name, label).value_or(0)));
      continue;
    }
    out.push_back(total_of(s, name, {}, *after - s.identity->value(name).value_or(0)));
  }
  return out;
}

}  // namespace kvcliff::reconcile
