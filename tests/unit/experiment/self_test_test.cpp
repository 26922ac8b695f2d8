// SPDX-License-Identifier: GPL-3.0-or-later
// Case 110 on values: what the self-test makes of records whose errors are known. The real client's errors are measured
// by `doctor --self-test` and in tests/bench/net.
#include "experiment/self_test.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/text.h"
#include "support/data.h"
#include "support/expect_file.h"

namespace kvcliff::experiment {
namespace {
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

/// A stream of this pace as a client sees it that is late by `first_ms` at the first token and `gap_ms` at every second
/// token after it.
StreamRecord stream(const Pace& pace, double first_ms, double gap_ms) {
  StreamRecord r;
  r.outcome = Outcome::complete;
  r.times.t0 = 1'000'000'000;
  for (std::int64_t i = 0; i < pace.tokens; ++i) {
    const double at = pace.first_token_ms + first_ms + static_cast<double>(i) * pace.gap_ms + (i % 2 ? gap_ms : 0);
    r.events.push_back({r.times.t0 + static_cast<MonoNs>(at * 1e6), 100, EventKind::token, 1});
  }
  r.times.first_token = r.events.front().at;
  return r;
}

std::map<int, Pace> paces() {
  std::map<int, Pace> out;
  const std::string text = test::read("cases/110-client-is-the-bottleneck/selftest.tsv");
  for (const auto line : split(text, '\n')) {
    const auto c = split(line, '\t');
    if (c.size() == 4 && c[0] != "streams") out[static_cast<int>(*parse_int(c[0]))] = {*parse_double(c[1]), *parse_double(c[2]), *parse_int(trim(c[3]))};
  }
  return out;
}

/// Lateness within a limit gives no warning, beyond it gives one.
void expect_limit(int streams, const Pace& pace, double first_ms, double gap_ms, MonoNs lag, bool warned) {
  std::vector<StreamRecord> all(static_cast<std::size_t>(streams), stream(pace, first_ms, gap_ms));
  const auto e = client_error(all, pace, lag);
  EXPECT_EQ(!e.warnings.empty(), warned) << streams << " streams, " << first_ms << " ms, " << gap_ms << " ms, " << lag << " ns"
                                         << (e.warnings.empty() ? "" : ": " + e.warnings[0]);
}

TEST(Case110, TheLimitsOfTheCaseAreThoseOfTheSelfTest) {
  const auto all = paces();
  ASSERT_EQ(all.size(), 3u);
  for (const auto& e : test::read_expectations("110-client-is-the-bottleneck")) {
    const int streams = static_cast<int>(parse_int(e.part).value_or(0));
    const Pace& pace = all.at(streams);
    const double limit = parse_double(e.value).value_or(0);
    if (e.key == "ttft_error_ms" || e.key == "ttft_error_p99_ms") {
      expect_limit(streams, pace, limit * 0.95, 0, 0, false);
      expect_limit(streams, pace, limit * 1.05, 0, 0, true);
    } else if (e.key == "gap_error_mean_ms") {
      expect_limit(streams, pace, 0, limit * 0.95, 0, false);
      expect_limit(streams, pace, 0, limit * 1.05, 0, true);
    } else if (e.key == "ttft_error_p99") {  // shown, not judged
      const std::vector<StreamRecord> late(128, stream(pace, 40, 0));
      EXPECT_NEAR(client_error(late, pace, 0).ttft_p99_ms, 40, 1e-3);
      EXPECT_THAT(client_error(late, pace, 0).warnings, IsEmpty());
    } else if (e.key == "warning_if_lag_ms") {
      expect_limit(streams, pace, 0, 0, static_cast<MonoNs>(limit * 1e6), false);
      expect_limit(streams, pace, 0, 0, static_cast<MonoNs>(limit * 1.1e6), true);
    } else if (e.key == "prompt_of_2_MB.render_time_in_ttft") {
      EXPECT_EQ(e.value, "no");  // tests/unit/net: Case110.WritingALargePromptIsNotRenderingIt
    } else {
      ADD_FAILURE() << e.key;
    }
  }
}

TEST(SelfTest, ErrorsAreOfTheFirstTokenAndOfTheGapsApart) {
  const Pace pace{100, 10, 5};
  const std::vector<StreamRecord> two{stream(pace, 1, 0), stream(pace, 3, 2)};
  const auto e = client_error(two, pace, 0);
  EXPECT_EQ(e.streams, 2);
  EXPECT_NEAR(e.ttft_median_ms, 1, 1e-6);
  EXPECT_NEAR(e.ttft_p99_ms, 3, 1e-6);
  EXPECT_NEAR(e.ttft_worst_ms, 3, 1e-6);
  EXPECT_NEAR(e.gap_mean_ms, (0 + 2) / 2.0, 1e-6) << "one stream keeps its gaps, each gap of the other is 2 ms off";
}

TEST(SelfTest, AStreamThatFailsIsCountedAndNotTimed) {
  const Pace pace{100, 10, 5};
  std::vector<StreamRecord> two{stream(pace, 0, 0), stream(pace, 50, 0)};
  two[1].outcome = Outcome::truncated;
  const auto e = client_error(two, pace, 0);
  EXPECT_EQ(e.failed, 1);
  EXPECT_LT(e.ttft_worst_ms, 1);
  EXPECT_THAT(e.warnings, Contains(HasSubstr("1 of 2 streams")));
}

}  // namespace
}  // namespace kvcliff::experiment
