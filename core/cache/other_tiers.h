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
};

/// The model of `config.tier`; nullptr for the native tier, which Simulator models.
///   simple   vLLM's SimpleCPUOffloadConnector, eager: a second block pool; a block is copied in the step after it was
///            computed, so the blocks of a request's last step are lost; look-ups end before the last token.
///   lmcache  chunks of `lmcache_chunk_tokens`, looked up from token 0; a document's first chunk is its oldest.
///   hicache  SGLang's radix tree in pages of one block; whole leaves are evicted; a load is all or nothing.
std::unique_ptr<OtherTier> make_other_tier(const Config& config);

}  // namespace kvcliff::cache
