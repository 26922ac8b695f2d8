// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/units.h"

namespace kvcliff::model {

/// One step of a derivation: what was used, its value, and where it came from ("num_key_value_heads in text_config").
struct Factor {
  std::string factor;
  Json value;
  std::string from;
  bool operator==(const Factor&) const = default;
};

/// How the engine is launched, as far as the size of the cache depends on it. Defaults are vLLM's.
struct Options {
  std::string kv_dtype = "auto";
  int tp = 1, pp = 1;                          ///< tensor and pipeline parallel size
  int dcp = 1, pcp = 1;                        ///< decode / prefill context parallel: each rank keeps 1/(dcp*pcp) of the tokens
  std::int64_t block_size = 0;                 ///< tokens; 0 = the engine's default (16; hybrids with states derive their own)
  std::string mamba_cache_mode = "align";      ///< none (prefix caching off) | align (on) | all: state blocks per request
  std::string mamba_ssm_cache_dtype = "auto";  ///< auto | float32 | bfloat16 | float16; the config's own value wins over auto
  std::optional<bool> hybrid_manager;          ///< empty = vLLM's default: on, except with chunked local attention
  std::vector<std::string> kv_skip_layers;     ///< kv_cache_dtype_skip_layers: indices or "sliding_window", kept in 16 bit
  bool mtp = false;                            ///< speculative decoding with the model's own MTP layers
  int speculative_tokens = 0;                  ///< slots added to convolution states and state blocks
  bool mla_disabled = false;                   ///< VLLM_MLA_DISABLE
  std::int64_t kernel_alignment = 0;           ///< tokens; 0 = 16 (64 with a latent cache), see kv-bytes 1.5
  std::vector<std::int64_t> pp_partition;      ///< VLLM_PP_LAYER_PARTITION; empty = the engine's split
};

enum class CacheKind { full, sliding, chunked, latent, state };
/// "full_attention", "sliding_window", "chunked_local", "mla", "state".
std::string_view to_string(CacheKind kind);

/// The cache of one layer. A layer without an entry owns none (shared, no-op, feed-forward only).
struct LayerCache {
  int layer = 0;
  CacheKind kind = CacheKind::full;
  std::int64_t kv_heads = 0;       ///< whole model; 1 for a latent
  std::int64_t k_dim = 0, v_dim = 0;  ///< elements; a latent has k_dim only
  std::int64_t extra_bytes = 0;    ///< per token, whatever the dtype (indexer keys of sparse attention); copied on every rank
  std::int64_t window = 0;         ///< tokens, for sliding and chunked
  std::string dtype;               ///< KV dtype of this layer, resolved
  // State layers: elements of the two parts, before division by TP, and their sizes.
  std::int64_t conv_width = 0, conv_rows = 0, ssm_elements = 0;
  int ssm_element_bytes = 2;
  std::int64_t divisor_heads = 0;  ///< heads that TP must divide
  std::int64_t groups_width = 0;   ///< part of conv_width made of groups (Mamba 2), per group
  std::int64_t group_count = 0;
};

/// Layers of one kind, and how the engine's block pool sees them on the largest rank.
struct Group {
  CacheKind kind = CacheKind::full;
  int layers = 0;
  std::int64_t bytes_per_token = 0;   ///< whole model once, all its layers; 0 for states
  std::int64_t window = 0;            ///< tokens
  std::int64_t block_size = 0;        ///< tokens per block of this kind
  int pool_groups = 1;                ///< groups of group_size layers it is cut into
  int padding_layers = 0;
};

/// Sizes of states (Mamba, gated delta net, ...): bytes per sequence, not per token.
struct StateInfo {
  int layers = 0;
  std::int64_t raw_bytes_per_layer = 0;       ///< TP 1, largest layer
  std::int64_t raw_bytes_per_sequence = 0;    ///< TP 1, all layers
  std::int64_t raw_bytes_per_layer_rank = 0;  ///< with TP
  std::int64_t page_bytes = 0;                ///< padded to the attention page, per rank
  double padding_pct = 0;                     ///< (page - raw) / raw * 100
  std::int64_t blocks_per_sequence = 1;       ///< per state group: none 1, align 2, plus speculative tokens; 0 = one per block of tokens
  std::string dtype;                          ///< in words
};

/// One pipeline rank.
struct Rank {
  int first_layer = 0, layers = 0;
  std::int64_t bytes_per_token = 0;  ///< growing layers of this rank, one tensor-parallel rank
  std::int64_t block_bytes = 0;      ///< one block of the pool, one tensor-parallel rank
  int cache_tensors = 0;             ///< tensors that a block is spread over (pinned host memory has one each)
  std::vector<std::int64_t> tensor_page_bytes;  ///< page of each of them
};

/// Sizes that the time model's first guesses need. Empty = the config does not say.
struct Dimensions {
  std::optional<std::int64_t> layers, hidden, heads, kv_heads, head_dim, ff, vocab;
  std::optional<std::int64_t> experts, experts_per_token, expert_ff;
  std::optional<std::int64_t> active_linear_parameters;  ///< weights of the linear layers that one token passes, without embedding and head
  std::string why;                                       ///< why the count is missing
};

struct KvLayout {
  std::string model;        ///< model_type, or the catalogue id
  std::string kind;         ///< mha, gqa, mqa, mla, swa_all, swa_hybrid, chunked_hybrid, state_hybrid, state_only, ...
  std::string config_part;  ///< "text_config"; empty = the file's top level
  std::string kv_dtype;     ///< resolved
  Options options;
  std::int64_t block_size = 16;  ///< tokens; the smallest of the attention kinds
  int growing_layers = 0;
  std::int64_t bytes_per_token = 0;           ///< one more token of a long context, whole model once
  std::int64_t bytes_per_token_per_rank = 0;  ///< largest rank
  std::int64_t bytes_per_token_all_ranks = 0; ///< copies counted
  std::int64_t bytes_per_token_all_full = 0;  ///< if every layer were charged as full attention
  std::int64_t window_extra = 0, window_tokens = 0;  ///< extra per token inside the window; 0 tokens = no window
  bool hybrid_manager = true;
  std::vector<LayerCache> caches;
  std::vector<Group> groups;
  std::optional<StateInfo> state;
  int group_size = 0;            ///< layers per pool group; 0 = one group, page summed over layers
  std::int64_t page_bytes = 0;   ///< of one layer of a pool group, per rank; 0 with one group
  std::vector<Rank> ranks;
  Dimensions dimensions;
  std::vector<Factor> derivation;
  std::vector<std::string> warnings;
  std::string capacity_why;      ///< not empty: blocks cannot be predicted, and this is the reason
};

}  // namespace kvcliff::model
