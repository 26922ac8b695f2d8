// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <string>

#include "journal/reader.h"
#include "reconcile/input.h"

namespace kvcliff::reconcile {

struct LoadOptions {
  /// KV bytes per token, all ranks, of the model as a plan runs it; and one line that says where they come from.
  std::function<Result<KvFacts>(const plan::Plan&)> kv;
  journal::Depth depth = journal::Depth::details;
  std::function<bool()> go_on;   ///< asked at every request; false: the user wants to stop
};

/// Everything the checks need of one experiment, from the journal alone. `selector`: see Reader::experiment.
/// Errors: those of the reader; corrupt when the stored plan cannot be read; interrupted.
Result<ExperimentInput> load(const journal::Reader& reader, const std::string& selector, const LoadOptions& options);

}  // namespace kvcliff::reconcile
