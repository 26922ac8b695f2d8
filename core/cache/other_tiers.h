// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>

#include "cache/config.h"
#include "cache/simulator.h"

namespace kvcliff::cache {

/// A cache hierarchy other than vLLM's native connector, one request at a time. All of them are modelled from source
/// and were not compared with a live engine (the simple connector: 14 live requests without evictions).
class OtherTier {
 public:
  virtual ~OtherTier() = default;
  virtual Outcome run(const Request& request) = 0;
  virtual void reset_gpu() = 0;
  virtual void reset_host() = 0;
  /// Whether a copy of the block with this key could be found there now (what a look-up may use is another question).
  virtual bool on_gpu(std::uint64_t key) const = 0;
  virtual bool on_host(std::uint64_t key) const = 0;
};

/// The model of `config.tier`; nullptr for the native tier, which Simulator models.
///   simple   vLLM's SimpleCPUOffloadConnector, eager: a second block pool; a block is copied in the step after it was
///            computed, so the blocks of a request's last step are lost; look-ups end before the last token. Lazy: what
///            comes near eviction on the GPU is copied (LazyTier).
///   lmcache  chunks of `lmcache_chunk_tokens`, looked up from token 0; a document's first chunk is its oldest.
///   hicache  SGLang's radix tree in pages of `page_size` tokens (0: of a block); whole leaves are evicted; a load is all
///            or nothing. Capacities and stored_chunks count blocks; a tier holds the whole pages that fit.
std::unique_ptr<OtherTier> make_other_tier(const Config& config);

}  // namespace kvcliff::cache
