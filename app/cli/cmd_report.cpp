// SPDX-License-Identifier: GPL-3.0-or-later
#include <ostream>

#include "cli/context.h"
#include "cli/evaluate.h"
#include "cli/resources.h"
#include "report/report.h"

namespace kvcliff::cli {

/// `report J --out DIR`: Markdown, HTML, JSON and the tables.
void add_report(CLI::App& app, Context& context) {
  struct Args {
    std::string journal, experiment, out;
    bool spreadsheet = false, force = false;
  };
  auto a = std::make_shared<Args>();
  CLI::App* sub = add_command(app, context, "report", "Writes the report and its tables from a journal", [&context, a] {
    auto j = judge(context, a->journal, a->experiment, context.go_on(), journal::Depth::events);
    if (!j) return context.report(j.error());
    report::Options options;
    options.spreadsheet_csv = a->spreadsheet;
    options.overwrite = a->force;
    options.program_version = context.version;
    options.notes = j->notes;
    options.go_on = context.go_on();
    const auto palette = read_resource(context, "palette/palette.json");
    if (!palette) return context.report(palette.error());
    auto palette_json = parse_json(*palette, "palette/palette.json");
    if (!palette_json) return context.report(palette_json.error());
    options.palette = std::move(*palette_json);
    if (const auto text = read_resource(context, "help/definitions.json"))
      if (auto json = parse_json(*text, "help/definitions.json")) options.definitions = std::move(*json);
    const auto files = report::write(j->input, j->evaluation, a->out, options);
    if (!files) return context.report(files.error());
    if (context.json) {
      context.print(OrderedJson{{"experiment", j->input.run_id},
                                {"verdict", analysis::to_string(j->evaluation.decision.verdict)},
                                {"files", *files}});
    } else {
      for (const auto& f : *files) context.out << f << "\n";
    }
    return static_cast<int>(j->evaluation.gates_pass() ? Exit::done : Exit::gate_failed);
  });
  sub->add_option("journal", a->journal, "Journal file")->required();
  sub->add_option("--out", a->out, "Folder for the files; made when absent")->required();
  sub->add_option("--experiment", a->experiment, "Run id or its beginning (default: the newest)");
  sub->add_flag("--force", a->force, "Overwrite files of that name that no report wrote");
  sub->add_flag("--spreadsheet", a->spreadsheet, "Tables with semicolons and decimal commas");
}

}  // namespace kvcliff::cli
