// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>

#include "base/hash.h"
#include "workload/requests.h"

namespace kvcliff::workload {

inline constexpr std::int64_t id_count = last_token_id - first_token_id + 1;
inline constexpr std::int64_t half_ids = id_count / 2;  // even ids start what is measured, odd ids start warm-up prompts
inline constexpr double most_total_tokens = 5e8;        // two gigabytes of token ids

/// Seeds of the independent sequences that make up a workload.
enum Stream : std::uint64_t { prefix_stream = 1, document_stream = 2, warmup_stream = 3, order_stream = 4, trace_stream = 5 };
inline std::uint64_t stream(std::uint64_t seed, std::uint64_t kind, std::uint64_t index) {
  const std::uint64_t parts[3]{seed, kind, index};
  return hash64(parts, sizeof parts);
}

inline std::int32_t any_id(Rng& rng) {
  return first_token_id + static_cast<std::int32_t>(rng.below(static_cast<std::uint64_t>(id_count)));
}

/// The first token of a prompt decides which family it belongs to: that alone keeps warm-up and measured prompts apart
/// for every block size, because keys are chained from the first block.
inline std::int32_t first_id(Rng& rng, bool warmup) {
  return first_token_id + 2 * static_cast<std::int32_t>(rng.below(static_cast<std::uint64_t>(half_ids))) + (warmup ? 1 : 0);
}

}  // namespace kvcliff::workload
