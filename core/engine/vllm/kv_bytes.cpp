// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/vllm/kv_bytes.h"

namespace kvcliff::engine::vllm {

std::optional<std::int64_t> block_bytes_per_rank(const plan::Plan&) { return std::nullopt; }

}  // namespace kvcliff::engine::vllm
