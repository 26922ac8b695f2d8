// SPDX-License-Identifier: GPL-3.0-or-later
// The other journals of the real GPU: a sweep over kept servers, a running server attached to, sixteen streams, an API
// server killed under us. Origin and numbers: tests/data/vllm-gpu-live/README.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "integration/cli_predict/cli.h"

namespace kvcliff {
namespace {
using ::testing::HasSubstr;

class LiveEvidence : public ::testing::Test {
 protected:
  Json reconciled(const std::string& name) {
    path_ = dir_ / (name + ".kvcliff");
    EXPECT_TRUE(write_file(path_, test::read("vllm-gpu-live/" + name + ".kvcliff.zst")));
    return test::cli({"reconcile", path_, "--requests", "--json"}).json();
  }
  static std::map<std::string, Json> checks(const Json& j) {
    std::map<std::string, Json> out;
    for (const auto& c : j.at("checks")) out[c.at("id")] = c;
    return out;
  }
  test::TempDir dir_;
  std::string path_;
};

// 6 documents of 125 blocks in a tier of 690: by the oldest rule 51.9 % of the revisits' tokens, on the machine 4.0 % (4.9 % in another run).
TEST_F(LiveEvidence, ASweepOverTwoKeptServersShowsBothCliffs) {
  const Json j = reconciled("sweep-0.6b");
  EXPECT_EQ(j.at("requests"), 432);
  EXPECT_EQ(j.at("reconciled"), 432);
  EXPECT_EQ(j.at("unexplained"), (Json{{"tokens", 0}, {"bytes", 0}}));
  auto c = checks(j);
  EXPECT_EQ(c["R3"].at("pass"), 198) << "the journal knows the bytes of a token by itself";
  EXPECT_EQ(c["R13"].at("pass"), 432) << "predicted, or inside the range that the random order leaves open";
  EXPECT_EQ(c["R16"].at("pass"), 23) << "each takeover was cold";
  EXPECT_EQ(c["R11"].at("pass"), 23) << "counters stood where the session before left them";
  std::map<int, std::string> arm;
  for (const auto& s : j.at("sessions")) arm[s.at("ordinal")] = s.at("arm");
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> hits;  // GPU, host
  for (const auto& r : j.at("request_list")) {
    if (r.at("round").get<int>() < 2) continue;
    auto& h = hits[arm.at(r.at("session"))];
    h.first += r.at("gpu_hit").get<std::int64_t>();
    h.second += r.at("host_loaded").get<std::int64_t>();
  }
  using Pair = std::pair<std::int64_t, std::int64_t>;
  EXPECT_EQ(hits["3-documents-off"], Pair(12'000, 0));
  EXPECT_EQ(hits["4-documents-off"], Pair(640, 0));
  EXPECT_EQ(hits["5-documents-off"], Pair(0, 0));
  EXPECT_EQ(hits["4-documents-on"], Pair(640, 15'360));
  EXPECT_EQ(hits["5-documents-on"], Pair(0, 20'000));
  EXPECT_EQ(hits["6-documents-on"], Pair(0, 960));
  EXPECT_EQ(hits["7-documents-on"], Pair(0, 0));
}

TEST_F(LiveEvidence, AServerThatNobodyElseUsesIsMeasuredExactlyAlsoWhenAttached) {
  const Json j = reconciled("attach-alone");
  EXPECT_EQ(j.at("reconciled"), 18);
  EXPECT_EQ(j.at("unexplained"), (Json{{"tokens", 0}, {"bytes", 0}}));
  EXPECT_EQ(checks(j)["R13"].at("pass"), 18);
  const auto d = test::cli({"decide", path_});
  EXPECT_THAT(d.out, HasSubstr("The server was not started by us"));
}

TEST_F(LiveEvidence, AStrangersRequestsAreSeenAndTheClaimIsWithdrawn) {
  const Json j = reconciled("attach-stranger");
  auto c = checks(j);
  EXPECT_EQ(c["R9"].at("fail"), 16);
  EXPECT_EQ(c["R16"].at("fail"), 1) << "somebody had used this server before: its first visits were warm";
  EXPECT_EQ(c["R1"].at("pass"), 2) << "a window with somebody else in it is nobody's own";
  EXPECT_EQ(j.at("reconciled"), 1);
  EXPECT_EQ(test::cli({"decide", path_, "--json"}).json().at("verdict"), "withdrawn");
}

TEST_F(LiveEvidence, SixteenStreamsAddUpOverTheWindow) {
  const Json j = reconciled("closed-16-0.6b");
  auto c = checks(j);
  EXPECT_EQ(j.at("reconciled"), 36);
  EXPECT_EQ(c["R14"].at("pass"), 1);
  EXPECT_EQ(c["R2"].at("pass"), 36);
  EXPECT_EQ(c["R1"].at("pass"), 0);
  EXPECT_EQ(c["R7"].at("pass"), 1) << "all bytes stored in the window are accounted for";
}

TEST_F(LiveEvidence, KvEventsOfARealEngineAgreeWithItsCounters) {
  const Json j = reconciled("events-0.6b");
  auto c = checks(j);
  EXPECT_EQ(j.at("reconciled"), 18);
  EXPECT_EQ(c["R19"].at("pass"), 1);
  EXPECT_EQ(c["R19"].at("fail"), 0);
}

TEST_F(LiveEvidence, AKilledApiServerEndsInAFailedSessionThatSaysSo) {
  const Json j = reconciled("kill-api");
  ASSERT_EQ(j.at("sessions").size(), 1u);
  EXPECT_EQ(j.at("sessions")[0].at("state"), "failed");
  EXPECT_EQ(j.at("requests"), 0);
}

}  // namespace
}  // namespace kvcliff
