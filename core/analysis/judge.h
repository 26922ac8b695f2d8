// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/decision.h"
#include "reconcile/load.h"

namespace kvcliff::analysis {

/// A run from its journal with everything concluded from it.
struct Judgement {
  reconcile::ExperimentInput input;
  Evaluation evaluation;
  std::vector<std::string> notes;   ///< why a sealed verdict is another one than ours; to be shown beside it
};

/// Reads and judges one experiment and compares with the verdict that was sealed with it. Sealed by the same method version
/// from the same facts, another verdict means a changed journal and is refused (corrupt). Another method version, or a
/// model whose KV size is not known here (or is another one), explains a difference: it becomes a note.
/// Errors: those of reader and load, and corrupt.
Result<Judgement> judge(const std::string& journal, const std::string& experiment, const reconcile::LoadOptions& options);

/// Writes the verdict into the closed journal, with the method version that made it and the facts from outside the
/// journal that it rests on. Errors: those of the writer.
Result<void> seal(const std::string& journal, std::int64_t experiment, const Judgement& judgement);

/// What is sealed: {"verdict", "reconciled", "requests", "kv_bytes_per_token": {arm: bytes or null}}.
Json sealed_document(const Judgement& judgement);

}  // namespace kvcliff::analysis
