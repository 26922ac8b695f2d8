// SPDX-License-Identifier: GPL-3.0-or-later
#include <ostream>

#include "cli/advice_text.h"
#include "cli/context.h"
#include "cli/evaluate.h"

namespace kvcliff::cli {

/// `decide J [--require VERDICT]`: the verdict with everything that it rests on.
void add_decide(CLI::App& app, Context& context) {
  struct Args {
    std::string journal, experiment, require;
  };
  auto a = std::make_shared<Args>();
  CLI::App* sub = add_command(app, context, "decide", "Helps, no effect, hurts or cannot tell, and what is not established", [&context, a] {
    auto j = judge(context, a->journal, a->experiment, context.go_on());
    if (!j) return context.report(j.error());
    if (context.json) {
      for (const auto& n : j->notes) context.err << n << "\n";
      auto document = analysis::decision_json(j->input, j->evaluation);
      analysis::add_advice(document, analysis::size_tier(j->input), analysis::why_no_reuse(j->input));
      context.print(document);
    } else {
      print_decision(context, *j);
      print_advice(context, analysis::size_tier(j->input), analysis::why_no_reuse(j->input));
    }
    const auto verdict = j->evaluation.decision.verdict;
    if (verdict == analysis::Verdict::withdrawn) return static_cast<int>(Exit::gate_failed);
    if (!a->require.empty() && analysis::to_string(verdict) != a->require) {
      context.err << "required: " << a->require << ", the verdict is: " << analysis::to_string(verdict) << "\n";
      return static_cast<int>(Exit::gate_failed);
    }
    return static_cast<int>(Exit::done);
  });
  sub->add_option("journal", a->journal, "Journal file")->required();
  sub->add_option("--experiment", a->experiment, "Run id or its beginning (default: the newest)");
  sub->add_option("--require", a->require, "Exit code 1 unless this is the verdict")->check(CLI::IsMember({"helps", "no_effect"}));
}

}  // namespace kvcliff::cli
