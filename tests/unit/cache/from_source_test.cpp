// SPDX-License-Identifier: GPL-3.0-or-later
// Tiers modelled from source: the lazy connector against a second model, pages of several blocks, reasons of all tiers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/hash.h"
#include "cache/explain.h"
#include "cache/lazy_tier.h"
#include "cache/predict.h"

namespace kvcliff::cache {
namespace {

using testing::HasSubstr;

Request document(std::uint64_t which, std::int64_t tokens, std::int64_t outputs = 1, std::int64_t block = 16) {
  Request r{tokens, outputs, {}};
  std::uint64_t parent = which;
  for (std::int64_t i = 0; i < tokens / block; ++i) r.keys.push_back(parent = hash64(&parent, sizeof parent, which));
  return r;
}
Config of(Tier tier, std::int64_t gpu, std::int64_t host) {
  Config c;
  c.tier = tier;
  c.gpu_blocks = gpu;
  c.host_chunks = host;
  return c;
}
Config lazy(std::int64_t gpu, std::int64_t host, std::int64_t batch = 0) {
  Config c = of(Tier::simple, gpu, host);
  c.lazy_store = true;
  c.max_batched_tokens = batch;
  return c;
}

/// The lazy mode once more, by searching: blocks in vectors, front first, and the next block to look at by its number.
struct NaiveLazy {
  struct Block {
    int number = 0;
    std::uint64_t key = 0;   // 0: none
    int users = 0;
  };
  struct Queue {
    std::vector<Block> all;
    std::vector<int> order;
    explicit Queue(std::int64_t n) {
      for (int i = 0; i < n; ++i) {
        all.push_back({i, 0, 0});
        order.push_back(i);
      }
    }
    void leave(int b) { order.erase(std::find(order.begin(), order.end(), b)); }
  };
  Config c;
  Queue gpu, host;
  std::vector<int> published;  // GPU blocks with a key, in the order in which they got it
  int cursor = -1;
  std::uint64_t nobody = 1ull << 60;

  explicit NaiveLazy(const Config& config) : c(config), gpu(config.gpu_blocks), host(config.host_chunks) {}

  int on_gpu(std::uint64_t key) const {
    for (const int b : published)
      if (gpu.all[static_cast<std::size_t>(b)].key == key) return b;
    return -1;
  }
  int on_host(std::uint64_t key) const {
    for (const Block& b : host.all)
      if (b.key == key) return b.number;
    return -1;
  }
  int take() {
    const int b = gpu.order.front();
    gpu.order.erase(gpu.order.begin());
    Block& k = gpu.all[static_cast<std::size_t>(b)];
    if (k.key != 0) published.erase(std::find(published.begin(), published.end(), b));
    k.key = 0;
    k.users = 1;
    return b;
  }
  std::int64_t step() {
    std::size_t at = 0;
    if (cursor >= 0 && gpu.all[static_cast<std::size_t>(cursor)].users > 0) cursor = -1;
    if (cursor >= 0) at = static_cast<std::size_t>(std::find(gpu.order.begin(), gpu.order.end(), cursor) - gpu.order.begin()) + 1;
    const std::int64_t batch = c.max_batched_tokens > 0 ? c.max_batched_tokens : 8192, most = 2 * ((batch + c.block_size - 1) / c.block_size);
    std::vector<int> copies;
    for (std::int64_t seen = 0; seen < most && at < gpu.order.size() && copies.size() < host.order.size(); ++seen, ++at) {
      cursor = gpu.order[at];
      const auto key = gpu.all[static_cast<std::size_t>(cursor)].key;
      if (key != 0 && on_host(key) < 0) copies.push_back(cursor);
    }
    std::vector<std::pair<int, std::uint64_t>> places;
    for (const int b : copies) {
      places.emplace_back(host.order.front(), gpu.all[static_cast<std::size_t>(b)].key);
      host.order.erase(host.order.begin());
    }
    for (const auto& [place, key] : places) {
      host.all[static_cast<std::size_t>(place)].key = key;
      host.order.push_back(place);
    }
    for (const int b : copies) gpu.leave(b);
    for (const int b : copies) gpu.order.push_back(b);
    return static_cast<std::int64_t>(copies.size());
  }
  Outcome run(const Request& q) {
    const std::int64_t B = c.block_size, n = q.prompt_tokens, last = n + q.output_tokens - 1;
    auto keys = q.keys;
    while (static_cast<std::int64_t>(keys.size()) < last / B) keys.push_back(++nobody);
    std::vector<int> mine;
    Outcome o;
    std::int64_t i = 0;
    for (; i < (n - 1) / B; ++i) {
      const int b = on_gpu(keys[static_cast<std::size_t>(i)]);
      if (b < 0) break;
      gpu.leave(b);
      gpu.all[static_cast<std::size_t>(b)].users = 1;
      mine.push_back(b);
    }
    o.gpu_hit = i * B;
    std::vector<int> loaded;
    for (; i < (n - 1) / B; ++i) {
      const int b = on_host(keys[static_cast<std::size_t>(i)]);
      if (b < 0) break;
      host.leave(b);
      loaded.push_back(b);
    }
    o.host_loaded = i * B - o.gpu_hit;
    o.computed = n - i * B;
    const auto grow = [&](std::int64_t tokens) {
      while (static_cast<std::int64_t>(mine.size()) < (tokens + B - 1) / B) mine.push_back(take());
      for (std::size_t b = 0; b < static_cast<std::size_t>(tokens / B); ++b) {
        Block& k = gpu.all[static_cast<std::size_t>(mine[b])];
        if (k.key == 0) k.key = keys[b], published.push_back(mine[b]);
      }
    };
    std::int64_t tokens = i * B;
    if (!loaded.empty()) {
      grow(tokens);
      o.stored_chunks += step();
      host.order.insert(host.order.end(), loaded.begin(), loaded.end());
    }
    while (tokens < last) {
      tokens = tokens >= n ? tokens + 1 : c.max_batched_tokens > 0 ? std::min(n, tokens + c.max_batched_tokens) : n;
      grow(tokens);
      o.stored_chunks += step();
    }
    for (std::size_t b = mine.size(); b-- > 0;) {
      Block& k = gpu.all[static_cast<std::size_t>(mine[b])];
      k.users = 0;
      gpu.order.insert(k.key != 0 || c.free_order == FreeOrder::append ? gpu.order.end() : gpu.order.begin(), mine[b]);
    }
    return o;
  }
};

TEST(LazyTier, EqualsTheSecondModelOnRandomWorkloads) {
  std::int64_t loaded = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Rng rng(seed);
    Config c = lazy(17 + static_cast<std::int64_t>(rng.below(40)), static_cast<std::int64_t>(rng.below(50)), rng.below(3) ? static_cast<std::int64_t>(16 + rng.below(100)) : 0);
    c.free_order = rng.below(2) ? FreeOrder::prepend : FreeOrder::append;
    LazyTier tier(c);
    NaiveLazy naive(c);
    for (int i = 0; i < 40; ++i) {
      const Request q = document(1 + rng.below(6), 1 + static_cast<std::int64_t>(rng.below(240)), 1 + static_cast<std::int64_t>(rng.below(20)));
      const Outcome a = tier.run(q), b = naive.run(q);
      ASSERT_EQ(a.gpu_hit, b.gpu_hit) << seed << " " << i;
      ASSERT_EQ(a.host_loaded, b.host_loaded) << seed << " " << i;
      ASSERT_EQ(a.computed, b.computed) << seed << " " << i;
      ASSERT_EQ(a.stored_chunks, b.stored_chunks) << seed << " " << i;
      loaded += a.host_loaded;
    }
  }
  EXPECT_GT(loaded, 50'000);
}

// Two documents of four blocks by turns on eight blocks: nothing is near eviction while both fit, and nothing is copied
// before another request runs.
TEST(LazyTier, CopiesWhatAnotherRequestFindsNearEviction) {
  LazyTier tier(lazy(8, 20));
  EXPECT_EQ(tier.run(document(1, 65)).stored_chunks, 0);
  EXPECT_EQ(tier.run(document(2, 65)).stored_chunks, 3);  // one of the first's blocks was taken for the fifth
  const Outcome again = tier.run(document(1, 65));
  EXPECT_EQ(again.gpu_hit, 48);   // the fourth was lost before it was copied
  EXPECT_EQ(again.host_loaded, 0);
  EXPECT_EQ(again.computed, 17);
}

TEST(LazyTier, TiersBeyondItsReachAreRefused) {
  const std::vector<Input> inputs{{document(1, 65)}};
  EXPECT_EQ(predict(lazy(1 << 23, 10), inputs).error().where, "gpu_blocks");
  EXPECT_EQ(predict(lazy(100, 1 << 23), inputs).error().where, "host_chunks");
  EXPECT_THAT(verified(lazy(9, 9)), HasSubstr("not verified live"));
}

// Pages of k blocks behave as blocks of the page's size do.
TEST(RadixTier, PagesOfSeveralBlocksAreBlocksOfThatSize) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Rng rng(seed);
    const std::int64_t k = 2 + static_cast<std::int64_t>(rng.below(3));
    Config small = of(Tier::hicache, (20 + static_cast<std::int64_t>(rng.below(20))) * k + static_cast<std::int64_t>(rng.below(2)), static_cast<std::int64_t>(rng.below(60)) * k);
    small.write_policy = static_cast<WritePolicy>(rng.below(3));
    small.page_size = 16 * k;
    Config large = small;
    large.block_size = 16 * k;
    large.page_size = rng.below(2) ? 0 : 16 * k;
    large.gpu_blocks /= k;
    large.host_chunks /= k;
    std::vector<Input> a, b;
    for (int i = 0; i < 40; ++i) {
      const Input one{document(1 + rng.below(6), 1 + static_cast<std::int64_t>(rng.below(300)), 1 + static_cast<std::int64_t>(rng.below(40))), rng.below(15) == 0, rng.below(20) == 0};
      a.push_back(one);
      b.push_back(one);
      b.back().request.keys.clear();
      for (std::size_t last = static_cast<std::size_t>(k); last <= one.request.keys.size(); last += static_cast<std::size_t>(k)) b.back().request.keys.push_back(one.request.keys[last - 1]);
    }
    const auto x = predict(small, a), y = predict(large, b);
    ASSERT_TRUE(x && y);
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ((*x)[i].gpu_hit, (*y)[i].gpu_hit) << seed << " " << i;
      ASSERT_EQ((*x)[i].host_loaded, (*y)[i].host_loaded) << seed << " " << i;
      ASSERT_EQ((*x)[i].stored_blocks.min, (*y)[i].stored_blocks.min * k) << seed << " " << i;
    }
  }
  Config odd = of(Tier::hicache, 20, 20);
  odd.page_size = 24;
  EXPECT_EQ(predict(odd, std::vector<Input>{{document(1, 65)}}).error().where, "page_size");
}

TEST(ExplainOtherTiers, ReasonsAddUpToWhatIsPredicted) {
  for (const Tier tier : {Tier::simple, Tier::lmcache, Tier::hicache})
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      Rng rng(seed);
      Config c = of(tier, 20 + static_cast<std::int64_t>(rng.below(30)), static_cast<std::int64_t>(rng.below(50)));
      c.lmcache_chunk_tokens = 32;
      c.lazy_store = rng.below(2);
      c.page_size = rng.below(2) ? 0 : 32;
      c.write_policy = static_cast<WritePolicy>(rng.below(3));
      std::vector<Input> inputs;
      for (int i = 0; i < 30; ++i)
        inputs.push_back({document(1 + rng.below(5), 1 + static_cast<std::int64_t>(rng.below(250)), 1 + static_cast<std::int64_t>(rng.below(20))), rng.below(15) == 0, rng.below(20) == 0});
      const auto counts = predict(c, inputs);
      const auto reasons = explain(c, inputs);
      ASSERT_TRUE(counts && reasons);
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        std::int64_t gpu = 0, host = 0, computed = 0;
        for (const Because& b : (*reasons)[i]) {
          (b.source == Source::gpu_hit ? gpu : b.source == Source::host_loaded ? host : computed) += b.tokens;
          ASSERT_FALSE(b.reason.empty());
        }
        ASSERT_EQ(gpu, (*counts)[i].gpu_hit.min) << static_cast<int>(tier) << " " << seed << " " << i;
        ASSERT_EQ(host, (*counts)[i].host_loaded.min) << static_cast<int>(tier) << " " << seed << " " << i;
        ASSERT_EQ(computed, (*counts)[i].computed.min) << static_cast<int>(tier) << " " << seed << " " << i;
      }
    }
}

TEST(ExplainOtherTiers, TheReasonIsThatOfTheTier) {
  const auto last = [](const Config& c, const std::vector<Input>& inputs) {
    std::string all;
    const auto reasons = explain(c, inputs);
    for (const Because& b : reasons->back()) all += std::to_string(b.tokens) + " " + b.reason + "\n";
    return all;
  };
  const std::vector<Input> twice{{document(1, 65)}, {document(2, 65)}, {document(1, 65)}};
  EXPECT_THAT(last(of(Tier::simple, 5, 20), twice), HasSubstr("64 the GPU's copy was evicted by request 1; it was never copied to the host: a block is copied in the step after"));
  EXPECT_THAT(last(of(Tier::hicache, 5, 20), twice), HasSubstr("64 the GPU's copy was evicted by request 1; the host still holds it (distance"));
  EXPECT_THAT(last(of(Tier::hicache, 5, 0), twice), HasSubstr("there is no host tier"));
  EXPECT_THAT(last(lazy(8, 20), twice), HasSubstr("the walk along the GPU's free blocks had not come to it"));
  Config pages = of(Tier::hicache, 20, 0);
  pages.page_size = 32;
  EXPECT_THAT(last(pages, {{document(1, 53)}, {document(1, 53)}}), HasSubstr("16 both tiers keep whole pages of 32 tokens"));
  Config lm = of(Tier::lmcache, 70, 7);
  const std::vector<Input> chunks{{document(1, 1025)}, {document(2, 1025)}, {document(1, 1025)}};
  const std::string text = last(lm, chunks);
  EXPECT_THAT(text, HasSubstr("the host dropped it when request 1 came"));
  EXPECT_THAT(text, HasSubstr("the host holds it, but the look-up ended earlier, at the first chunk missing"));
  EXPECT_THAT(text, HasSubstr("1 below one block"));
}

}  // namespace
}  // namespace kvcliff::cache
