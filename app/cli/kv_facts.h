// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "base/result.h"
#include "plan/plan.h"
#include "reconcile/input.h"

namespace kvcliff::cli {
struct Context;

/// KV bytes per token (all ranks) of a plan's model, from its config.json or the catalogue in resources/models.
Result<reconcile::KvFacts> kv_facts(const Context& context, const plan::Plan& plan);

}  // namespace kvcliff::cli
