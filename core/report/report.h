// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "analysis/decision.h"
#include "base/result.h"
#include "chart/chart.h"

namespace kvcliff::report {

struct Options {
  bool spreadsheet_csv = false;
  std::string program_version;         ///< that writes the report
  Json palette;                        ///< resources/palette/palette.json
  Json definitions;                    ///< resources/help/definitions.json; may be null
  std::vector<std::string> notes;      ///< verdicts by other method versions
  std::function<bool()> go_on;         ///< asked between the files; false: the user wants to stop
  bool overwrite = false;              ///< also files that no report of ours wrote
};

/// Writes report.md, report.html, report.json and the tables into `folder` (made when absent). Returns the paths. All are
/// made before the first is written, so that a stop leaves no folder of two reports. Errors: io, interrupted; bad_usage where
/// a file of that name is there and no report of ours wrote it.
Result<std::vector<std::string>> write(const reconcile::ExperimentInput& input, const analysis::Evaluation& e,
                                       const std::filesystem::path& folder, const Options& options);

// The parts, each as text.
std::string markdown(const reconcile::ExperimentInput& input, const analysis::Evaluation& e, const Options& options);
std::string html(const reconcile::ExperimentInput& input, const analysis::Evaluation& e, const Options& options);
OrderedJson json(const reconcile::ExperimentInput& input, const analysis::Evaluation& e, const Options& options);

struct Table {
  std::string name;   ///< file name
  std::string text;
};
/// requests, warmup, sessions, checks, ledger, pairs, events; first columns run_id, plan_hash, simulated, gates. Columns
/// "session" and "request" count from 1 as all words do; "..._ordinal", like JSON and the journal, from 0.
std::vector<Table> tables(const reconcile::ExperimentInput& input, const analysis::Evaluation& e, bool spreadsheet);

/// The report's charts: sources per request with TTFT below, TTFT distributions by arm, pairs with the estimate; of a
/// sweep its cliff as the fourth.
std::vector<chart::Chart> charts(const reconcile::ExperimentInput& input, const analysis::Evaluation& e);

/// A number of the report with where it comes from, down to the raw bytes in the journal.
struct Fact {
  std::string name, value, source;
};
std::vector<Fact> facts(const reconcile::ExperimentInput& input, const analysis::Evaluation& e);

/// The sizing table and the reasons for no reuse as rows of text; the first row is the head. Shared by Markdown, HTML and PDF.
struct AdviceTables {
  std::vector<std::vector<std::string>> sizing, no_reuse;
  std::string sizing_why, no_reuse_why;   ///< when there are no rows
};
AdviceTables advice_tables(const reconcile::ExperimentInput& input);

/// "pass", or "fail: R3, R9".
std::string gates_word(const analysis::Evaluation& e);
/// "SIMULATED", "WITHDRAWN", both, or nothing.
std::string watermark(const reconcile::ExperimentInput& input, const analysis::Evaluation& e);
/// "The host tier helps." ...
/// "Never possible, so not part of that: R1, R3." or nothing.
std::string never_possible_words(const reconcile::Reconciliation& r);
std::string verdict_sentence(analysis::Verdict v);
/// The same; of a sweep without pairs: where its cliff is.
std::string verdict_sentence(const analysis::Decision& d);
/// "219.2 ms without the tier, 66.0 ms with it ..." Empty when withdrawn or not estimated.
std::string measured_sentence(const analysis::Decision& d);

}  // namespace kvcliff::report
