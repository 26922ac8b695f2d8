// SPDX-License-Identifier: GPL-3.0-or-later
#include <ostream>

#include "cli/context.h"
#include "cli/evaluate.h"

namespace kvcliff::cli {

/// `reconcile J`: every check, ledger and gate of a run, from its journal alone.
void add_reconcile(CLI::App& app, Context& context) {
  struct Args {
    std::string journal, experiment;
    bool requests = false;
  };
  auto a = std::make_shared<Args>();
  CLI::App* sub = add_command(app, context, "reconcile", "Checks every counter of a run against every other", [&context, a] {
    auto j = judge(context, a->journal, a->experiment, context.go_on());
    if (!j) return context.report(j.error());
    for (const auto& n : j->notes) context.err << n << "\n";
    if (context.json) context.print(analysis::reconcile_json(j->input, j->evaluation, a->requests));
    else print_reconciliation(context, *j);
    return static_cast<int>(j->evaluation.gates_pass() ? Exit::done : Exit::gate_failed);
  });
  sub->add_option("journal", a->journal, "Journal file")->required();
  sub->add_option("--experiment", a->experiment, "Run id or its beginning (default: the newest)");
  sub->add_flag("--requests", a->requests, "With --json: each request with its checks");
}

}  // namespace kvcliff::cli
