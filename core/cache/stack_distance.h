// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "cache/config.h"

namespace kvcliff::cache {

/// LRU stack distances of whole requests in one pass (Mattson et al., 1970), with vLLM's order and corrections.
///
/// The stack holds blocks in the order in which vLLM would give them up: inside a request the first block is the most
/// recent (blocks are freed tail first). Distances are taken when the request is looked up, before its own blocks move:
/// along a chain they grow by at least one per block, so that what fits is always a prefix and needs no check.
///
/// Marks lie in a bit set over access time with a Fenwick tree over its words. Blocks that stood side by side in the
/// stack are still side by side: only the first of such a run is looked up, the others are one apart.
class StackDistances {
 public:
  /// `free_order` says what a request's partial tail does (see FreeOrder). Ids are dense: 0 .. distinct - 1; the table
  /// grows as ids appear.
  explicit StackDistances(FreeOrder free_order = FreeOrder::prepend, std::size_t expected_ids = 0);

  /// Distances of the blocks `ids` of one request, in prompt order; no id twice. `partial_tail`: what the request leaves
  /// does not end on a block. `decode_blocks`: full blocks of generated tokens, which nobody asks for again: they age in
  /// the stack below the request's own. Writes for each block:
  ///   host[i]  blocks used since its last use, itself included: hit in an LRU of c blocks iff host[i] <= c. With the
  ///            append order and with decode blocks those age in the same stack: take a stack without them for a host tier;
  ///   gpu[i]   smallest number of usable GPU blocks that still holds it (host[i] plus what partial tails took);
  /// and `never` for a block without an earlier use. Both spans are as long as `ids`.
  void request(std::span<const std::uint32_t> ids, bool partial_tail, std::span<std::uint32_t> host,
               std::span<std::uint32_t> gpu, std::uint32_t decode_blocks = 0);

  /// Blocks of a request that stand side by side: along them the host distance grows by one a block, and so does the GPU
  /// distance, which is one more from the block `level` on.
  struct Run {
    std::uint32_t first = 0, count = 0;   ///< in the request
    std::uint32_t host = 0;               ///< distance of the first; `never`: none of them has an earlier use
    std::uint32_t level = 0;              ///< how many have gpu = host; the others gpu = host + 1
  };
  /// As request, by runs. `runs` is written anew.
  void request(std::span<const std::uint32_t> ids, bool partial_tail, std::vector<Run>& runs, std::uint32_t decode_blocks = 0);

  static constexpr std::uint32_t never = ~std::uint32_t{0};
  std::size_t distinct() const { return live_ids_; }

 private:
  std::uint32_t marks_from(std::uint32_t position) const;
  std::uint32_t position_of(std::uint32_t id) const { return id < last_.size() ? last_[id] : never; }
  template <bool up>
  void change(std::uint32_t from, std::uint32_t count);
  void add(std::size_t word, std::int32_t delta);
  void compact(std::size_t needed);

  FreeOrder free_order_;
  std::vector<std::uint32_t> last_;      ///< id -> position of its last use; `never`
  std::vector<std::uint64_t> marks_;     ///< bit set over positions: the live last uses
  std::vector<std::int32_t> tree_;       ///< Fenwick over words of `marks_`
  std::vector<Run> runs_;                ///< of the last request by blocks
  std::uint32_t next_ = 0;               ///< next free position
  std::uint32_t total_ = 0;              ///< marks that are set
  std::size_t live_ids_ = 0;
  // prepend: what the requests since the last one with a partial tail reached down to (see request()).
  std::uint32_t tail_end_ = 0;           ///< one past its last position; 0 = none yet
  std::uint32_t deepest_ = never;        ///< oldest position used by a request since then; 0 when a new block came
};

}  // namespace kvcliff::cache
