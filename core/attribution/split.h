// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>

#include "attribution/attribute.h"

namespace kvcliff::attribution {

struct SplitInput {
  std::optional<std::int64_t> prompt_tokens;
  std::optional<std::int64_t> block_size;
  int requests = 1;
};

/// Fills sources, recomputed, host_transferred and the look-up figures of `out` from `out.delta`. Leaves the sources
/// absent (not reported) when the page has neither sources nor look-ups.
void split_counters(const SplitInput& in, const CounterSnapshot& after, Attribution& out);

/// Block size as cache_config_info states it.
std::optional<std::int64_t> block_size_of(const CounterSnapshot& page);

/// The last-token rule of 0.16 to 0.20: after a full hit the last token is computed again and stands both in computed
/// and in a cached source. Takes `recomputed` off the largest cached source, only as far as the sum really exceeds the
/// prompt, at most one token per request. Returns what was moved.
std::int64_t book_recomputed_once(TokenSources& sources, std::int64_t prompt_tokens, std::int64_t recomputed,
                                  int requests);

}  // namespace kvcliff::attribution
