// SPDX-License-Identifier: GPL-3.0-or-later
#include <ostream>

#include "base/file.h"
#include "cli/inspect.h"
#include "engine/vllm/log_facts.h"
#include "engine/vllm/log_report.h"

namespace kvcliff::cli {

/// `inspect log FILE`: facts of an engine's start-up log, and why it failed.
void add_inspect_log(CLI::App& app, Context& context) {
  auto file = std::make_shared<std::string>();
  CLI::App* sub = add_command(*inspect_command(app), context, "log", "An engine's log: configuration, readiness, cause of a failure",
                              [&context, file] {
    const auto bytes = read_maybe_compressed(*file);
    if (!bytes) return context.report(bytes.error());
    const OrderedJson j = engine::vllm::log_report(engine::vllm::lines_of(*bytes));
    if (context.json) {
      context.print(j);
      return static_cast<int>(Exit::done);
    }
    for (const auto& [key, value] : j.items()) {
      if (value.is_null() || (value.is_structured() && value.empty()) || key == "stated_in_line") continue;
      if (value.is_array()) {
        for (const auto& item : value)
          context.out << key << ": " << (item.is_string() ? item.get<std::string>() : item.dump()) << '\n';
      } else {
        context.out << key << ": " << (value.is_string() ? value.get<std::string>() : value.dump()) << '\n';
      }
    }
    return static_cast<int>(Exit::done);
  });
  sub->add_option("file", *file, "Output of the engine, plain or compressed")->required();
}

}  // namespace kvcliff::cli
