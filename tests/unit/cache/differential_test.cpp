// SPDX-License-Identifier: GPL-3.0-or-later
// The simulator against a second, independently written cache, and what must hold for every workload.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "base/hash.h"
#include "cache/predict.h"
#include "cache/simulator.h"
#include "support/naive_cache.h"

namespace kvcliff::cache {
namespace {

/// A random tree of prompts: documents that share prefixes, exact multiples of the block size, repeats.
std::vector<Request> workload(Rng& rng, int count, std::int64_t block, std::int64_t longest) {
  struct Document {
    std::vector<std::uint64_t> tokens;
  };
  std::vector<Document> documents;
  for (std::uint64_t d = 0, n = 3 + rng.below(8); d < n; ++d) {
    Document doc;
    if (!documents.empty() && rng.below(3) == 0) {
      const auto& other = documents[rng.below(documents.size())].tokens;
      doc.tokens.assign(other.begin(), other.begin() + static_cast<std::ptrdiff_t>(rng.below(other.size() + 1)));
    }
    std::uint64_t size = 1 + rng.below(static_cast<std::uint64_t>(longest));
    if (rng.below(3) == 0) size = (size / static_cast<std::uint64_t>(block) + 1) * static_cast<std::uint64_t>(block);
    while (doc.tokens.size() < size + 24) doc.tokens.push_back(rng.next());
    documents.push_back(std::move(doc));
  }
  std::vector<Request> out;
  for (int i = 0; i < count; ++i) {
    const auto& t = documents[rng.below(documents.size())].tokens;
    Request r;
    r.prompt_tokens = static_cast<std::int64_t>(rng.below(4) ? t.size() - 24 : 1 + rng.below(t.size() - 24));
    r.output_tokens = 1 + static_cast<std::int64_t>(rng.below(3) ? 0 : rng.below(20));
    std::uint64_t parent = 0;
    for (std::size_t at = 0; at + static_cast<std::size_t>(block) <= static_cast<std::size_t>(r.prompt_tokens + r.output_tokens); at += static_cast<std::size_t>(block))
      r.keys.push_back(parent = hash64(&t[at], static_cast<std::size_t>(block) * 8, parent));
    out.push_back(std::move(r));
  }
  return out;
}

Config random_config(Rng& rng) {
  Config c;
  c.block_size = rng.below(2) ? 16 : 4;
  c.gpu_blocks = 4 + static_cast<std::int64_t>(rng.below(60));
  c.host_chunks = rng.below(5) ? 1 + static_cast<std::int64_t>(rng.below(80)) : 0;
  c.blocks_per_chunk = rng.below(3) ? 1 : 2 + static_cast<std::int64_t>(rng.below(3));
  c.free_order = rng.below(2) ? FreeOrder::prepend : FreeOrder::append;
  c.host_touch = rng.below(2) ? HostTouch::finish : HostTouch::lookup;
  // ARC only with recency at look-up: its rules at the finish are those of one release and have tests of their own.
  c.policy = c.host_touch == HostTouch::finish || rng.below(2) ? Policy::lru : Policy::arc;
  c.offload_prompt_only = rng.below(2) != 0;
  c.protect_input_keys = rng.below(4) != 0;
  c.offers_last_token = true;  // the naive cache offers all known tokens at the end, whatever the release
  c.max_batched_tokens = rng.below(2) ? 0 : c.block_size * static_cast<std::int64_t>(1 + rng.below(6)) + static_cast<std::int64_t>(rng.below(3));
  if (rng.below(6) == 0) {
    c.store_threshold = 2;
    c.threshold_counts_offers = rng.below(2) != 0;
  }
  return c;
}

TEST(Differential, TheSimulatorAgreesWithTheNaiveCacheOnRandomWorkloads) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    Rng rng(seed);
    const Config c = random_config(rng);
    const auto requests = workload(rng, 40, c.block_size, c.block_size * std::min<std::int64_t>(c.gpu_blocks - 2, 30));
    Simulator fast(c);
    test::NaiveCache slow(c);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (fast.misfit(requests[i])) continue;
      if (rng.below(30) == 0) {
        fast.reset_gpu();
        slow.reset_gpu();
      }
      const Outcome a = fast.run_fitting(requests[i]);
      const auto b = slow.run(requests[i]);
      const auto text = [](const auto& o) { return fmt::format("{} {} {} stored", o.computed, o.gpu_hit, o.host_loaded); };
      ASSERT_TRUE(a.computed == b.computed && a.gpu_hit == b.gpu_hit && a.host_loaded == b.host_loaded && a.stored_chunks == b.stored)
          << "seed " << seed << " request " << i << " n " << requests[i].prompt_tokens << " m " << requests[i].output_tokens << ": " << text(a)
          << " " << a.stored_chunks << " against " << text(b) << " " << b.stored << "; N " << c.gpu_blocks << " C " << c.host_chunks
          << " B " << c.block_size << " k " << c.blocks_per_chunk << " finish " << (c.host_touch == HostTouch::finish) << " arc "
          << (c.policy == Policy::arc) << " chunked " << c.max_batched_tokens << " prompt only " << c.offload_prompt_only << " threshold "
          << c.store_threshold << " protect " << c.protect_input_keys;
      ++compared;
    }
  }
  EXPECT_GT(compared, 30'000);
}

}  // namespace
}  // namespace kvcliff::cache
