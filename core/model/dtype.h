// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace kvcliff::model {

/// A KV dtype in vLLM's spelling ("bf16" -> "bfloat16", "half" -> "float16"). Errors: unsupported for types whose size is
/// not derived (turboquant, int4_per_token_head, ...), bad_usage for unknown words; both list what is known.
Result<std::string> normal_kv_dtype(const std::string& name);

/// Bytes that one K or V head vector of `dim` elements takes. `dtype` from normal_kv_dtype, not auto.
/// Per-token-head types carry one float32 scale per vector; nvfp4 one fp8 scale per 16 values (dim must be a multiple of 16).
Result<std::int64_t> vector_bytes(const std::string& dtype, std::int64_t dim);

/// What `auto` means for a checkpoint, and why.
struct AutoDtype {
  std::string dtype;
  std::string from;
  std::vector<std::string> warnings;
};
/// `parts` are the config object and what encloses it, innermost first. Rule: a KV scheme declared by the quantised
/// checkpoint, else the model's data type, where float32 runs in 16 bit. A weight type says nothing about the KV type.
Result<AutoDtype> auto_dtype(const std::vector<const Json*>& parts);

}  // namespace kvcliff::model
