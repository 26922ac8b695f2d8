// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/kv_facts.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/context.h"
#include "cli/plan_input.h"

namespace kvcliff::cli {
Result<reconcile::KvFacts> kv_facts(const Context& context, const plan::Plan& plan) {
  auto layout = layout_of_plan(context, plan);
  if (!layout) return fail(layout.error());
  reconcile::KvFacts out;
  out.bytes_per_token = layout->bytes_per_token_all_ranks;
  out.from = fmt::format("{} ({}), KV dtype {}, TP {}, PP {}: {} bytes per token over all ranks", layout->model, layout->kind,
                         layout->kv_dtype, plan.model.tp, plan.model.pp, grouped(layout->bytes_per_token_all_ranks));
  return out;
}

}  // namespace kvcliff::cli
