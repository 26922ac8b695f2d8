// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/report.h"

#include "analysis/advice.h"
#include "base/file.h"

namespace kvcliff::report {

OrderedJson json(const reconcile::ExperimentInput& input, const analysis::Evaluation& e, const Options& o) {
  OrderedJson j{{"schema", "kvcliff.report/1"},
                {"run_id", input.run_id},
                {"name", input.name},
                {"plan_hash", input.plan_hash},
                {"simulated", input.simulated},
                {"gates", gates_word(e)},
                {"created_utc", input.created},
                {"program_version", input.program_version},
                {"report_version", o.program_version},
                {"times_origin", input.times_origin}};
  j["decision"] = analysis::decision_json(input, e);
  analysis::add_advice(j["decision"], analysis::size_tier(input), analysis::why_no_reuse(input));
  j["reconciliation"] = analysis::reconcile_json(input, e, true);
  OrderedJson list = OrderedJson::array();
  for (const auto& f : facts(input, e)) list.push_back({{"name", f.name}, {"value", f.value}, {"source", f.source}});
  j["numbers"] = std::move(list);
  j["plan"] = OrderedJson(plan::to_json(input.plan));
  j["host"] = OrderedJson(input.host);
  return j;
}

namespace {

/// The folder holds a report of ours: its report.json says so. Then all its files are ours to write again.
bool holds_our_report(const std::filesystem::path& folder) {
  const auto text = read_file(folder / "report.json");
  if (!text) return false;
  const Json j = Json::parse(*text, nullptr, false);
  return j.is_object() && j.contains("schema") && j["schema"] == "kvcliff.report/1";
}

}  // namespace

Result<std::vector<std::string>> write(const reconcile::ExperimentInput& input, const analysis::Evaluation& e,
                                       const std::filesystem::path& folder, const Options& options) {
  std::vector<Table> files;
  const std::function<void()> parts[] = {
      // report.json first: what was cut short is known as ours, too.
      [&] { files.push_back({"report.json", json(input, e, options).dump(2) + "\n"}); },
      [&] { files.push_back({"report.md", markdown(input, e, options)}); },
      [&] { files.push_back({"report.html", html(input, e, options)}); },
      [&] {
        for (auto& t : tables(input, e, options.spreadsheet_csv)) files.push_back(std::move(t));
      }};
  for (const auto& make : parts) {
    make();
    if (options.go_on && !options.go_on())
      return fail(ErrorCode::interrupted, "The report was not written", folder.string(), "the user stopped it", "Run it again; no file was changed");
  }
  std::error_code ec;
  std::filesystem::create_directories(folder, ec);
  if (ec) return fail(ErrorCode::io, "The folder for the report cannot be made", folder.string(), ec.message(), "Choose another folder with --out");
  if (!options.overwrite && !holds_our_report(folder))
    for (const auto& f : files)
      if (std::filesystem::exists(folder / f.name, ec))
        return fail(ErrorCode::bad_usage, "A file of that name is there already, and no report wrote it", (folder / f.name).string(), {},
                    "Choose another folder, or overwrite it with --force");
  std::vector<std::string> out;
  for (const auto& f : files) {
    const auto path = folder / f.name;
    if (auto r = write_file(path, f.text); !r) return fail(r.error());
    out.push_back(path.string());
  }
  return out;
}

}  // namespace kvcliff::report
