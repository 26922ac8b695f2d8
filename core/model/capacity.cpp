// SPDX-License-Identifier: GPL-3.0-or-later
// From bytes to blocks to the engine's log lines. Rules: section 1.9 of the KV byte notes.
#include "model/capacity.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "model/derive.h"

namespace kvcliff::model {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0); }

Result<void> predictable(const KvLayout& l) {
  if (!l.capacity_why.empty())
    return fail(ErrorCode::unsupported, "The number of blocks cannot be predicted", l.model, l.capacity_why, "Read it from the engine's log");
  return {};
}

bool states_only(const KvLayout& l) { return l.groups.size() == 1 && l.groups[0].kind == CacheKind::state; }

}  // namespace

Result<Blocks> gpu_blocks(const KvLayout& l, Bytes available) {
  if (auto ok = predictable(l); !ok) return fail(ok.error());
  if (available.v < 0) return fail(ErrorCode::bad_usage, "A negative amount of memory", "--gpu-bytes", {}, "Give the bytes available for the KV cache");
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const auto& r : l.ranks) {
    if (!r.block_bytes) continue;  // a rank without any cache does not limit the others
    least = std::min(least, l.groups.size() > 1 ? available.v / l.page_bytes / r.cache_tensors : available.v / r.block_bytes);
  }
  if (least == std::numeric_limits<std::int64_t>::max())
    return fail(ErrorCode::unsupported, "The model has no cache", l.model, "no layer owns one");
  return Blocks(least);
}

Result<Blocks> blocks_for_request(const KvLayout& l, Tokens tokens, std::int64_t max_batched) {
  if (auto ok = predictable(l); !ok) return fail(ok.error());
  if (tokens.v < 1) return fail(ErrorCode::bad_usage, "A request has at least one token", "tokens");
  const std::int64_t context = std::int64_t{l.options.dcp} * l.options.pcp;
  std::int64_t sum = 0;
  for (const auto& g : l.groups) {
    std::int64_t blocks = 0;
    if (g.kind == CacheKind::state) {
      blocks = l.state->blocks_per_sequence ? l.state->blocks_per_sequence : ceil_div(tokens.v, l.block_size);
    } else if (g.window) {
      if (max_batched < 1)
        return fail(ErrorCode::bad_usage, "The bound of windowed layers is not known", "max_num_batched_tokens",
                    "it is window - 1 + max_num_batched_tokens", "Give --max-num-batched-tokens");
      const std::int64_t reach = g.kind == CacheKind::sliding ? g.window - 1 : g.window;
      const std::int64_t kept = std::min(reach > std::numeric_limits<std::int64_t>::max() - max_batched ? tokens.v : reach + max_batched, tokens.v);
      blocks = ceil_div(kept, g.block_size) + (g.kind == CacheKind::sliding ? 1 : 0);
    } else {
      blocks = ceil_div(ceil_div(tokens.v, context), g.block_size);
    }
    sum += blocks * g.pool_groups;
  }
  return Blocks(sum);
}

Result<Bytes> needed_bytes(const KvLayout& l, Tokens tokens, std::int64_t max_batched) {
  auto blocks = blocks_for_request(l, tokens, max_batched);
  if (!blocks) return fail(blocks.error());
  std::int64_t most = 0;
  for (const auto& r : l.ranks) most = std::max(most, r.block_bytes);
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(most, blocks->v, &bytes)) return fail(ErrorCode::bad_usage, "The request is impossibly long", "tokens");
  return Bytes(bytes);
}

Result<Tokens> longest_request(const KvLayout& l, Bytes available, Tokens limit, std::int64_t max_batched) {
  std::int64_t low = 0, high = limit.v;
  while (low < high) {
    const std::int64_t mid = low + (high - low + 1) / 2;
    auto need = needed_bytes(l, Tokens(mid), max_batched);
    if (!need) return fail(need.error());
    if (need->v <= available.v) low = mid;
    else high = mid - 1;
  }
  return Tokens(low);
}

Result<double> concurrency(const KvLayout& l, Blocks logged, Tokens max_len, std::int64_t max_batched) {
  auto each = blocks_for_request(l, max_len, max_batched);
  if (!each) return fail(each.error());
  return static_cast<double>(logged.v) / static_cast<double>(each->v);
}

Result<Tokens> logged_tokens(const KvLayout& l, Blocks logged, TokenLine line, Tokens max_len, std::int64_t max_batched) {
  if (states_only(l)) return fail(ErrorCode::unsupported, "A model of states only has no tokens in its cache", l.model, "one page per sequence, whatever its length");
  if (line == TokenLine::concurrency) {
    auto c = concurrency(l, logged, max_len, max_batched);
    if (!c) return fail(c.error());
    return Tokens(static_cast<std::int64_t>(*c * static_cast<double>(max_len.v)));
  }
  if (auto ok = predictable(l); !ok) return fail(ok.error());
  std::int64_t groups = 0, block = std::numeric_limits<std::int64_t>::max();
  for (const auto& g : l.groups) {
    groups += g.pool_groups;
    if (g.kind != CacheKind::state) block = std::min(block, g.block_size);
  }
  std::int64_t tokens = 0;
  if (__builtin_mul_overflow(logged.v / groups, block * l.options.dcp * l.options.pcp, &tokens)) return fail(ErrorCode::bad_usage, "The number of blocks is impossibly large", "blocks");
  return Tokens(tokens);
}

std::int64_t block_bytes_all_ranks(const KvLayout& l) {
  std::int64_t sum = 0;
  for (const auto& r : l.ranks) sum += r.block_bytes;
  return sum * l.options.tp;
}

Result<Blocks> host_chunks(const KvLayout& l, Bytes host, std::int64_t per_chunk) {
  if (auto ok = predictable(l); !ok) return fail(ok.error());
  if (per_chunk < 1 || per_chunk > (1 << 16)) return fail(ErrorCode::bad_usage, "Blocks per chunk must be at least 1", "blocks_per_chunk", fmt::format("it is {}", per_chunk));
  if (host.v < 0) return fail(ErrorCode::bad_usage, "A negative amount of memory", "--host-bytes");
  std::int64_t chunk = 0;
  if (__builtin_mul_overflow(block_bytes_all_ranks(l), per_chunk, &chunk) || chunk > std::numeric_limits<std::int64_t>::max() - 4096)
    return fail(ErrorCode::bad_usage, "A chunk would be impossibly large", "blocks_per_chunk");
  if (!chunk) return fail(ErrorCode::unsupported, "The model has no cache", l.model, "no layer owns one");
  return Blocks(host.v / ((chunk + 4095) / 4096 * 4096));
}

Result<Bytes> pinned_host_bytes(const KvLayout& l, Bytes host, std::int64_t per_chunk, bool single_tensor) {
  auto chunks = host_chunks(l, host, per_chunk);
  if (!chunks) return fail(chunks.error());
  if (!chunks->v) return Bytes(0);
  const auto rounded = [](std::int64_t bytes) { return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(bytes))); };
  std::int64_t sum = 0;
  for (const auto& r : l.ranks) {
    if (single_tensor) {
      sum += r.block_bytes ? rounded(chunks->v * per_chunk * r.block_bytes) : 0;
    } else {
      for (const auto page : r.tensor_page_bytes) sum += page ? rounded(chunks->v * per_chunk * page) : 0;
    }
  }
  return Bytes(sum * l.options.tp);
}

}  // namespace kvcliff::model
