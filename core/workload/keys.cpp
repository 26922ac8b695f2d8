// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/keys.h"

#include "base/hash.h"

namespace kvcliff::workload {

std::uint64_t next_key(std::uint64_t parent, std::span<const std::int32_t> block) {
  return hash64(block.data(), block.size_bytes(), parent ^ 0x6b76636c69666631ULL);
}

std::vector<std::uint64_t> block_keys(std::span<const std::int32_t> prompt, std::int64_t block_size) {
  std::vector<std::uint64_t> keys;
  const auto step = static_cast<std::size_t>(block_size);
  keys.reserve(prompt.size() / step);
  std::uint64_t parent = 0;
  for (std::size_t at = 0; at + step <= prompt.size(); at += step)
    keys.push_back(parent = next_key(parent, prompt.subspan(at, step)));
  return keys;
}

std::string prompt_hash(std::span<const std::int32_t> prompt) {
  std::string bytes;
  bytes.reserve(prompt.size() * 4);
  for (const std::int32_t id : prompt) {
    const auto u = static_cast<std::uint32_t>(id);
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(u >> shift & 0xff);
  }
  return sha256_hex(bytes);
}

}  // namespace kvcliff::workload
