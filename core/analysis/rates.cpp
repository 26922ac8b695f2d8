// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/linear.h"

namespace kvcliff::analysis {

OutputRate output_rate(std::vector<TokenArrival> a, std::optional<std::int64_t> stated, double window_s) {
  OutputRate out;
  out.window_s = window_s;
  std::int64_t seen = 0;
  for (const auto& e : a) seen += e.tokens;
  out.output_tokens = stated.value_or(seen);
  if (a.size() < 2) {
    out.why = "fewer than two token events: there is no span to divide by";
    return out;
  }
  const double share = seen > 0 ? static_cast<double>(out.output_tokens) / static_cast<double>(seen)
                                : static_cast<double>(out.output_tokens) / static_cast<double>(a.size());
  const auto tokens_of = [&](const TokenArrival& e) { return seen > 0 ? static_cast<double>(e.tokens) * share : share; };
  std::sort(a.begin(), a.end(), [](const TokenArrival& x, const TokenArrival& y) { return x.at_ms < y.at_ms; });
  out.span_s = (a.back().at_ms - a.front().at_ms) / 1000;
  if (!(out.span_s > 0)) {
    out.why = "all tokens arrived at once";
    return out;
  }
  out.average_tokens_per_s = (static_cast<double>(out.output_tokens) - tokens_of(a.front())) / out.span_s;
  if (out.span_s < window_s) {
    out.why = fmt::format("the stream is shorter than the window of {:g} s", window_s);
    return out;
  }
  // Windows end at an event: the best one always does. The first event's tokens are left out here too.
  double best = 0, sum = 0;
  std::size_t from = 1;
  for (std::size_t i = 1; i < a.size(); ++i) {
    sum += tokens_of(a[i]);
    while (a[i].at_ms - a[from].at_ms >= window_s * 1000) sum -= tokens_of(a[from++]);
    best = std::max(best, sum / window_s);
  }
  // Over a span of several windows some window reaches the average; rounding must not show less.
  out.peak_tokens_per_s = std::max(best, *out.average_tokens_per_s);
  return out;
}

FirstRequest first_request(const std::vector<double>& ttft_ms) {
  FirstRequest out;
  if (ttft_ms.size() < 3) return out;
  const double rest = median({ttft_ms.begin() + 1, ttft_ms.end()});
  if (!(rest > 0)) return out;
  out.factor = ttft_ms.front() / rest;
  out.suspicious = out.factor > 3;
  if (out.suspicious) out.warning = fmt::format("first request took {:.1f} times the median of the others", out.factor);
  return out;
}

PromptLength prompt_length(std::int64_t wished, std::optional<std::int64_t> usage, std::optional<std::int64_t> counter) {
  PromptLength out;
  out.tokens = usage ? usage : counter;
  out.from_counter = !usage && counter;
  if (!out.tokens || wished <= 0) return out;
  out.off_percent = 100.0 * static_cast<double>(*out.tokens - wished) / static_cast<double>(wished);
  out.warning = std::fabs(out.off_percent) > 1;
  return out;
}

Saving saving(double cold_ms, double warm_ms, std::optional<double> bytes, std::optional<double> load_s) {
  Saving s;
  s.ms = cold_ms - warm_ms;
  s.percent = cold_ms > 0 ? 100 * s.ms / cold_ms : 0;
  if (bytes && load_s && *load_s > 0) s.load_bytes_per_s = *bytes / *load_s;
  return s;
}

}  // namespace kvcliff::analysis
