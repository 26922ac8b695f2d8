// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace kvcliff::cache {

/// What the partial tail block does in the GPU's free queue when a request ends.
enum class FreeOrder {
  prepend,  ///< goes to the front, reused first (vLLM from 0.23; PR 42656)
  append,   ///< ages in the LRU like a real entry (before)
  none,     ///< no tail block at all (curves of plain LRU)
};

/// When host entries become recent.
enum class HostTouch {
  lookup,     ///< every look-up touches all of the request's host blocks (vLLM up to 0.25)
  unordered,  ///< as lookup, but a transfer job's keys return to the LRU in random order (0.26, live on an H200)
  finish,     ///< once, when the request finishes, for what it loaded or offered (from 0.31, live on a CPU)
};

enum class Policy { lru, arc };
/// A host block that is still being written when it is looked up.
enum class InFlight { miss, defer };
enum class Tier { native, simple, hicache, lmcache };
enum class WritePolicy { write_through, write_through_selective, write_back };  ///< hicache

/// The two-tier prefix cache of one engine, with its version switches.
struct Config {
  std::int64_t block_size = 16;            ///< tokens per GPU block
  std::int64_t gpu_blocks = 0;             ///< usable blocks (the null block is already off)
  std::int64_t host_chunks = 0;            ///< capacity in chunks of `blocks_per_chunk` blocks; 0 = no tier
  std::int64_t blocks_per_chunk = 1;
  FreeOrder free_order = FreeOrder::prepend;
  HostTouch host_touch = HostTouch::finish;
  Policy policy = Policy::lru;
  InFlight in_flight = InFlight::defer;
  Tier tier = Tier::native;
  WritePolicy write_policy = WritePolicy::write_through;
  bool offload_prompt_only = true;
  bool protect_input_keys = true;          ///< keys of the same store call cannot be its victims
  bool stats_once = true;                  ///< look-ups counted once, at admission (from 0.27)
  std::int64_t store_threshold = 0;        ///< 0, 1: store at once
  bool threshold_counts_offers = true;     ///< from 0.30; before: look-ups
  std::int64_t max_batched_tokens = 0;     ///< prefill chunk; 0 = whole prompt in one step
  bool eagle = false;                      ///< drops the last matched block
  std::int64_t lmcache_chunk_tokens = 256;
  bool full_sequence_must_fit = true;      ///< admission asks for room for all known tokens (from 0.19); else first chunk
  /// With offload_prompt_only = false: whether the last sampled token, which has no KV, counts when the end of a request
  /// is offered (seen live in 0.26; 0.32 leaves it out). Absent: as the release of `host_touch` does.
  std::optional<bool> offers_last_token;
  bool lazy_store = false;                 ///< simple connector: its lazy mode
  std::int64_t page_size = 0;              ///< hicache: tokens of a page, a multiple of block_size; 0 = block_size
  bool operator==(const Config&) const = default;
};

/// One request as the cache sees it. `keys` are chained block hashes over prompt and output, full blocks only:
/// the first prompt_tokens / block_size belong to the prompt.
struct Request {
  std::int64_t prompt_tokens = 0;
  std::int64_t output_tokens = 1;
  std::vector<std::uint64_t> keys;
};

}  // namespace kvcliff::cache
