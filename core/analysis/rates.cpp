// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/linear.h"

namespace kvcliff::analysis {

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
