// SPDX-License-Identifier: GPL-3.0-or-later
// The program's look at itself: its own engine starts and goes, and its client's error is measured. How large the error is
// depends on the machine's other work; it is shown, and judged by a person.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "cli.h"

namespace kvcliff {
namespace {
using test::Cli;
using ::testing::HasSubstr;

TEST(DoctorCommand, TheSelfTestPassesItsStepsAndMeasuresTheClient) {
  test::TempDir dir;
  Cli cli(dir, {"doctor", "--engine", "emulator", "--self-test", "--json"});
  const int code = cli.wait();
  const auto j = parse_json(cli.out(), "stdout");
  ASSERT_TRUE(j) << cli.out();
  EXPECT_EQ(code, 0) << cli.out();
  ASSERT_GE(j->at("self_test").size(), 7u);
  for (const auto& s : j->at("self_test")) EXPECT_EQ(s.at("state"), "pass") << s.dump();
  const auto& c = j->at("client_test");
  EXPECT_TRUE(c.at("state") == "pass" || c.at("state") == "warn") << c.dump();
  ASSERT_EQ(c.at("rows").size(), 3u) << c.dump();
  const int streams[] = {1, 32, 128};
  for (int i = 0; i < 3; ++i) {
    const auto& row = c.at("rows")[static_cast<std::size_t>(i)];
    EXPECT_EQ(row.at("streams"), streams[i]);
    EXPECT_EQ(row.at("failed"), 0) << "every stream came whole: " << row.dump();
    for (const char* figure : {"ttft_error_median_ms", "ttft_error_p99_ms", "gap_error_mean_ms", "client_lag_ms"}) EXPECT_TRUE(row.at(figure).is_number()) << figure;
    // A client that took the first token for another event would be off by a gap or more, in either direction.
    EXPECT_GT(row.at("ttft_error_median_ms").get<double>(), -1) << "no token can come before it was sent";
  }
}

TEST(DoctorCommand, AnUnknownEngineIsNamed) {
  test::TempDir dir;
  Cli cli(dir, {"doctor", "--engine", "no-such-engine"});
  EXPECT_EQ(cli.wait(), 2);
  EXPECT_THAT(cli.err(), HasSubstr("no-such-engine"));
}

}  // namespace
}  // namespace kvcliff
