// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <compare>
#include <cstdint>
#include <nlohmann/json.hpp>

namespace kvcliff {

/// A count with a unit. Counts of one unit add and subtract; different units do not mix; `v` is the plain number.
/// Signed, because differences (residuals) are counts too.
template <class Tag>
struct Count {
  std::int64_t v = 0;

  constexpr Count() = default;
  constexpr explicit Count(std::int64_t value) : v(value) {}

  constexpr auto operator<=>(const Count&) const = default;
  constexpr Count operator+(Count o) const { return Count(v + o.v); }
  constexpr Count operator-(Count o) const { return Count(v - o.v); }
  constexpr Count operator-() const { return Count(-v); }
  constexpr Count operator*(std::int64_t k) const { return Count(v * k); }
  constexpr Count& operator+=(Count o) { v += o.v; return *this; }
  constexpr Count& operator-=(Count o) { v -= o.v; return *this; }
};

using Tokens = Count<struct TokensTag>;
using Blocks = Count<struct BlocksTag>;
using Bytes = Count<struct BytesTag>;

/// Whole blocks that hold `t` tokens completely (rounds down). `block_size` in tokens, > 0.
constexpr Blocks full_blocks(Tokens t, std::int64_t block_size) { return Blocks(t.v / block_size); }
/// Blocks that `t` tokens occupy (rounds up).
constexpr Blocks blocks_for(Tokens t, std::int64_t block_size) { return Blocks((t.v + block_size - 1) / block_size); }
constexpr Tokens tokens_of(Blocks b, std::int64_t block_size) { return Tokens(b.v * block_size); }

/// Counts are plain integers in JSON.
template <class Tag>
void to_json(nlohmann::json& j, const Count<Tag>& c) { j = c.v; }
template <class Tag>
void from_json(const nlohmann::json& j, Count<Tag>& c) { c.v = j.template get<std::int64_t>(); }

}  // namespace kvcliff
