// SPDX-License-Identifier: GPL-3.0-or-later
#include "attribution/conversion.h"

#include <algorithm>

namespace kvcliff::attribution {
namespace {

void lower(PredictedCount& c, std::int64_t by) {
  c.min = std::max<std::int64_t>(0, c.min - by);
  c.max = std::max<std::int64_t>(0, c.max - by);
  c.mean = std::max(0.0, c.mean - static_cast<double>(by));
}

}  // namespace

PredictedSources in_engine_counting(PredictedSources p, std::int64_t prompt_tokens,
                                    const engine::tables::Counting& counting) {
  const bool exact = p.computed.is_exact() && p.gpu_hit.is_exact() && p.host_loaded.is_exact();
  if (exact) {
    const std::int64_t excess = p.computed.min + p.gpu_hit.min + p.host_loaded.min - prompt_tokens;
    if (excess <= 0) return p;
    if (!counting.recomputed_term)
      lower(p.computed, excess);
    else
      lower(p.host_loaded.min >= p.gpu_hit.min ? p.host_loaded : p.gpu_hit, excess);
    return p;
  }
  // A range: only its best case (most hits, least computed) can be the full hit.
  const std::int64_t excess = p.computed.min + p.gpu_hit.max + p.host_loaded.max - prompt_tokens;
  if (excess <= 0) return p;
  if (!counting.recomputed_term)
    p.computed.min = std::max<std::int64_t>(0, p.computed.min - excess);
  else if (PredictedCount& largest = p.host_loaded.max >= p.gpu_hit.max ? p.host_loaded : p.gpu_hit; largest.is_exact())
    lower(largest, excess);
  else
    largest.max -= excess;
  return p;
}

}  // namespace kvcliff::attribution
