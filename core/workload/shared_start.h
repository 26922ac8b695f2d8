// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "workload/requests.h"
#include "workload/spec.h"

namespace kvcliff::workload {

/// The longest start that two prompts of different documents have in common.
struct SharedStart {
  std::int64_t tokens = 0;
  std::int64_t blocks = 0;      ///< full blocks in it: what a prefix cache can reuse
  std::int64_t documents = 0;   ///< how many documents have a start of this length in common with another one
};

/// Of prompts as they are sent. Prompts of one document (revisits, turns) are no finding; prompts without a document each
/// stand for themselves. n log n comparisons of neighbours in lexical order.
SharedStart shared_start(std::span<const Prompt> prompts, std::int64_t block_size);

/// What to say when documents share more than the workload asked for: "prompts share 48 tokens". Nullopt when they do not,
/// or when what they share fills no block. A first visit then hits what another document left: it is not cold.
std::optional<std::string> shared_start_warning(const SharedStart& found, const Spec& asked, std::int64_t block_size);

}  // namespace kvcliff::workload
