// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "base/result.h"
#include "model/layout.h"

namespace kvcliff::model {

/// KV bytes of a Hugging Face style configuration under the given launch options, with the derivation.
/// Refuses (unsupported, bad_usage) what cannot be predicted; `capacity_why` of the result says when bytes per token are
/// known but the block pool is not.
Result<KvLayout> derive(const Json& config, const Options& options = {});

/// Bytes per token of one cache on one tensor-parallel rank (tp 1 = the whole model). 0 for a state.
/// KV heads below TP are copied: at least one per rank. A latent is copied to every rank.
std::int64_t cache_bytes_per_token(const LayerCache& cache, int tp);
/// Bytes of one state on one rank.
std::int64_t state_bytes(const LayerCache& cache, int tp);
/// Layers of each pipeline rank: equal shares, the rest one each to ranks counted back from the second-last.
std::vector<std::int64_t> pipeline_split(std::int64_t layers, int pp);

/// The JSON of `kvcliff-cli model`.
OrderedJson to_json(const KvLayout& layout);

}  // namespace kvcliff::model
