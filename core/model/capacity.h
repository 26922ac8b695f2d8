// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "base/result.h"
#include "base/units.h"
#include "model/layout.h"

namespace kvcliff::model {

/// Blocks that `available` bytes per GPU give, as the engine logs them: the null block is included, and every rank uses the
/// smallest count of all. Errors: unsupported with the layout's reason.
Result<Blocks> gpu_blocks(const KvLayout& layout, Bytes available_per_rank);
/// One block (id 0) is taken out of the pool at start and never holds tokens.
constexpr Blocks usable(Blocks logged) { return Blocks(logged.v > 0 ? logged.v - 1 : 0); }

/// Blocks that one request of `tokens` occupies, over all groups. Windows need `max_batched_tokens` (> 0), because a sliding
/// layer is bounded by window - 1 + that many tokens; without it such a layout is refused.
Result<Blocks> blocks_for_request(const KvLayout& layout, Tokens tokens, std::int64_t max_batched_tokens = 0);
/// The start-up error's "needed memory" of one request of `tokens`, bytes per GPU (largest rank).
Result<Bytes> needed_bytes(const KvLayout& layout, Tokens tokens, std::int64_t max_batched_tokens = 0);
/// The longest request that fits (the engine's binary search), 0 when none does. At most `limit`.
Result<Tokens> longest_request(const KvLayout& layout, Bytes available_per_rank, Tokens limit, std::int64_t max_batched_tokens = 0);

/// How the line "GPU KV cache size: N tokens" is made: blocks / groups x block size up to v0.20, concurrency x max_model_len since v0.21.
enum class TokenLine { blocks_over_groups, concurrency };
Result<Tokens> logged_tokens(const KvLayout& layout, Blocks logged, TokenLine line, Tokens max_model_len = Tokens(0), std::int64_t max_batched_tokens = 0);
/// "Maximum concurrency": blocks over blocks per request at max_model_len.
Result<double> concurrency(const KvLayout& layout, Blocks logged, Tokens max_model_len, std::int64_t max_batched_tokens = 0);

/// Bytes of one block over all ranks (copies counted): what one host chunk of one block carries.
std::int64_t block_bytes_all_ranks(const KvLayout& layout);
/// Host chunks of `blocks_per_chunk` blocks that `host` bytes (all ranks) hold; a chunk is rounded up to 4,096 bytes.
Result<Blocks> host_chunks(const KvLayout& layout, Bytes host, std::int64_t blocks_per_chunk = 1);

/// Host memory that is really pinned for a tier of that size: one tensor per cache tensor and rank, each rounded up to a power of
/// two (measured: 2.2 GiB asked, 3.5 GiB pinned). `single_tensor`: the V1 runner's one tensor per rank.
Result<Bytes> pinned_host_bytes(const KvLayout& layout, Bytes host, std::int64_t blocks_per_chunk = 1, bool single_tensor = false);

}  // namespace kvcliff::model
