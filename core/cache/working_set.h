// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "cache/capacity_curve.h"
#include "cache/config.h"
#include "record/sources.h"
#include "workload/spec.h"

namespace kvcliff::cache {

/// Shares of the prompt tokens by source at one size of the working set; gpu + host + computed = 1.
/// Where the engine's own order is random, host is the mean and [host_low, host_high] holds every order.
struct WorkingSetPoint {
  std::int64_t blocks = 0;          ///< distinct prompt blocks of the workload
  double gpu = 0, host = 0, host_low = 0, host_high = 0;
  double reachable = 0;             ///< share that unlimited capacity would hit: the last token and partial blocks never
  bool exact = true;                ///< false: the bound of the one-pass curve
};

/// The cliff of a documents workload: the shares against the number of documents, capacities fixed. Between whole
/// numbers of documents the last one is shorter, so that every size in blocks has a workload.
/// One object per workload; changing capacities costs a look-up per size, not a new pass.
class WorkingSet {
 public:
  /// `documents_max`: right end. `revisits_only`: first visits fill the caches and are not counted.
  /// Errors: those of workload::realise; bad_usage (more blocks than most_references); interrupted (`stop` became true).
  static Result<WorkingSet> prepare(const workload::Spec& spec, std::int64_t block_size, FreeOrder free_order,
                                    int documents_max, bool revisits_only, const std::atomic<bool>* stop = nullptr);
  /// Blocks that all sizes together may refer to: a minute of work.
  static constexpr double most_references = 2e9;

  /// The one-pass curve at every prepared size: exact for the GPU tier and for HostTouch::lookup; for the others the
  /// host share is what an LRU by the book would give, marked inexact where the two can differ.
  std::vector<WorkingSetPoint> one_pass(const Config& config) const;
  /// The version's own rule at every prepared size, by simulation; the sizes are worked on by `threads` threads.
  /// Returns what it has when `stop` becomes true.
  std::vector<WorkingSetPoint> simulate(const Config& config, int threads, const std::atomic<bool>* stop = nullptr) const;
  /// As simulate, for one size. Where a prompt cannot run on this GPU at all: the one-pass point, not exact.
  WorkingSetPoint simulate_at(const Config& config, std::size_t index) const;

  /// Sizes in blocks, ascending: each whole number of documents, and between them enough to draw the ramps.
  std::vector<std::int64_t> sizes() const;
  std::int64_t document_blocks() const { return document_blocks_; }
  /// Curve of one size, for its histogram.
  const CapacityCurve& curve(std::size_t index) const { return *sizes_[index].curve; }

 private:
  struct Size {
    std::int64_t blocks = 0;
    int documents = 0;
    std::int64_t last_tokens = 0;     // prompt of the last document, which may be shorter
    std::size_t counted_from = 0;
    std::shared_ptr<const CapacityCurve> curve;
  };
  static double reachable(const Size& s);
  static WorkingSetPoint one_pass_at(const Config& config, const Size& s);

  std::vector<Request> requests_of(const Size& s) const;

  workload::Spec spec_;
  std::int64_t block_size_ = 16;
  std::shared_ptr<const std::vector<std::vector<std::uint64_t>>> keys_;   // of each document
  std::vector<Size> sizes_;
  std::int64_t document_blocks_ = 0;
};

/// Where a source is lost as the working set grows, as shares of what is reachable at each size.
struct Edge {
  std::int64_t last_full = 0;      ///< largest size at which nothing is lost yet
  std::int64_t half = 0;           ///< half of the reachable hits are gone
  std::int64_t first_none = 0;     ///< from here on nothing is left; 0: not in view
};
/// The cliff of GPU hits (`with_host` false) or of GPU + host.
std::optional<Edge> find_edge(const std::vector<WorkingSetPoint>& points, bool with_host);

}  // namespace kvcliff::cache
