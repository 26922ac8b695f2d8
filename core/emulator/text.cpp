// SPDX-License-Identifier: GPL-3.0-or-later
#include "emulator/text.h"

#include "base/hash.h"
#include "base/text.h"

namespace kvcliff::emulator {
namespace {
std::int32_t word_token(const char* data, std::size_t size, std::uint64_t seed) {
  return static_cast<std::int32_t>(258 + hash64(data, size, seed) % 1790);
}
}  // namespace

std::vector<std::int32_t> tokenize(std::string_view text) {
  std::vector<std::int32_t> out;
  std::size_t i = 0;
  while (i < text.size()) {
    const bool space = text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r';
    std::size_t end = i + (space ? 1 : 0);
    while (end < text.size() && text[end] != ' ' && text[end] != '\n' && text[end] != '\t' && text[end] != '\r') ++end;
    const std::string_view word = text.substr(i, end - i);
    if (word.size() >= 6 && word.substr(0, 2) == " w") {
      const auto id = parse_int(word.substr(2));
      if (id && *id >= 0 && *id < (1 << 30)) {
        out.push_back(static_cast<std::int32_t>(*id));
        i = end;
        continue;
      }
    }
    for (std::size_t at = 0; at < word.size(); at += 4) {
      const std::string_view piece = word.substr(at, 4);
      out.push_back(word_token(piece.data(), piece.size(), at));
    }
    i = end;
  }
  return out;
}

std::string detokenize(std::int32_t token) { return fmt::format(" w{:04d}", token); }

std::int32_t output_token(std::uint64_t prompt_hash, std::int64_t i) {
  return static_cast<std::int32_t>(258 + hash64(&i, sizeof i, prompt_hash) % 1790);
}

void extend_keys(std::vector<std::uint64_t>& keys, std::span<const std::int32_t> tokens, std::int64_t block_size,
                 std::string_view salt) {
  const auto block = static_cast<std::size_t>(block_size);
  while ((keys.size() + 1) * block <= tokens.size()) {
    const std::uint64_t parent = keys.empty() ? hash64(salt.data(), salt.size(), 0x6b76) : keys.back();
    keys.push_back(hash64(tokens.data() + keys.size() * block, block * sizeof(std::int32_t), parent));
  }
}

}  // namespace kvcliff::emulator
