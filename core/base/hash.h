// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace kvcliff {

/// SHA-256 (FIPS 180-4) of the bytes, as 32 bytes or 64 lower-case hex digits.
std::array<std::uint8_t, 32> sha256(std::string_view bytes);
std::string sha256_hex(std::string_view bytes);
std::string to_hex(std::span<const std::uint8_t> bytes);

/// Fast 64-bit hash (xxHash XXH3), for tables and chains of our own; not for anything that is shown or exported.
std::uint64_t hash64(const void* data, std::size_t size, std::uint64_t seed = 0);

/// splitmix64: a small seeded generator whose sequence is the same on every machine and library.
/// std:: distributions differ between libraries, so `below` and `unit` are its own.
class Rng {
 public:
  explicit Rng(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  /// Uniform in [0, n), n > 0, without modulo bias.
  std::uint64_t below(std::uint64_t n);
  /// Uniform in [0, 1).
  double unit();
  /// Standard normal (Box-Muller).
  double normal();

 private:
  std::uint64_t state_;
};

}  // namespace kvcliff
