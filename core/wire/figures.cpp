// SPDX-License-Identifier: GPL-3.0-or-later
// Rates of a stream. They count tokens, never events: by ids where they came, else by usage and an equal share per event.
#include <algorithm>

#include "wire/recording.h"

namespace kvcliff::wire {
namespace {

struct Point {
  MonoNs at;
  double tokens;
};

/// Highest number of tokens in any window that ends at an event, as a rate. The window is half open (from, from + length].
double peak_rate(const std::vector<Point>& points, double window_s) {
  const auto window = static_cast<MonoNs>(window_s * 1e9);
  double sum = 0, best = 0;
  std::size_t first = 0;
  for (const auto& p : points) {
    sum += p.tokens;
    while (points[first].at <= p.at - window) sum -= points[first++].tokens;
    best = std::max(best, sum);
  }
  return best / window_s;
}

}  // namespace

StreamFigures figures_of(const StreamRecord& r) {
  StreamFigures f;
  if (r.ids_returned)
    f.output_tokens = static_cast<std::int64_t>(r.token_ids.size());
  if (r.usage.completion_tokens && (!r.ids_returned || r.token_ids.empty())) f.output_tokens = *r.usage.completion_tokens;
  if (!f.output_tokens) f.output_tokens_why = "the server returned neither usage nor token ids";
  if (f.output_tokens && r.content_events > 0)
    f.tokens_per_event = static_cast<double>(*f.output_tokens) / static_cast<double>(r.content_events);

  const auto& t = r.times;
  const auto none = [&](const char* why) {
    f.time_per_token_why = why;
    f.peak_why = why;
    return f;
  };
  if (t.first_token == 0) return none(r.content_events > 0 ? "the recording has no times" : "there was no token");
  if (!f.output_tokens) return none("the number of output tokens is not known");
  if (r.content_events < 2) return none("all tokens came in one event");

  // Tokens of the first event: counted by ids, else the equal share per event rounded down to whole tokens.
  std::vector<Point> points;
  points.reserve(static_cast<std::size_t>(r.content_events));
  const double share = *f.tokens_per_event;
  for (const auto& e : r.events)
    if (e.kind == EventKind::token) points.push_back({e.at, r.ids_returned ? static_cast<double>(e.tokens) : share});
  const auto first = r.ids_returned ? static_cast<std::int64_t>(points.front().tokens)
                                    : std::max<std::int64_t>(1, static_cast<std::int64_t>(share));
  const std::int64_t later = *f.output_tokens - first;
  const double span_ms = static_cast<double>(t.last_token - t.first_token) * 1e-6;
  if (later <= 0) return none("there is no token after the first event");
  if (span_ms <= 0) return none("all tokens came at one time");
  f.time_per_token_ms = span_ms / static_cast<double>(later);
  f.tokens_per_second = 1e3 / *f.time_per_token_ms;
  if (span_ms * 1e-3 < f.peak_window_s) {
    f.peak_why = "the stream is shorter than the window";
  } else {
    f.peak_tokens_per_second = peak_rate(points, f.peak_window_s);
    // An average above the peak means that the tokens of single events are not known well enough to say a peak.
    if (*f.peak_tokens_per_second < *f.tokens_per_second) {
      f.peak_tokens_per_second.reset();
      f.peak_why = "the tokens of single events are not known";
    }
  }
  return f;
}

}  // namespace kvcliff::wire
