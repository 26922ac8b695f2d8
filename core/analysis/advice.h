// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "cache/sizing.h"
#include "reconcile/input.h"

namespace kvcliff::analysis {

/// The host tier that a target share of the revisits' tokens needs, by the rules of the engine that was measured.
struct TierSizing {
  std::optional<cache::HostSizing> sizing;
  std::string why;                      ///< when absent
  std::int64_t blocks_per_chunk = 1;
  std::int64_t chunk_bytes = 0;         ///< over all ranks, in whole pages; 0 = unknown
  std::int64_t present_chunks = 0;      ///< of the measured arm
};
TierSizing size_tier(const reconcile::ExperimentInput& input);

/// Requests of one arm that reused less than they could, or nothing, for one reason.
struct NoReuse {
  std::string arm;
  std::string kind;                     ///< first visit | unique | below one block | thrashing | not usable
  std::int64_t requests = 0;
  std::int64_t tokens = 0;              ///< prompt tokens that were computed in them
  std::vector<int> documents;           ///< from 0; distinct, in order
  std::string example;                  ///< of the first of them, a finished clause
  std::string next;                     ///< what would change it: the prompt, the memory, or nothing
};
struct NoReuseReport {
  std::vector<NoReuse> rows;
  std::string why;                      ///< when it could not be told
};
/// Why was there no reuse: each measured prompt against the earlier one nearest to it, and what the caches held. The prompts
/// are made again from the plan; a trace is not opened.
NoReuseReport why_no_reuse(const reconcile::ExperimentInput& input);

/// {"sizing":{...},"no_reuse":[...]}: members of `decide --json` and of report.json.
void add_advice(OrderedJson& j, const TierSizing& sizing, const NoReuseReport& reuse);

/// "documents 1, 2 and 4 more" as people count.
std::string document_words(const std::vector<int>& documents);

}  // namespace kvcliff::analysis
