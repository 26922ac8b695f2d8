// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>

#include "plan/plan.h"

namespace kvcliff::engine::vllm {

/// KV bytes of one block on one rank from the plan's model folder; nullopt when the shape is not known (no config.json at
/// hand, or a model whose blocks are not all alike), then the engine sizes its pool by itself.
std::optional<std::int64_t> block_bytes_per_rank(const plan::Plan& plan);

}  // namespace kvcliff::engine::vllm
