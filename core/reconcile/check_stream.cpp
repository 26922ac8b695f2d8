// SPDX-License-Identifier: GPL-3.0-or-later
// R12 and R17: the stream came whole, and its times are possible.
#include <fmt/format.h>

#include <cmath>

#include "reconcile/checks.h"
#include "reconcile/common.h"
#include "reconcile/latency.h"

namespace kvcliff::reconcile::checks {
namespace {
constexpr double ms = 1e6;

std::optional<std::string> impossible_order(const StreamTimes& t) {
  struct Point {
    const char* name;
    MonoNs at;
  };
  const Point points[] = {{"t0", t.t0},           {"request written", t.request_written}, {"response header", t.header},
                          {"first body byte", t.first_byte}, {"first event", t.first_event},         {"first token", t.first_token},
                          {"last token", t.last_token},      {"end", t.end}};
  const Point* last = nullptr;
  for (const auto& p : points) {
    if (p.at == 0) continue;
    if (p.at < 0) return fmt::format("{} has a negative time", p.name);
    if (last && p.at < last->at)
      return fmt::format("{} comes {:.3f} ms before {}", p.name, static_cast<double>(last->at - p.at) / ms, last->name);
    last = &p;
  }
  if (t.connected && t.t0 && t.connected > t.t0) return "the request was sent before its socket was connected";
  return std::nullopt;
}
}  // namespace

// R12. A finish reason, no error, and as many tokens as usage and the counter say. Events are not tokens.
CheckResult stream_complete(const RequestContext& c) {
  const auto& r = c.request;
  const auto& s = r.stream;
  if (cancelled_by_us(r)) return not_applicable("we ended this stream ourselves");
  if (s.outcome != Outcome::complete)
    return failed(static_cast<double>(s.usage.completion_tokens.value_or(0) - r.plan.output_tokens),
                  fmt::format("the stream is {}{}", to_string(s.outcome), s.why.empty() ? "" : ": " + s.why));
  if (s.finish_reason.empty()) return failed(0, "no finish reason was sent");
  if (!s.error_message.empty()) return failed(0, "an error event stood in the stream: " + s.error_message);
  if (s.parse_errors > 0) return failed(static_cast<double>(s.parse_errors), "events that are not JSON stood in the stream");
  if (s.usage.conflicting) return failed(0, "the answer holds two usage objects that contradict each other");
  const auto stated = s.usage.completion_tokens;
  if (!stated && c.experiment.imported) return not_possible("the number of output tokens cannot be confirmed: the tool that measured does not record usage");
  if (!stated) return failed(static_cast<double>(-r.plan.output_tokens), "usage is missing: the number of output tokens cannot be confirmed");
  if (s.ids_returned) {
    std::int64_t ids = static_cast<std::int64_t>(s.token_ids.size());
    if (ids == 0)
      for (const auto& e : s.events) ids += e.tokens;
    if (ids != *stated && (ids > 0 || !s.events.empty() || !s.token_ids.empty()))
      return failed(static_cast<double>(ids - *stated),
                    fmt::format("{} token ids came, usage says {}", ids, *stated));
  }
  if (const auto bad = counters_unusable(c)) return bad->state == CheckState::not_settled ? *bad : passed("answer only: " + bad->why);
  if (const auto counted = r.delta.value("generation_tokens"); counted && std::llround(*counted) != *stated)
    return failed(*counted - static_cast<double>(*stated),
                  fmt::format("usage says {} output tokens, the counter moved by {}", *stated, std::llround(*counted)));
  return passed();
}

// R17 of a request: no negative span, and the engine's own spans fit into ours.
CheckResult clocks(const RequestContext& c) {
  const auto& t = c.request.stream.times;
  if (t.t0 == 0) return not_possible("the request was never sent");
  if (const auto bad = impossible_order(t)) return failed(0, *bad);
  const auto& e = c.request.stream.engine_timings;
  const auto queue = e.find("queue_time_ms"), first = e.find("time_to_first_token_ms");
  if (first != e.end() && t.first_token > 0) {
    const double server = first->second + (queue != e.end() ? queue->second : 0);
    const double ours = static_cast<double>(t.first_token - t.t0) / ms;
    // The engine's span lies inside ours; 1 ms for its rounding.
    if (server > ours + 1)
      return failed(server - ours, fmt::format("the engine states {:.1f} ms to the first token, we saw it after {:.1f} ms", server, ours));
  }
  return passed();
}

// R17 of a session: how late the client itself was, against the difference that the verdict rests on.
CheckResult client_lag(const ExperimentInput& e, const SessionInput& s) {
  const auto lags = client_lags_ms(s);
  if (lags.empty()) return not_possible("no request was sent");
  const double p99 = percentile(lags, 0.99);
  const auto limit = lag_limit_ms(e);
  if (!limit) return passed(fmt::format("p99 of the client's lag is {:.3f} ms; no difference to compare it with", p99));
  if (p99 <= *limit) return passed();
  return failed(p99 - *limit, fmt::format("the client was late by {:.2f} ms (p99), more than a tenth of the effect looked for ({:.2f} ms)",
                                          p99, *limit));
}

}  // namespace kvcliff::reconcile::checks
