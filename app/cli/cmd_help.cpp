// SPDX-License-Identifier: GPL-3.0-or-later
#include <filesystem>
#include <ostream>

#include "base/file.h"
#include "base/text.h"
#include "cli/context.h"
#include "cli/resources.h"

namespace kvcliff::cli {

/// `help TERM`: the definition that tooltips and reports use (resources/help/definitions.json).
void add_help(CLI::App& app, Context& context) {
  auto term = std::make_shared<std::string>();
  CLI::App* sub = add_command(app, context, "help", "The definition of a term, check or number", [&context, term] {
    const auto text = read_resource(context, "help/definitions.json");
    if (!text) return context.report(text.error());
    const auto json = parse_json(*text, "help/definitions.json");
    if (!json) return context.report(json.error());
    if (term->empty()) {
      if (context.json) {
        context.print(*json);
      } else {
        for (const auto& [key, value] : json->items()) context.out << key << "\n";
      }
      return static_cast<int>(Exit::done);
    }
    for (const auto& [key, value] : json->items()) {
      if (key.size() != term->size() || !starts_with_ci(key, *term)) continue;
      if (context.json)
        context.print(Json{{"term", key}, {"definition", value}});
      else
        context.out << key << ": " << value.at("text").get<std::string>() << "\n";
      return static_cast<int>(Exit::done);
    }
    return context.report(Error{ErrorCode::not_found, "No definition of \"" + *term + "\"", {}, {},
                                "kvcliff-cli help lists the terms"});
  });
  sub->add_option("term", *term, "Term, e.g. \"working set\" or R3");
}

}  // namespace kvcliff::cli
