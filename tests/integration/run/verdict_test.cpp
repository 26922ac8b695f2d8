// SPDX-License-Identifier: GPL-3.0-or-later
// What a whole run ends in, measured by the programs: the verdict, the words about its times, and the tables' columns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "base/json.h"
#include "base/text.h"
#include "cli.h"

namespace kvcliff {
namespace {
using test::Cli;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Rows of a table as maps of column to cell. The tables of a run have no quoted line ends in the columns looked at here.
std::vector<std::map<std::string, std::string>> rows(const std::string& csv) {
  std::vector<std::vector<std::string>> cells(1);
  std::string cell;
  bool quoted = false;
  for (const char c : csv) {
    if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == ',' || c == '\n')) {
      cells.back().push_back(std::move(cell));
      cell.clear();
      if (c == '\n') cells.emplace_back();
    } else if (quoted || c != '\r') {
      cell += c;
    }
  }
  std::vector<std::map<std::string, std::string>> out;
  for (std::size_t i = 1; i + 1 < cells.size(); ++i) {
    EXPECT_EQ(cells[i].size(), cells[0].size());
    auto& row = out.emplace_back();
    for (std::size_t k = 0; k < std::min(cells[i].size(), cells[0].size()); ++k) row[cells[0][k]] = cells[i][k];
  }
  return out;
}

/// One run for all tests here, the reference plan with a third pair: revisits are computed for 20 ms without the tier and loaded
/// for 5 with it, by the emulator's clock.
class Verdict : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir_ = new test::TempDir;
    Json plan = *parse_json(*read_file(std::string(KVCLIFF_SOURCE_DIR) + "/resources/plans/reference.json"), "reference.json");
    plan["schedule"]["pairs"] = 3;
    ASSERT_TRUE(write_file(*dir_ / "plan.json", plan.dump(1)));
    Cli run(*dir_, {"run", *dir_ / "plan.json", "--journal", journal(), "--time-scale", "0.2", "--quiet"});
    ran_ = run.wait();
    said_ = run.err();
  }
  static void TearDownTestSuite() { delete dir_; }
  void SetUp() override { ASSERT_EQ(ran_, 0) << said_; }

  static std::string journal() { return *dir_ / "j.kvcliff"; }
  static std::string cli(std::vector<std::string> args, int code = 0) {
    Cli c(*dir_, std::move(args));
    EXPECT_EQ(c.wait(), code) << c.err();
    return c.out();
  }

  static inline test::TempDir* dir_ = nullptr;
  static inline int ran_ = -1;
  static inline std::string said_;
};

TEST_F(Verdict, TheTierHelpsWhereLoadingIsCheaperThanComputing) {
  const auto j = parse_json(cli({"decide", journal(), "--json", "--require", "helps"}), "stdout");
  ASSERT_TRUE(j);
  EXPECT_EQ(j->at("verdict"), "helps") << j->dump(1);
  const Json& ratio = j->at("ratio");
  EXPECT_LT(ratio.at("high").get<double>(), 0.95) << "below the smallest effect that matters, with its whole interval";
  EXPECT_GT(ratio.at("low").get<double>(), 0.1) << "loading is not free";
  EXPECT_LE(ratio.at("low"), ratio.at("estimate"));
  EXPECT_LE(ratio.at("estimate"), ratio.at("high"));
  EXPECT_EQ(j->at("sessions"), 6);
  std::string open;
  for (const auto& l : j->at("not_established")) open += l.dump();
  EXPECT_THAT(open, HasSubstr("emulated"));
  cli({"decide", journal(), "--require", "no_effect"}, 1);
}

TEST_F(Verdict, ShortenedTimesAreSaidBesideTheirOrigin) {
  const std::string how = "shortened to 0.2 of their length";
  EXPECT_THAT(cli({"decide", journal()}), AllOf(HasSubstr("SIMULATED: times are assumed"), HasSubstr(how)));
  EXPECT_THAT(parse_json(cli({"decide", journal(), "--json"}), "stdout")->at("times_origin").get<std::string>(), HasSubstr(how));
  cli({"report", journal(), "--out", *dir_ / "report"});
  for (const char* file : {"report/report.html", "report/report.md", "report/report.json"}) EXPECT_THAT(*read_file(*dir_ / file), HasSubstr(how)) << file;
}

TEST_F(Verdict, TablesCountSessionsAndRequestsFromOneBesideTheirOrdinals) {
  cli({"report", journal(), "--out", *dir_ / "tables"});
  const auto requests = rows(*read_file(*dir_ / "tables/requests.csv"));
  ASSERT_EQ(requests.size(), 114u);
  std::map<std::string, int> of;
  std::int64_t computed = 0, loaded = 0;
  for (const auto& r : requests) {
    EXPECT_EQ(std::stoi(r.at("session")), std::stoi(r.at("session_ordinal")) + 1);
    EXPECT_EQ(std::stoi(r.at("request")), std::stoi(r.at("request_ordinal")) + 1);
    ++of[r.at("session")];
    computed += std::stoll(r.at("computed_tokens"));
    loaded += std::stoll(r.at("host_loaded_tokens"));
  }
  EXPECT_EQ(of, (std::map<std::string, int>{{"1", 18}, {"2", 18}, {"3", 18}, {"4", 18}, {"5", 18}, {"6", 18}, {"7", 6}}));
  EXPECT_EQ(computed, 148'342);
  EXPECT_EQ(loaded, 72'000);
  for (const auto& s : rows(*read_file(*dir_ / "tables/sessions.csv"))) EXPECT_EQ(std::stoi(s.at("session")), std::stoi(s.at("session_ordinal")) + 1);
  int of_request = 0, of_all = 0;
  for (const auto& c : rows(*read_file(*dir_ / "tables/checks.csv"))) {
    EXPECT_EQ(c.at("session").empty(), c.at("session_ordinal").empty());
    EXPECT_EQ(c.at("request").empty(), c.at("request_ordinal").empty());
    of_request += !c.at("request").empty();
    of_all += c.at("session").empty();
    if (!c.at("request").empty()) { EXPECT_EQ(std::stoi(c.at("request")), std::stoi(c.at("request_ordinal")) + 1); }
  }
  EXPECT_GT(of_request, 0);
  EXPECT_GT(of_all, 0);
}

TEST_F(Verdict, AReaderThatLeavesEarlyIsNoFault) {
  // As `kvcliff-cli reconcile J --requests --json | head -1`: quiet, and the code of the work, not of the pipe.
  const std::string cli = "'" + std::string(KVCLIFF_BINARY_DIR) + "/bin/kvcliff-cli' ";
  const std::string said = *dir_ / "pipe-said", code = *dir_ / "pipe-code";
  for (const auto& work : {"reconcile '" + journal() + "' --requests --json", "decide '" + journal() + "' --json", std::string("help R3")}) {
    const std::string line = "( " + cli + work + " 2> '" + said + "'; echo $? > '" + code + "' ) | head -c 1 > /dev/null";
    ASSERT_EQ(std::system(line.c_str()), 0);
    EXPECT_EQ(*read_file(said), "") << work;
    EXPECT_EQ(*read_file(code), "0\n") << work;
    // And with nobody at the other end from the first byte on.
    const std::string closed = "( sleep 0.2; " + cli + work + " 2> '" + said + "'; echo $? > '" + code + "' ) | true";
    ASSERT_EQ(std::system(closed.c_str()), 0);
    EXPECT_EQ(*read_file(said), "") << work;
    EXPECT_EQ(*read_file(code), "0\n") << work;
  }
}

}  // namespace
}  // namespace kvcliff
