// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <clocale>
#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "report/csv.h"
#include "report/report.h"
#include "support/data.h"
#include "support/honest_run.h"

namespace kvcliff::report {
namespace {
using test::HonestRun;

Options options() {
  Options o;
  o.program_version = "0.1.0";
  o.palette = *parse_json(*read_file(std::filesystem::path(KVCLIFF_SOURCE_DIR) / "resources/palette/palette.json"), "palette");
  return o;
}

const std::string& table(const std::vector<Table>& all, const std::string& name) {
  for (const auto& t : all)
    if (t.name == name) return t.text;
  throw std::runtime_error(name);
}

std::size_t lines(const std::string& text) { return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')); }

TEST(Case095, TableIsTheSameInEveryLocaleAndMissingIsEmpty) {
  const auto row = test::read_json("cases/095-csv-decimal-comma/row.json");
  const auto make = [&](CsvFormat f) {
    f.line_end = "\n";
    Csv c({"model", "ttft_ms", "prompt_tokens", "note", "hit_rate"}, f);
    c.row().text(row["model"].get<std::string>()).number(row["ttft_ms"].get<double>()).integer(row["prompt_tokens"].get<std::int64_t>());
    c.text(row["note"].get<std::string>()).maybe(std::optional<double>());
    return c.str();
  };
  for (const char* locale : {"C", "de_DE.UTF-8", "fr_FR.UTF-8"}) {
    std::setlocale(LC_ALL, locale);  // an absent locale leaves the one before: the result must not change either way
    EXPECT_EQ(make({}), test::read("cases/095-csv-decimal-comma/expected.csv"));
    EXPECT_EQ(make(CsvFormat::spreadsheet()), test::read("cases/095-csv-decimal-comma/expected-spreadsheet.csv"));
  }
  std::setlocale(LC_ALL, "C");
}

TEST(Csv, QuotesWhatNeedsItAndEndsLinesAsTheStandardSays) {
  EXPECT_EQ(csv_cell("a,b", ','), "\"a,b\"");
  EXPECT_EQ(csv_cell("a;b", ','), "a;b");
  EXPECT_EQ(csv_cell("say \"x\"", ','), "\"say \"\"x\"\"\"");
  EXPECT_EQ(plain_number(1e15), "1000000000000000");
  EXPECT_EQ(plain_number(0.1), "0.1");
  EXPECT_EQ(plain_number(std::nan("")), "");
  Csv c({"x"});
  c.row().integer(1);
  EXPECT_EQ(c.str(), "x\r\n1\r\n");
}

TEST(Tables, HaveTheContractsFilesAndFirstColumns) {
  const HonestRun run;
  const auto e = analysis::evaluate(run.in);
  const auto all = tables(run.in, e, false);
  std::vector<std::string> names;
  for (const auto& t : all) {
    names.push_back(t.name);
    EXPECT_EQ(t.text.rfind("run_id,plan_hash,simulated,gates,", 0), 0u) << t.name;
    EXPECT_NE(t.text.find("\r\n0011223344556677," + std::string(64, 'a') + ",true,pass,"), std::string::npos) << t.name;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"requests.csv", "warmup.csv", "sessions.csv", "checks.csv", "ledger.csv", "pairs.csv", "events.csv"}));
  EXPECT_EQ(lines(table(all, "requests.csv")), 79u) << "78 measured requests and the header";
  EXPECT_EQ(lines(table(all, "warmup.csv")), 6u);
  EXPECT_EQ(lines(table(all, "sessions.csv")), 6u);
  EXPECT_EQ(lines(table(all, "pairs.csv")), 37u);
  EXPECT_EQ(lines(table(all, "events.csv")), 1u + 83 * 16);
}

TEST(Tables, WhatAnImportedFileDoesNotSayStaysEmpty) {
  HonestRun run;
  auto& r = run.request(0, 0, 1);
  r.plan.prompt_tokens = 0;
  r.sent.wall = 0;
  const auto text = table(tables(run.in, analysis::evaluate(run.in), false), "requests.csv");
  EXPECT_NE(text.find("," + r.plan.prompt_hash + ",,,"), std::string::npos) << "neither a time of 1970 nor a prompt of 0 tokens";
  EXPECT_EQ(text.find("1970-"), std::string::npos);
}

TEST(Tables, EveryRowHasAsManyCellsAsTheHeader) {
  const HonestRun run;
  for (const auto& t : tables(run.in, analysis::evaluate(run.in), false)) {
    std::size_t width = 0, cells = 1;
    bool quoted = false;
    for (const char c : t.text) {
      if (c == '"') quoted = !quoted;
      if (quoted) continue;
      if (c == ',') ++cells;
      if (c != '\n') continue;
      if (width == 0) width = cells;
      EXPECT_EQ(cells, width) << t.name;
      cells = 1;
    }
  }
}

TEST(Report, CarriesRunPlanVersionsAndTheSimulatedMarkEverywhere) {
  const HonestRun run;
  const auto e = analysis::evaluate(run.in);
  const auto o = options();
  for (const auto& text : {markdown(run.in, e, o), html(run.in, e, o), json(run.in, e, o).dump()}) {
    EXPECT_NE(text.find("0011223344556677"), std::string::npos);
    EXPECT_NE(text.find(std::string(64, 'a')), std::string::npos);
    EXPECT_TRUE(text.find("imulated") != std::string::npos);
    EXPECT_NE(text.find("0.1.0"), std::string::npos);
    EXPECT_NE(text.find("does not establish") != std::string::npos || text.find("not_established") != std::string::npos, false);
  }
}

TEST(Report, HtmlIsOnePageWithoutAnythingFromOutside) {
  const HonestRun run;
  const auto page = html(run.in, analysis::evaluate(run.in), options());
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("<link"), std::string::npos);
  EXPECT_EQ(page.find("<img"), std::string::npos);
  for (auto at = page.find("url("); at != std::string::npos; at = page.find("url(", at + 1)) EXPECT_EQ(page[at + 4], '#') << "inside the page only";
  std::size_t charts = 0;
  for (auto at = page.find("<svg"); at != std::string::npos; at = page.find("<svg", at + 1)) ++charts;
  EXPECT_EQ(charts, 3u);
  EXPECT_NE(page.find("The host tier helps."), std::string::npos);
  EXPECT_NE(page.find("SIMULATED"), std::string::npos);
}

TEST(Report, WithdrawnHidesTheEstimateInEveryFile) {
  HonestRun run;
  run.request(1, 1, 2).loaded_bytes = Bytes(1);
  auto e = analysis::evaluate(run.in);
  const auto ratio = fmt::format("{:.3f}", e.decision.effect.effect->ratio.estimate);
  const auto saved = fmt::format("{:.1f} ms", e.decision.effect.effect->treatment_ms);
  const auto o = options();
  for (const auto& text : {markdown(run.in, e, o), html(run.in, e, o)}) {
    EXPECT_NE(text.find("Withdrawn: no claim from this run."), std::string::npos);
    EXPECT_NE(text.find("R3"), std::string::npos);
    EXPECT_EQ(text.find("ratio " + ratio), std::string::npos);
    EXPECT_EQ(text.find(saved), std::string::npos);
    EXPECT_EQ(text.find("The host tier helps"), std::string::npos);
  }
  const auto pairs = table(tables(run.in, e, false), "pairs.csv");
  EXPECT_NE(pairs.find("fail: R3"), std::string::npos);
  EXPECT_NE(pairs.find(",,\r\n"), std::string::npos) << "difference and ratio are withheld";
}

TEST(Report, TextFromAnEngineCannotBreakThePage) {
  HonestRun run;
  run.in.name = "<script>alert(1)</script>|x";
  run.in.sessions[0].record.argv.push_back("<b>\"&");
  const auto e = analysis::evaluate(run.in);
  const auto page = html(run.in, e, options());
  EXPECT_EQ(page.find("<script>"), std::string::npos);
  EXPECT_EQ(page.find("<b>\""), std::string::npos);
}

TEST(Report, TextFromOutsideSteersNeitherMarkdownNorATerminal) {
  HonestRun run;
  run.in.name = "a|b`c<img src=x>\x1b[2J\xe2\x80\xae\n# big";
  run.in.sessions[0].record.effective.engine_version = "0|1`\x07";
  const auto e = analysis::evaluate(run.in);
  const auto page = markdown(run.in, e, options());
  EXPECT_NE(page.find(": a\\|b\\`c&lt;img src=x&gt;\\\\x1b\\[2J\\\\u202e # big\n"), std::string::npos) << page.substr(0, 200);
  for (const auto& text : {page, html(run.in, e, options())}) {
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_EQ(text.find('\x07'), std::string::npos);
    EXPECT_EQ(text.find("\xe2\x80\xae"), std::string::npos);
  }
  for (const auto& t : tables(run.in, e, false)) EXPECT_EQ(t.text.find('\x07'), std::string::npos) << t.name;
}

TEST(Report, AForeignFileIsNotOverwrittenUnasked) {
  const HonestRun run;
  const auto e = analysis::evaluate(run.in);
  const test::TempDir dir;
  ASSERT_TRUE(write_file(dir / "report.md", "my own notes"));
  const auto refused = write(run.in, e, dir.path(), options());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().sentence().find("report.md"), std::string::npos);
  EXPECT_EQ(*read_file(dir / "report.md"), "my own notes");
  EXPECT_FALSE(std::filesystem::exists(dir / "report.json")) << "nothing was written";
  auto forced = options();
  forced.overwrite = true;
  ASSERT_TRUE(write(run.in, e, dir.path(), forced));
  EXPECT_TRUE(write(run.in, e, dir.path(), options())) << "now it is a report's";
}

TEST(Report, WritesItsTenFiles) {
  const HonestRun run;
  const test::TempDir dir;
  const auto files = write(run.in, analysis::evaluate(run.in), dir / "deep/report", options());
  ASSERT_TRUE(files) << files.error().sentence();
  EXPECT_EQ(files->size(), 10u);
  for (const auto& f : *files) EXPECT_GT(std::filesystem::file_size(f), 50u) << f;
  const auto again = parse_json(*read_file(dir / "deep/report/report.json"), "report.json");
  ASSERT_TRUE(again);
  EXPECT_EQ((*again)["decision"]["verdict"], "helps");
  if (const char* keep = std::getenv("KVCLIFF_KEEP_REPORT")) std::filesystem::copy(dir / "deep/report", keep, std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing);
}

TEST(Report, OneThatIsStoppedWritesNoFile) {
  const HonestRun run;
  const auto e = analysis::evaluate(run.in);
  for (const int last : {0, 1, 3}) {
    const test::TempDir dir;
    auto o = options();
    int asked = 0;
    o.go_on = [&] { return asked++ < last; };
    const auto files = write(run.in, e, dir / "report", o);
    ASSERT_FALSE(files) << last;
    EXPECT_EQ(files.error().code, ErrorCode::interrupted);
    EXPECT_FALSE(std::filesystem::exists(dir / "report")) << last;
  }
}

TEST(Report, AnEmptyRunIsStillAReport) {
  reconcile::ExperimentInput in;
  in.run_id = "empty";
  const auto e = analysis::evaluate(in);
  EXPECT_FALSE(markdown(in, e, options()).empty());
  EXPECT_FALSE(html(in, e, options()).empty());
  EXPECT_EQ(lines(table(tables(in, e, false), "requests.csv")), 1u);
}

}  // namespace
}  // namespace kvcliff::report
