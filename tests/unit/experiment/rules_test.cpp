// SPDX-License-Identifier: GPL-3.0-or-later
// Settling and warm-up as rules on values.
#include <gtest/gtest.h>

#include <numeric>

#include "base/text.h"
#include "experiment/prepare.h"
#include "experiment/settle.h"
#include "experiment/warmup.h"
#include "support/data.h"
#include "support/expect_file.h"

namespace kvcliff::experiment {
namespace {
using namespace std::chrono_literals;

CounterSnapshot page(double success, double bytes = 0, double running = 0, double waiting = 0, double pinned = 0) {
  CounterSnapshot s;
  s.http_status = 200;
  s.received = 1000;
  s.readings["request_success"].value = success;
  s.readings["kv_offload_load_bytes"].value = bytes;
  s.readings["num_requests_running"].value = running;
  s.readings["num_requests_waiting"].value = waiting;
  s.readings["kv_offload_cpu_cache_usage_perc"].value = pinned;
  return s;
}

TEST(Settle, NeedsTwoEqualPagesAtLeastTheQuietTimeApart) {
  Settle s(page(4), 1, {});
  const auto first = s.feed(page(5, 100));
  EXPECT_FALSE(first.settled);
  EXPECT_GE(first.wait, 50ms);
  EXPECT_TRUE(s.feed(page(5, 100)).settled);
  EXPECT_EQ(s.polls(), 2);
}

TEST(Settle, WaitsUntilOurRequestIsCountedAsFinished) {
  Settle s(page(4), 1, {});
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(s.feed(page(4, 100)).settled);
  EXPECT_FALSE(s.feed(page(5, 100)).settled) << "this is the first page that counts";
  EXPECT_TRUE(s.feed(page(5, 100)).settled);
}

TEST(Settle, ARequestThatWeCutOffIsNotWaitedFor) {
  Settle s(page(4), 0, {});
  EXPECT_FALSE(s.feed(page(4)).settled);
  EXPECT_TRUE(s.feed(page(4)).settled);
}

TEST(Settle, RunningWaitingOrPinnedIsNotSettledHoweverEqual) {
  for (const auto& busy : {page(5, 0, 1), page(5, 0, 0, 2), page(5, 0, 0, 0, 0.01)}) {
    Settle s(page(4), 1, {});
    for (int i = 0; i < 4; ++i) EXPECT_FALSE(s.feed(busy).settled);
    EXPECT_FALSE(s.feed(page(5)).settled);
    EXPECT_TRUE(s.feed(page(5)).settled);
  }
}

TEST(Settle, AnotherModelsTrafficIsNotWaitedFor) {
  Settle s(page(4), 1, {});
  auto first = page(5), second = page(5);
  first.readings["other_models.prompt_tokens"].value = 100;
  second.readings["other_models.prompt_tokens"].value = 800;
  EXPECT_FALSE(s.feed(first).settled);
  EXPECT_TRUE(s.feed(second).settled) << "our counters are final; R9 tells of the other model";
}

TEST(Settle, BytesThatStillMoveStretchTheDistance) {
  Settle s(page(4), 1, {});
  const auto a = s.feed(page(5, 1)), b = s.feed(page(5, 2)), c = s.feed(page(5, 3));
  EXPECT_FALSE(c.settled);
  EXPECT_LT(a.wait, b.wait);
  EXPECT_LT(b.wait, c.wait);
  EXPECT_TRUE(s.feed(page(5, 3)).settled);
}

TEST(Settle, ASlowEngineIsAskedMoreSeldom) {
  Settle s(page(4), 1, {});
  CounterSnapshot slow = page(5);
  slow.sent = 0;
  slow.received = 400'000'000;
  EXPECT_GE(s.feed(slow).wait, 800ms);
}

TEST(Settle, AnUnreadablePageIsNeverSettled) {
  Settle s(page(4), 0, {});
  CounterSnapshot bad;
  bad.error = "500";
  EXPECT_FALSE(s.feed(page(4)).settled);
  EXPECT_FALSE(s.feed(bad).settled);
  EXPECT_FALSE(s.feed(page(4)).settled) << "an unreadable page in between breaks the pair";
  EXPECT_TRUE(s.feed(page(4)).settled);
}

TEST(Settle, ASeriesThatAppearsWithTheFirstRequestCountsFromZero) {
  CounterSnapshot before = page(0);
  before.readings.erase("request_success");
  Settle s(before, 1, {});
  EXPECT_FALSE(s.feed(page(1)).settled);
  EXPECT_TRUE(s.feed(page(1)).settled);
}

TEST(Warmup, GoesOnUntilTwoNeighboursAgree) {
  Warmup w({1, 6, 0.15}, {2003});
  w.done(*w.next(), 4'100'000);
  ASSERT_TRUE(w.next());
  w.done(2003, 210'000);
  ASSERT_TRUE(w.next()) << "4100 and 210 do not agree";
  w.done(2003, 205'000);
  EXPECT_FALSE(w.next());
  EXPECT_TRUE(w.steady());
}

TEST(Warmup, IncludesEveryMeasuredLengthAndEndsAtItsLimit) {
  Warmup w({1, 4, 0.01}, {300, 100, 200, 100});
  std::vector<std::int64_t> sent;
  for (MonoNs t = 1'000'000; const auto n = w.next(); t *= 2) {
    sent.push_back(*n);
    w.done(*n, t);
  }
  EXPECT_EQ(sent, (std::vector<std::int64_t>{100, 200, 300, 300}));
  EXPECT_FALSE(w.steady());
}

TEST(Warmup, AnAnswerWithoutATokenIsNoMeasurement) {
  Warmup w({1, 3, 0.15}, {100});
  w.done(100, std::nullopt);
  w.done(100, std::nullopt);
  EXPECT_FALSE(w.steady());
  EXPECT_TRUE(w.next());
}

TEST(Case103, TheFirstRequestAfterStartIsNamedWhenItPaysForWarmUp) {
  std::vector<double> ttft;
  const std::string table = test::read("cases/103-first-request-pays-for-warm-up/ttft.tsv");
  for (const auto line : split(table, '\n')) {
    const auto f = split(line, '\t');
    if (f.size() == 3 && f[1] == "no") ttft.push_back(*parse_double(trim(f[2])));
  }
  for (const auto& e : test::read_expectations("103-first-request-pays-for-warm-up")) {
    if (e.key == "n")
      EXPECT_EQ(std::to_string(ttft.size()), e.value);
    else if (e.key == "median_ms")
      EXPECT_DOUBLE_EQ(*median_of(ttft), *parse_double(e.value));
    else if (e.key == "mean_ms")
      EXPECT_DOUBLE_EQ(std::accumulate(ttft.begin(), ttft.end(), 0.0) / static_cast<double>(ttft.size()), *parse_double(e.value));
    else if (e.key == "warning")
      EXPECT_EQ(slow_first_request(ttft).value_or(""), e.value);
    else
      ADD_FAILURE() << e.key;
  }
  EXPECT_FALSE(slow_first_request(std::vector<double>{600, 210, 205}));
}

TEST(OpenLoop, SendTimesAreSeededAndHaveTheRateAskedFor) {
  const auto a = send_times(20'000, 50, true, 7), b = send_times(20'000, 50, true, 7);
  EXPECT_EQ(a, b);
  EXPECT_NE(a, send_times(20'000, 50, true, 8));
  EXPECT_NEAR(static_cast<double>(a.back()) / 1e9, 400, 10);
  const auto even = send_times(3, 4, false, 1);
  EXPECT_EQ(even, (std::vector<MonoNs>{0, 250'000'000, 500'000'000}));
}

}  // namespace
}  // namespace kvcliff::experiment
