// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kvcliff::workload {

/// Keys of the full blocks of a prompt, `block_size` tokens each (> 0). Each key is chained over everything before it,
/// as engines do: two prompts share key i only when they share their first (i + 1) blocks. A partial last block has none.
std::vector<std::uint64_t> block_keys(std::span<const std::int32_t> prompt, std::int64_t block_size);

/// One link of the chain: the key of a block with these token ids after a block with key `parent` (0 for the first).
std::uint64_t next_key(std::uint64_t parent, std::span<const std::int32_t> block);

/// SHA-256 (hex) over the token ids as little-endian 32-bit integers.
std::string prompt_hash(std::span<const std::int32_t> prompt);

}  // namespace kvcliff::workload
