// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cache/capacity_curve.h"
#include "cache/point_curve.h"

namespace kvcliff::cache {

/// Block revisits whose distance lies in [from, to], distinct blocks.
struct DistanceBin {
  std::int64_t from = 0, to = 0, revisits = 0;
};

/// Reuse of one origin, and the LRU capacity it needs, the plain stack distance (a GPU with partial tails: one more).
struct OriginReuse {
  std::string origin;              ///< "shared template", "same conversation"
  std::int64_t revisits = 0;       ///< block references
  std::int64_t half = 0, most = 0, all = 0;   ///< blocks that keep 50 %, 90 % and all of them; 0: there are none
};

/// Prompts that begin with the same block.
struct DocumentReuse {
  std::uint32_t first_block = 0;   ///< dense id
  std::int64_t requests = 0, references = 0, revisits = 0;
  std::int64_t distinct = 0;       ///< blocks
};

struct Statistics {
  std::int64_t requests = 0, prompt_tokens = 0, references = 0, distinct = 0;
  std::int64_t reused_distinct = 0;     ///< blocks referenced more than once: what is worth keeping
  std::int64_t ceiling_gpu = 0;         ///< tokens a GPU cache without end would hit
  std::int64_t ceiling = 0;             ///< tokens both tiers without end would serve (the last block of exact multiples too)
  std::int64_t working_set = 0;         ///< blocks with which an LRU hits all that can be hit (largest distance)
  std::vector<DistanceBin> distances;   ///< powers of two
  std::vector<OriginReuse> origins;
  std::string origin_rule;              ///< how origins were told apart, in words
  std::vector<DocumentReuse> documents; ///< most revisited first, `documents_kept` at most
  std::size_t document_count = 0;
};

/// `conversation_of[i]`: the conversation of request i, -1 unknown; empty: the stream names none, and a block counts as
/// template when prompts go on differently behind it.
Statistics statistics(const ReferenceStream& stream, std::span<const std::int64_t> conversation_of = {}, std::size_t documents_kept = 10);

/// Tokens hit by the best possible policy with the future known (Belady's MIN, free to keep a block out), for each GPU
/// capacity: no engine can hit more. Counts up to the last token, as GPU hits do. O(references x log) per capacity.
std::vector<std::int64_t> optimal_hits(const ReferenceStream& stream, std::span<const std::int64_t> capacities, int threads = 1);

/// Where reachable hits are lost along one capacity, in blocks.
struct CapacityCliff {
  std::int64_t reachable = 0;      ///< tokens at the right end
  std::int64_t none_up_to = 0;     ///< largest capacity without a hit
  std::int64_t tenth = 0, half = 0, most = 0;   ///< smallest capacities with 10 %, 50 %, 90 % of the reachable hits
  std::int64_t all_from = 0;       ///< smallest capacity with all of them
  bool sharp() const { return all_from > 0 && 4 * (all_from - none_up_to) <= all_from; }
  std::string verdict() const;     ///< a finished sentence; capacities in blocks
};
/// `hits(c)`: tokens hit with c blocks, not falling; found by bisection in [0, last]. nullopt: nothing can be hit.
std::optional<CapacityCliff> find_cliff(const std::function<std::int64_t(std::int64_t)>& hits, std::int64_t last);

/// Capacities that one pass over the documents in reverse order reveals (newest first, after a pass in order): with K
/// documents of F blocks, what is still there is what the tier retained.
struct ReverseProbe {
  std::int64_t gpu_blocks = 0, host_blocks = 0;   ///< distinct blocks served from each; a floor where all were served
  bool gpu_all = false, host_all = false;         ///< everything was served: the capacity is at least this
};
ReverseProbe reverse_probe(std::int64_t documents, std::int64_t document_blocks, std::int64_t prompt_tokens, const Config& config);

}  // namespace kvcliff::cache
