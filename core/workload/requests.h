// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "workload/keys.h"
#include "workload/spec.h"

namespace kvcliff::workload {

/// Token ids of generated prompts: plain tokens of every tokenizer at hand (ids below 256 are single bytes, which
/// make a detokeniser hold text back).
inline constexpr std::int32_t first_token_id = 258;
inline constexpr std::int32_t last_token_id = 2047;

/// One request of a workload, exact to the token.
struct Prompt {
  int ordinal = 0;                       ///< position in the list, from 0
  int document = -1;                     ///< document or conversation, from 0; -1: none (warm-up)
  int round = -1;                        ///< visit number of this document (turn of a conversation), from 1; -1: none
  bool warmup = false;
  std::int64_t output_tokens = 0;
  std::vector<std::int32_t> tokens;
  std::string hash;                      ///< prompt_hash(tokens)
  std::vector<std::uint64_t> keys;       ///< block_keys(tokens, block_size)
  /// DistanceMeter::request over `keys`: distinct prompt blocks since the last visit, the request's own included, for
  /// the block that waited longest; -1: no block of it was requested before.
  std::int64_t revisit_distance = -1;
};

/// A visit in the order sent.
struct Visit {
  int document = 0;
  int round = 1;
  bool operator==(const Visit&) const = default;
};

/// The order of visits. documents x rounds visits; deterministic from the seed.
///   cyclic   0 1 2 .. 0 1 2 ..          every document is revisited after all others: the sharpest cliff
///   random   each round in an order of its own (every document once a round)
///   zipf     independent draws; document k has weight 1 / (k + 1)^zipf_exponent. Some documents may never occur
///   reverse  0 1 2 .. 2 1 0 0 1 2 ..    each round runs against the one before: the newest is revisited first
/// For kind sessions the visits of one conversation are its turns, in order, whatever the order between conversations.
std::vector<Visit> visits(const Spec& spec);

/// The exact list of requests of a workload; of a trace as prompts_of (trace_prompts.h) makes them. Documents are random token ids of their own: beside
/// `shared_prefix_tokens` no two of them share a block. Turn k of a conversation is its first tokens + (k-1) x turn_tokens
/// tokens: what the model would answer is stood in for by fixed tokens, since the prompt must be known beforehand.
/// Errors: bad_usage (a field out of range, or more documents than the block size can tell apart), those of the trace.
Result<std::vector<Prompt>> realise(const Spec& spec, std::int64_t block_size);

/// Warm-up prompt number `index` (from 0) of `tokens` tokens. It shares no block with any prompt of `realise` nor with
/// another warm-up prompt. `salt` tells servers apart that may still hold an earlier warm-up.
/// Errors: bad_usage (fewer than 1 token, or more prompts than the block size can tell apart).
Result<Prompt> warmup_prompt(const Spec& spec, std::int64_t block_size, std::int64_t tokens, int index,
                             std::uint64_t salt = 0);

}  // namespace kvcliff::workload
