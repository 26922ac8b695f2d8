// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "cache/stack_distance.h"

namespace kvcliff::cache {

/// The LRU curve of a stream of any length in bounded memory, by sampling blocks (SHARDS, Waldspurger et al., FAST 2015,
/// the form of fixed size with its adjustment). A block is followed when its hash lies below a threshold; distances and
/// counts are scaled by the sampled share. When more than `most_blocks` are followed, the threshold is halved.
///
/// Blocks fall into 16 groups by their hash. The spread of the groups gives the stated error: it covers the chance of
/// which blocks were followed, a few very hot ones included, which a formula from the number of samples does not.
/// Partial tails are not modelled (a GPU needs at most one block more per distance).
class SampledCurve {
 public:
  /// `rate`: share of blocks followed at first, (0, 1].
  explicit SampledCurve(double rate = 1, std::size_t most_blocks = 1 << 17);

  /// One request: keys of its full blocks in prompt order; `countable`: of these, blocks a hit may serve.
  void request(std::span<const std::uint64_t> keys, std::size_t countable);

  struct Estimate {
    double hits = 0;        ///< block references hit
    double error = 0;       ///< half-width of a 95 % interval, same unit
  };
  /// With `blocks` of capacity.
  Estimate at(std::int64_t blocks) const;
  /// Share of all references, with the same error.
  Estimate ratio_at(std::int64_t blocks) const;
  std::int64_t references() const { return references_; }
  double rate() const;
  std::size_t followed() const { return ids_.size(); }
  /// Distinct blocks, estimated; distinct_error is the half-width of a 95 % interval.
  double distinct_error() const;
  double distinct() const { return static_cast<double>(ids_.size()) / rate(); }

 private:
  static constexpr std::size_t groups = 16;
  static constexpr int mantissa_bits = 7;      // distances are kept to 1/128 of their size
  static std::size_t bin_of(double distance);
  static double end_of(std::size_t bin);
  void halve();

  std::size_t most_;
  std::uint64_t threshold_;                    // followed: upper 32 bits of the hash below it; 2^32 = all
  std::int64_t references_ = 0, countable_ = 0;
  std::unordered_map<std::uint64_t, std::uint32_t> ids_;   // key -> dense id
  std::vector<std::uint64_t> last_;            // dense id -> when it was used last
  std::uint64_t clock_ = 0;
  StackDistances stack_{FreeOrder::none};
  std::array<std::vector<double>, groups> hits_;   // weight by distance bin
  std::array<double, groups> seen_{};              // weight of all countable references
  std::vector<std::uint32_t> scratch_, host_, gpu_;
  std::vector<char> counts_;
  std::vector<std::uint8_t> group_;
};

}  // namespace kvcliff::cache
