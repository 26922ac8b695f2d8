// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kvcliff::emulator {

/// A made-up tokenizer: " w1202" is token 1202, other text becomes one token per four bytes of a word, ids 258..2047.
std::vector<std::int32_t> tokenize(std::string_view text);
std::string detokenize(std::int32_t token);
/// Token i of the answer: depends on the prompt and on i only, so that repeats give the same answer.
std::int32_t output_token(std::uint64_t prompt_hash, std::int64_t i);
/// Continues the chain of block keys over `tokens` with what has become full; the salt is part of the first key.
void extend_keys(std::vector<std::uint64_t>& keys, std::span<const std::int32_t> tokens, std::int64_t block_size,
                 std::string_view salt);

}  // namespace kvcliff::emulator
