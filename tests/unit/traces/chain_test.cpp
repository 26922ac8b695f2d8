// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/trace_chain.h"

#include <gtest/gtest.h>

#include <map>

#include "base/hash.h"

namespace kvcliff::workload {
namespace {

TEST(ChainTable, NumbersEachPairOfParentAndIdOnceInOrderOfFirstUse) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Rng rng(seed);
    ChainTable table;
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> known;
    // Small ids, ids beyond the array that it later grows over, and ids of 64 bits.
    const std::uint64_t spread = seed % 4 == 0 ? 200 : seed % 4 == 1 ? 100'000 : seed % 4 == 2 ? 400'000 : 1ull << 40;
    for (int i = 0; i < 20'000; ++i) {
      std::uint32_t parent = ChainTable::none;
      for (std::uint64_t k = 0, n = rng.below(4); k <= n; ++k) {
        const std::uint64_t raw = rng.below(spread) * (seed % 8 == 7 ? 0x100000001ull : 1);
        const auto [it, fresh] = known.try_emplace({parent, raw}, static_cast<std::uint32_t>(known.size()));
        ASSERT_EQ(table.next(parent, raw), it->second) << seed;
        parent = it->second;
        ASSERT_EQ(table.raws()[parent], raw);
      }
    }
    ASSERT_EQ(table.size(), known.size());
  }
}

}  // namespace
}  // namespace kvcliff::workload
