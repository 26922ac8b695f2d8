// SPDX-License-Identifier: GPL-3.0-or-later
// Field cases 056, 103, 106 by their own files.
#include <gtest/gtest.h>

#include <map>

#include "analysis/linear.h"
#include "analysis/rates.h"
#include "base/json.h"
#include "base/text.h"
#include "support/data.h"
#include "support/expect_file.h"

namespace kvcliff::analysis {
namespace {

std::vector<std::vector<std::string>> table(const std::string& name) {
  std::vector<std::vector<std::string>> out;
  const std::string text = test::read(name);
  bool header = true;
  for (const auto line : split(text, '\n')) {
    if (line.empty()) continue;
    std::vector<std::string> row;
    for (const auto f : split(line, '\t')) row.emplace_back(trim(f));
    if (!header) out.push_back(std::move(row));
    header = false;
  }
  return out;
}

std::map<std::string, std::string> expected(const std::string& slug) {
  std::map<std::string, std::string> out;
  for (const auto& e : test::read_expectations(slug)) out[e.key] = e.value;
  return out;
}

double number(const std::string& s) { return parse_double(s.substr(0, s.find(' '))).value(); }

TEST(Case103, FirstRequestThatPaysForWarmUpIsSaid) {
  const std::string slug = "103-first-request-pays-for-warm-up";
  std::vector<double> ms;
  for (const auto& r : table("cases/" + slug + "/ttft.tsv"))
    if (r[1] == "no") ms.push_back(*parse_double(r[2]));
  const auto want = expected(slug);
  EXPECT_EQ(static_cast<double>(ms.size()), number(want.at("n")));
  EXPECT_EQ(median(ms), number(want.at("median_ms")));
  const auto f = first_request(ms);
  EXPECT_TRUE(f.suspicious);
  EXPECT_EQ(f.warning, want.at("warning"));
  EXPECT_FALSE(first_request({210, 205, 199, 214}).suspicious);
}

TEST(Case106, LengthThatCountsIsTheServers) {
  const std::string slug = "106-prompt-length-not-as-asked";
  const auto want = expected(slug);
  for (const auto& r : table("cases/" + slug + "/results.tsv")) {
    const auto p = prompt_length(*parse_int(r[1]), parse_int(r[2]), parse_int(r[3]));
    if (const auto it = want.find(r[0] + ".prompt_tokens"); it != want.end()) {
      EXPECT_EQ(static_cast<double>(*p.tokens), number(it->second));
    }
    if (const auto it = want.find(r[0] + ".off_percent"); it != want.end()) {
      EXPECT_NEAR(p.off_percent, number(it->second), 0.05);
    }
    EXPECT_EQ(p.warning, want.at(r[0] + ".warning") == "yes") << r[0];
    EXPECT_EQ(p.from_counter, r[2].empty());
  }
}

TEST(Case056, SavingKeepsItsSign) {
  const auto rows = table("cases/056-load-slower-than-compute/timing.tsv");
  const auto s = saving(*parse_double(rows[0][1]), *parse_double(rows[1][1]), 2145386496.0, 0.875);
  const auto want = expected("056-load-slower-than-compute");
  EXPECT_EQ(s.ms, number(want.at("saving_ms")));
  EXPECT_NEAR(s.percent, number(want.at("saving_percent")), 0.05);
  EXPECT_NEAR(*s.load_bytes_per_s / 1e9, number(want.at("load_bandwidth")), 5e-4);
}

}  // namespace
}  // namespace kvcliff::analysis
