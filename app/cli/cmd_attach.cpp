// SPDX-License-Identifier: GPL-3.0-or-later
// `attach --url URL --plan PLAN.json --journal J`: measures a server that is already running.
#include "cli/run_support.h"

namespace kvcliff::cli {

void add_attach(CLI::App& app, Context& context) {
  auto a = std::make_shared<RunArgs>();
  CLI::App* sub = add_command(app, context, "attach", "Measure a server that is already running",
                              [&context, a] { return run_and_report(context, *a); });
  sub->add_option("--url", a->url, "http://HOST:PORT of the server")->required();
  sub->add_option("--plan", a->plan, "The plan file: its workload is sent")->required();
  sub->add_option("--journal", a->journal, "The journal to write")->required();
  sub->add_option("--arm", a->arm, "Which arm of the plan this server is (default: the first)");
}

}  // namespace kvcliff::cli
