// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/inspect.h"

#include <ostream>

namespace kvcliff::cli {

CLI::App* inspect_command(CLI::App& app) {
  for (CLI::App* sub : app.get_subcommands([](CLI::App* s) { return s->get_name() == "inspect"; })) return sub;
  CLI::App* sub = app.add_subcommand("inspect", "What the parsers make of a recording");
  sub->require_subcommand(1);
  return sub;
}

OrderedJson stream_json(const StreamRecord& r, bool timed) {
  const wire::StreamFigures f = wire::figures_of(r);
  const auto since = [&](MonoNs at) -> OrderedJson {
    if (!timed || at == 0 || r.times.t0 == 0 || at < r.times.t0) return nullptr;
    return static_cast<double>(at - r.times.t0) * 1e-6;
  };
  const std::string no_times = timed ? "" : "the recording has no times";
  OrderedJson j;
  j["outcome"] = to_string(r.outcome);
  j["transport"] = r.transport_clean ? "clean" : "cut";
  if (r.why.empty()) j["why"] = nullptr;
  else j["why"] = r.why;
  if (r.http_status != 0) j["http_status"] = r.http_status;
  std::int64_t events = 0, comments = 0, odd = 0;
  for (const auto& e : r.events) ++(e.kind == EventKind::comment ? comments : events);
  for (const auto& e : r.events) odd += e.kind == EventKind::other;
  j["events"] = events;
  j["comments"] = comments;
  j["content_events"] = r.content_events;
  j["other_events"] = odd;
  j["output_tokens"] = f.output_tokens ? OrderedJson(*f.output_tokens) : OrderedJson(nullptr);
  if (!f.output_tokens) j["output_tokens_why"] = f.output_tokens_why;
  j["tokens_per_event"] = f.tokens_per_event ? OrderedJson(*f.tokens_per_event) : OrderedJson(nullptr);
  j["text"] = r.text;
  j["reasoning_text"] = r.reasoning_text;
  j["finish_reason"] = r.finish_reason.empty() ? OrderedJson(nullptr) : OrderedJson(r.finish_reason);
  j["saw_done"] = r.saw_done;
  j["parse_errors"] = r.parse_errors;
  j["ttft_ms"] = since(r.times.first_token);
  if (j["ttft_ms"].is_null()) j["ttft_why"] = r.content_events == 0 ? "there was no token" : no_times;
  j["header_ms"] = since(r.times.header);
  j["first_event_ms"] = since(r.times.first_event);
  j["first_content_ms"] = since(r.times.first_content);
  j["last_token_ms"] = since(r.times.last_token);
  j["end_ms"] = since(r.times.end);
  j["time_per_token_ms"] = f.time_per_token_ms ? OrderedJson(*f.time_per_token_ms) : OrderedJson(nullptr);
  if (!f.time_per_token_ms) j["time_per_token_why"] = f.time_per_token_why;
  // The one "why" of the contract: the outcome's reason, and for a complete stream the reason of a missing figure.
  if (r.why.empty() && !f.time_per_token_ms) j["why"] = f.time_per_token_why;
  j["tokens_per_second"] = f.tokens_per_second ? OrderedJson(*f.tokens_per_second) : OrderedJson(nullptr);
  j["peak_tokens_per_second"] = f.peak_tokens_per_second ? OrderedJson(*f.peak_tokens_per_second) : OrderedJson(nullptr);
  if (!f.peak_tokens_per_second) j["peak_why"] = f.peak_why;
  j["peak_window_s"] = f.peak_window_s;
  if (r.usage.blocks > 0) {
    OrderedJson u;
    const auto put = [&](const char* key, const std::optional<std::int64_t>& v) {
      if (v) u[key] = *v;
      else u[key] = nullptr;
    };
    put("prompt_tokens", r.usage.prompt_tokens);
    put("completion_tokens", r.usage.completion_tokens);
    put("total_tokens", r.usage.total_tokens);
    if (r.usage.cached_tokens) {
      u["cached_tokens"] = *r.usage.cached_tokens;
    } else {
      u["cached_tokens"] = nullptr;
      u["why"] = r.usage.details_seen ? "the server does not know the cached tokens"
                                      : "the usage has no prompt_tokens_details (engines leave it out at 0, or when not asked to send it)";
    }
    if (!r.usage.cached_by_tier.empty()) u["cached_by_tier"] = r.usage.cached_by_tier;
    j["usage"] = u;
  } else {
    j["usage"] = nullptr;
    j["usage_why"] = "the stream held no usage";
  }
  if (!r.error_message.empty() || r.error_code != 0 || (r.http_status != 0 && (r.http_status < 200 || r.http_status > 299))) {
    OrderedJson e;
    if (r.http_status != 0) e["status"] = r.http_status;
    if (r.error_code != 0) e["code"] = r.error_code;
    e["message"] = r.error_message;
    j["http_error"] = e;
  }
  if (!r.token_ids.empty()) j["token_ids"] = r.token_ids;
  if (!r.request_id.empty()) j["request_id"] = r.request_id;
  if (!r.engine_timings.empty()) j["engine_timings"] = r.engine_timings;
  j["warnings"] = r.warnings;
  return j;
}

void print_stream(std::ostream& out, const OrderedJson& j) {
  for (const auto& [key, value] : j.items()) {
    if (value.is_null() || (value.is_string() && value.get<std::string>().empty()) || (value.is_array() && value.empty())) continue;
    out << key << ": ";
    if (value.is_string()) out << value.get<std::string>();
    else out << value.dump();
    out << '\n';
  }
}

}  // namespace kvcliff::cli
