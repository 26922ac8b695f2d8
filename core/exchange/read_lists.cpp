// SPDX-License-Identifier: GPL-3.0-or-later
// Tools that write one object per request: AIPerf, GuideLLM, inference-perf.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "exchange/fields.h"
#include "exchange/foreign_result.h"

namespace kvcliff::exchange {
namespace {

/// Seconds in one unit of an AIPerf metric; without a word it is milliseconds. Nullopt: a unit that is no time we know.
std::optional<double> unit_seconds(const Json& metric) {
  if (!metric.is_object()) return 1e-3;
  std::string unit = text(metric, {"unit"});
  for (char& c : unit) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  static const std::map<std::string, double> scale{
      {"", 1e-3}, {"ns", 1e-9}, {"us", 1e-6}, {"\u00b5s", 1e-6}, {"\u03bcs", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"min", 60},
      {"nsec", 1e-9}, {"usec", 1e-6}, {"msec", 1e-3}, {"sec", 1}, {"nanosecond", 1e-9}, {"microsecond", 1e-6}, {"millisecond", 1e-3},
      {"second", 1}, {"minute", 60}, {"nanoseconds", 1e-9}, {"microseconds", 1e-6}, {"milliseconds", 1e-3}, {"seconds", 1}, {"minutes", 60}};
  const auto at = scale.find(unit);
  return at == scale.end() ? std::nullopt : std::optional(at->second);
}

/// An AIPerf metric in seconds: {"value","unit"}, or a plain number of milliseconds. A unit that is not known is added to
/// `unknown`, and its value is left out: a time that is off by a thousand is worse than none.
std::optional<double> seconds(const Json& metrics, const char* name, std::set<std::string>& unknown) {
  const Json* m = member(metrics, name);
  if (!m) return std::nullopt;
  const auto v = m->is_number() ? std::optional(m->get<double>()) : number(*m, {"value"});
  if (!v) return std::nullopt;
  const auto unit = unit_seconds(*m);
  if (!unit) unknown.insert(fmt::format("{} in \"{}\"", name, text(*m, {"unit"})));
  return unit ? std::optional(*v * *unit) : std::nullopt;
}

std::optional<std::int64_t> amount(const Json& metrics, const char* name) {
  const Json* m = member(metrics, name);
  if (!m) return std::nullopt;
  const auto v = m->is_number() ? std::optional(m->get<double>()) : number(*m, {"value"});
  return v && *v >= 0 ? std::optional(static_cast<std::int64_t>(*v)) : std::nullopt;
}

std::optional<WallNs> wall(std::optional<double> unix_seconds) {
  // Before 2001 it is no wall clock but a counter.
  return unix_seconds && *unix_seconds > 978'307'200 ? std::optional(static_cast<WallNs>(*unix_seconds * 1e9)) : std::nullopt;
}

void finish(ForeignResult& out) {
  for (const auto& r : out.requests)
    if (r.sent_wall && (!out.when || *r.sent_wall < *out.when)) out.when = r.sent_wall;
}

}  // namespace

Result<ForeignResult> read_aiperf(const std::vector<Json>& records, const std::string&) {
  ForeignResult out;
  out.tool = "AIPerf";
  std::map<std::string, int> conversations;
  std::set<std::string> unknown;
  int warmup = 0;
  for (const auto& j : records) {
    const Json& meta = *member(j, "metadata");
    const Json& metrics = *member(j, "metrics");
    if (text(meta, {"benchmark_phase"}) == "warmup") {
      ++warmup;
      continue;
    }
    ForeignRequest r;
    r.id = text(meta, {"x_request_id"});
    if (const auto start = number(meta, {"request_start_ns"})) {
      r.sent_s = *start / 1e9;
      r.sent_wall = wall(*start / 1e9);
    }
    if (const auto name = text(meta, {"conversation_id", "session_id"}); !name.empty())
      r.conversation = conversations.try_emplace(name, static_cast<int>(conversations.size())).first->second;
    if (const auto turn = count(meta, {"turn_index"})) r.turn = static_cast<int>(*turn);
    r.prompt_tokens = amount(metrics, "input_sequence_length");
    r.output_tokens = amount(metrics, "output_sequence_length");
    r.ttft_s = seconds(metrics, "time_to_first_token", unknown);
    r.total_s = seconds(metrics, "request_latency", unknown);
    if (const Json* gaps = member(metrics, "inter_chunk_latency")) {
      const Json& values = gaps->is_object() && member(*gaps, "value") ? *member(*gaps, "value") : *gaps;
      const auto of_all = unit_seconds(*gaps);
      if (!of_all) unknown.insert(fmt::format("inter_chunk_latency in \"{}\"", text(*gaps, {"unit"})));
      if (values.is_array())
        for (const auto& g : values) {
          const auto unit = g.is_object() && member(g, "unit") ? unit_seconds(g) : of_all;
          if (const auto v = g.is_number() ? std::optional(g.get<double>()) : number(g, {"value"}); v && unit) r.gaps_s.push_back(*v * *unit);
        }
    }
    if (const Json* error = member(j, "error")) {
      r.outcome = Outcome::error;
      r.error = text(*error, {"message", "type"});
      if (r.error.empty()) r.error = "failed";
    } else if (const Json* cancelled = member(meta, "was_cancelled"); cancelled && cancelled->is_boolean() && cancelled->get<bool>()) {
      r.outcome = Outcome::cancelled;
    } else if (!r.ttft_s) {
      r.outcome = Outcome::truncated;
    }
    out.requests.push_back(std::move(r));
  }
  if (warmup > 0) out.notes.push_back(fmt::format("{} warm-up requests are left out", warmup));
  for (const auto& u : unknown) out.notes.push_back(fmt::format("{} is no unit of time that is known here; these values are left out", u));
  finish(out);
  return out;
}

Result<ForeignResult> read_guidellm(const Json& j, const std::string& where) {
  ForeignResult out;
  out.tool = "GuideLLM";
  const Json& benchmarks = *member(j, "benchmarks");
  if (!benchmarks.is_array() || benchmarks.empty())
    return fail(ErrorCode::bad_usage, "The result holds no benchmark", where, "benchmarks is empty", "Run GuideLLM to its end");
  if (benchmarks.size() > 1) out.notes.push_back(fmt::format("the file holds {} benchmarks of different load; the first is imported", benchmarks.size()));
  const Json* requests = member(benchmarks.front(), "requests");
  if (!requests || !requests->is_object())
    return fail(ErrorCode::bad_usage, "The result holds no single requests", where, "it was saved without them", "Let GuideLLM write its full JSON output");
  for (const auto& [name, outcome] : {std::pair("successful", Outcome::complete), std::pair("incomplete", Outcome::truncated), std::pair("errored", Outcome::error)}) {
    const Json* list = member(*requests, name);
    if (!list || !list->is_array()) continue;
    for (const auto& q : *list) {
      ForeignRequest r;
      r.id = text(q, {"request_id"});
      r.outcome = outcome;
      r.error = text(q, {"error"});
      r.prompt_tokens = count(q, {"prompt_tokens"});
      r.output_tokens = count(q, {"output_tokens"});
      const auto start = number(q, {"request_start_time", "start_time"}), end = number(q, {"request_end_time", "end_time"});
      const auto first = number(q, {"first_token_time", "first_iteration"});
      r.sent_s = start;
      r.sent_wall = wall(start);
      if (const auto ms = number(q, {"time_to_first_token_ms"})) r.ttft_s = *ms / 1e3;
      else if (start && first && *first >= *start) r.ttft_s = *first - *start;
      if (start && end && *end >= *start) r.total_s = *end - *start;
      if (r.outcome == Outcome::complete && !r.ttft_s) r.outcome = Outcome::truncated;
      out.requests.push_back(std::move(r));
    }
  }
  std::stable_sort(out.requests.begin(), out.requests.end(), [](const auto& a, const auto& b) { return a.sent_s.value_or(0) < b.sent_s.value_or(0); });
  if (const Json* args = member(benchmarks.front(), "args")) out.model = text(*args, {"model"});
  finish(out);
  return out;
}

Result<ForeignResult> read_inference_perf(const Json& list, const std::string&) {
  ForeignResult out;
  out.tool = "inference-perf";
  for (const auto& q : list) {
    ForeignRequest r;
    const auto start = number(q, {"start_time"}), end = number(q, {"end_time"});
    r.sent_s = start;
    r.sent_wall = wall(start);
    if (start && end && *end >= *start) r.total_s = *end - *start;
    if (const Json* error = member(q, "error")) {
      r.outcome = Outcome::error;
      r.error = error->is_string() ? error->get<std::string>() : text(*error, {"error_msg", "message", "error_type"});
      if (r.error.empty()) r.error = "failed";
    }
    // Older files keep the counts in `info` itself, newer ones in two objects of it.
    const Json empty = Json::object();
    const Json& info = member(q, "info") ? *member(q, "info") : empty;
    const Json& response = member(info, "response_metrics") ? *member(info, "response_metrics") : info;
    const Json& request = member(info, "request_metrics") ? *member(info, "request_metrics") : info;
    r.prompt_tokens = count(member(request, "text") ? *member(request, "text") : request, {"input_tokens"});
    r.output_tokens = count(response, {"output_tokens"});
    if (const Json* times = member(response, "output_token_times"); times && times->is_array() && start) {
      std::optional<double> before;
      for (const auto& t : *times) {
        const auto v = number(&t);
        if (!v) continue;
        if (!before) r.ttft_s = *v - *start;
        else r.gaps_s.push_back(*v - *before);
        before = v;
      }
    }
    if (r.outcome == Outcome::complete && !r.ttft_s) r.outcome = Outcome::truncated;
    out.requests.push_back(std::move(r));
  }
  finish(out);
  return out;
}

}  // namespace kvcliff::exchange
