// SPDX-License-Identifier: GPL-3.0-or-later
// Any configuration and any requests: tokens are conserved, what is cached stays closed under prefixes, capacities hold,
// and with recency at look-up the larger cache hits at least as much.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "base/hash.h"
#include "cache/simulator.h"

using namespace kvcliff;
using namespace kvcliff::cache;

namespace {
void require(bool holds) {
  if (!holds) std::abort();
}
struct Bytes {
  const std::uint8_t* at;
  const std::uint8_t* end;
  std::uint8_t next() { return at == end ? 0 : *at++; }
  bool empty() const { return at == end; }
};
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes in{data, data + size};
  Config c;
  c.block_size = 1 + in.next() % 16;
  c.gpu_blocks = 2 + in.next() % 60;
  c.host_chunks = in.next() % 80;
  c.blocks_per_chunk = 1 + in.next() % 3;
  const std::uint8_t bits = in.next(), more = in.next();
  c.free_order = bits & 1 ? FreeOrder::append : FreeOrder::prepend;
  c.host_touch = static_cast<HostTouch>((bits >> 1) % 3);
  c.policy = bits & 8 ? Policy::arc : Policy::lru;
  c.offload_prompt_only = bits & 16;
  c.eagle = bits & 32;
  c.protect_input_keys = !(bits & 64);
  c.store_threshold = more & 1 ? 2 : 0;
  c.threshold_counts_offers = more & 2;
  c.max_batched_tokens = more & 4 ? 1 + in.next() : 0;
  Simulator s(c, more);
  while (!in.empty()) {
    const std::uint8_t which = in.next();
    if (which == 255) {
      require(s.reset_gpu());
      continue;
    }
    Request r;
    r.prompt_tokens = 1 + in.next();
    r.output_tokens = 1 + in.next() % 20;
    std::uint64_t parent = which % 7;
    // Documents branch at a block that depends on their number, so that prefixes are shared.
    for (std::int64_t b = 0; b < r.prompt_tokens / c.block_size; ++b) {
      const std::uint64_t part = b < which % 5 ? 0 : which;
      parent = hash64(&part, sizeof part, parent + static_cast<std::uint64_t>(b));
      r.keys.push_back(parent);
    }
    if (s.misfit(r)) continue;
    const Outcome o = s.run_fitting(r);
    const std::int64_t sum = o.computed + o.gpu_hit + o.host_loaded;
    require(o.computed >= 1 && o.gpu_hit >= 0 && o.host_loaded >= 0);
    require(sum == r.prompt_tokens || (sum == r.prompt_tokens + 1 && o.computed == 1));
    require(o.gpu_hit % c.block_size == 0 && o.host_loaded % c.block_size == 0);
    require(s.gpu_used() == 0 && s.host_size() <= c.host_chunks && s.host_reading() == 0 && s.host_writing() == 0);
    if (c.free_order == FreeOrder::prepend && !c.eagle) {
      bool gone = false;  // on the GPU, a block is never there without those before it
      for (const auto key : r.keys) {
        const bool there = s.on_gpu(s.id_of(key));
        require(!(gone && there));
        gone = gone || !there;
      }
    }
  }
  return 0;
}
