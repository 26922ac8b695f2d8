// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <string>

#include "journal/reader.h"
#include "reconcile/input.h"

namespace kvcliff::reconcile {

struct LoadOptions {
  /// KV bytes per token, all ranks, of the model as a plan runs it; and one line that says where they come from. Asked only
  /// of plans that name a model of the program's own catalogue.
  std::function<Result<KvFacts>(const plan::Plan&)> kv;
  journal::Depth depth = journal::Depth::details;
  std::function<bool()> go_on;   ///< asked at every request; false: the user wants to stop
};

/// KV size of the model in one arm of a journalled run: as the journal has it, else from the catalogue (`options.kv`). A path
/// in the plan is never opened: what lies there on the reader's machine says nothing of the machine that measured.
KvFacts recorded_kv(const Json& host, const std::string& arm, const plan::Plan& arm_plan, const LoadOptions& options);
/// The config.json of the model as the run read it; nullptr where the journal does not hold one.
const Json* recorded_model(const Json& host);

/// Everything the checks need of one experiment, from the journal alone. `selector`: see Reader::experiment.
/// Errors: those of the reader; corrupt when the stored plan cannot be read; interrupted.
Result<ExperimentInput> load(const journal::Reader& reader, const std::string& selector, const LoadOptions& options);

}  // namespace kvcliff::reconcile
