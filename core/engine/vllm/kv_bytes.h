// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "plan/plan.h"

namespace kvcliff::engine::vllm {

/// KV bytes of one block on one rank, from the plan's model folder or the catalogue in `resources` (empty = none at hand);
/// nullopt when the shape is not known, or the model's blocks are not all alike: then the engine sizes its pool by itself.
std::optional<std::int64_t> block_bytes_per_rank(const plan::Plan& plan, const std::string& resources);

/// "qwen3-0.6b" -> "Qwen/Qwen3-0.6B" by the catalogue; nullopt when the plan names a folder, a hub name, or nothing known.
std::optional<std::string> hub_name(const plan::Plan& plan, const std::string& resources);

}  // namespace kvcliff::engine::vllm
