// SPDX-License-Identifier: GPL-3.0-or-later
// What the program measured on a real H200 with a real vLLM 0.26.0, and on a CPU with a real 0.32.0, must come out the same
// from the journal alone. Origin of the journals and the expected numbers: the README beside them.
#include <gtest/gtest.h>

#include <map>

#include "integration/cli_predict/cli.h"

namespace kvcliff {
namespace {

class LiveJournal : public ::testing::Test {
 protected:
  // The plans name the model by places of the machine that measured, some of them relative: none of them leads anywhere here.
  LiveJournal() { std::filesystem::current_path(dir_.path()); }
  ~LiveJournal() override { std::filesystem::current_path("/"); }
  std::string unpacked(const std::string& name, const std::string& folder = "vllm-gpu-live/") {
    const std::string path = dir_ / (name + ".kvcliff");
    EXPECT_TRUE(write_file(path, test::read(folder + name + ".kvcliff.zst")));
    return path;
  }
  test::TempDir dir_;
};

struct Sum {
  int requests = 0;
  std::int64_t computed = 0, gpu = 0, host = 0, loaded = 0;
};
/// By arm, measured requests.
std::map<std::string, Sum> sums(const Json& j) {
  std::map<int, std::string> arm;
  for (const auto& s : j["sessions"])
    if (s["state"] == "finished") arm[s["ordinal"]] = s["arm"];
  std::map<std::string, Sum> out;
  for (const auto& r : j["request_list"]) {
    Sum& s = out[arm.at(r["session"])];
    ++s.requests;
    s.computed += r["computed"].get<std::int64_t>();
    s.gpu += r["gpu_hit"].get<std::int64_t>();
    s.host += r["host_loaded"].get<std::int64_t>();
    if (r["loaded_bytes"].is_number()) s.loaded += r["loaded_bytes"].get<std::int64_t>();
  }
  return out;
}

std::map<std::string, Json> checks(const Json& j) {
  std::map<std::string, Json> out;
  for (const auto& c : j["checks"]) out[c["id"]] = c;
  return out;
}

TEST_F(LiveJournal, TheReferencePlanReconcilesAndIsPredictedWhole) {
  const auto r = test::cli({"reconcile", unpacked("reference-0.6b"), "--requests", "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json j = r.json();
  EXPECT_EQ(j["requests"], 78);
  EXPECT_EQ(j["reconciled"], 78);
  EXPECT_EQ(j["simulated"], false);
  EXPECT_EQ(j["unexplained"]["tokens"], 0);
  EXPECT_EQ(j["unexplained"]["bytes"], 0);
  auto by_arm = sums(j);
  EXPECT_EQ(by_arm["off"].computed, 2 * 36'054);
  EXPECT_EQ(by_arm["off"].gpu + by_arm["off"].host, 0);
  EXPECT_EQ(by_arm["on"].computed, 2 * 12'054);
  EXPECT_EQ(by_arm["on"].host, 2 * 24'000);
  EXPECT_EQ(by_arm["on"].loaded, 2 * 2'752'512'000);
  EXPECT_EQ(by_arm["control"].computed, 4'018);
  EXPECT_EQ(by_arm["control"].gpu, 8'000);
  auto c = checks(j);
  for (const auto& [id, one] : c) EXPECT_EQ(one["fail"], 0) << id;
  EXPECT_EQ(c["R3"]["pass"], 36);
  EXPECT_EQ(c["R7"]["not_possible"], 0);
  EXPECT_EQ(c["R13"]["pass"], 78);
  EXPECT_EQ(c["R19"]["pass"], 0) << "events were off: never a pass";
}

TEST_F(LiveJournal, NoHelpIsClaimedWhereTheTimesShowNone) {
  const auto r = test::cli({"decide", unpacked("reference-0.6b"), "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json j = r.json();
  EXPECT_EQ(j["verdict"], "cannot_tell");
  EXPECT_GT(j["ratio"]["high"], 1.05);
  EXPECT_TRUE(j["ttft_model"].is_null());
}

TEST_F(LiveJournal, TheLargerModelWithLongPromptsIsHelped) {
  const std::string path = unpacked("qwen3-8b-8003");
  const auto r = test::cli({"reconcile", path, "--requests", "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json j = r.json();
  EXPECT_EQ(j["reconciled"], 114);
  auto by_arm = sums(j);
  EXPECT_EQ(by_arm["off"].computed + by_arm["on"].computed + by_arm["control"].computed, 592'342);
  EXPECT_EQ(by_arm["control"].gpu, 32'000);
  EXPECT_EQ(by_arm["on"].host, 288'000);
  EXPECT_EQ(by_arm["on"].loaded, 288'000LL * 147'456);
  EXPECT_EQ(checks(j)["R13"]["pass"], 114);
  EXPECT_EQ(checks(j)["R3"]["not_possible"], 0);
  EXPECT_EQ(checks(j)["R7"]["not_possible"], 0);
  const auto d = test::cli({"decide", path, "--json", "--require", "helps"});
  ASSERT_EQ(d.code, 0) << d.err;
  EXPECT_EQ(d.json()["verdict"], "helps");
  EXPECT_NEAR(d.json()["ratio"]["estimate"].get<double>(), 0.514, 0.001);
}

TEST_F(LiveJournal, AnOverfullTierLiesInsideThePredictedRange) {
  const auto r = test::cli({"reconcile", unpacked("host-overflow-0.6b"), "--requests", "--json"});
  ASSERT_EQ(r.code, 1) << "one pair is too few for a claim";
  const Json j = r.json();
  EXPECT_EQ(j["reconciled"], 36);
  EXPECT_EQ(j["unexplained"]["tokens"], 0);
  EXPECT_EQ(checks(j)["R13"]["pass"], 36);
  EXPECT_EQ(sums(j)["on"].host, 1'248);
  EXPECT_EQ(j["sessions"].size(), 3u) << "the attempt that was cut stays listed";
}

TEST_F(LiveJournal, SeveralStreamsDoNotMakeAColdCacheWarm) {
  const auto r = test::cli({"reconcile", unpacked("closed-4-0.6b"), "--json"});
  const Json j = r.json();
  auto c = checks(j);
  EXPECT_EQ(c["R16"]["pass"], 2);
  EXPECT_EQ(c["R16"]["fail"], 0);
  EXPECT_EQ(c["R1"]["pass"], 0) << "a window of several requests is nobody's own";
  EXPECT_EQ(c["R1"]["not_possible"], 36);
  EXPECT_EQ(c["R14"]["pass"], 2);
  // The windows add up: 86,137 tokens by source with the warm-up, 40,384 of them cached, as the answers say too.
  EXPECT_EQ(j["unexplained"], (Json{{"tokens", 0}, {"bytes", 0}}));
}

TEST_F(LiveJournal, AKilledEngineCoreIsNamedAndClaimsNothing) {
  const std::string path = unpacked("kill-engine");
  const Json j = test::cli({"reconcile", path, "--json"}).json();
  ASSERT_FALSE(j["sessions"].empty());
  EXPECT_EQ(j["sessions"][0]["state"], "failed");
  EXPECT_EQ(j["requests"], 0);
  EXPECT_EQ(test::cli({"decide", path, "--json"}).json()["verdict"], "withdrawn");
}

constexpr const char* cpu = "vllm-cpu-live/";

/// Requests whose three sources are the one number that was predicted.
int exactly_predicted(const Json& j) {
  int n = 0;
  for (const auto& r : j["request_list"]) {
    bool exact = true;
    for (const char* source : {"computed", "gpu_hit", "host_loaded"}) {
      const Json& p = r["predicted"][source];
      exact &= p == r[source] || (p.is_object() && p["min"] == r[source] && p["max"] == r[source]);
    }
    n += exact;
  }
  return n;
}

TEST_F(LiveJournal, OnACpuTheReferencePlanReconcilesAndIsPredictedWhole) {
  const auto r = test::cli({"reconcile", unpacked("reference", cpu), "--requests", "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json j = r.json();
  EXPECT_EQ(j["requests"], 78);
  EXPECT_EQ(j["reconciled"], 78);
  EXPECT_EQ(j["simulated"], false);
  EXPECT_EQ(j["unexplained"], (Json{{"tokens", 0}, {"bytes", 0}}));
  for (const auto& s : j["sessions"]) EXPECT_EQ(s["version"], "0.32.0");
  auto by_arm = sums(j);
  EXPECT_EQ(by_arm["off"].computed, 2 * 36'054);
  EXPECT_EQ(by_arm["on"].computed, 2 * 12'054);
  EXPECT_EQ(by_arm["on"].host, 2 * 24'000);
  EXPECT_EQ(by_arm["on"].loaded, 2 * 24'000 * 1'024);
  EXPECT_EQ(by_arm["control"].computed, 4'018);
  EXPECT_EQ(by_arm["control"].gpu, 8'000);
  for (const auto& [id, one] : checks(j)) EXPECT_EQ(one["fail"], 0) << id;
  EXPECT_EQ(checks(j)["R3"]["pass"], 36);
  EXPECT_EQ(checks(j)["R7"]["not_possible"], 0);
  EXPECT_EQ(exactly_predicted(j), 78);
}

// Whatever lies on the reader's machine where the plan names a file: the journal alone is judged.
TEST_F(LiveJournal, AForeignModelAtThePathOfThePlanChangesNothing) {
  const std::string path = unpacked("reference", cpu);
  const std::vector<std::string> questions[] = {{"reconcile", path, "--requests", "--json"}, {"decide", path, "--json"},
                                                {"predict", "--plan", path, "--json"}, {"plan", "show", path, "--json"}};
  std::vector<std::string> before;
  for (const auto& q : questions) before.push_back(test::cli(q).out);
  const std::filesystem::path folder = dir_ / "tests/data/vllm-cpu/models/tiny";
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file(std::string(KVCLIFF_SOURCE_DIR) + "/tests/data/vllm-cpu/models/qwen3-0.6b/config.json", folder / "config.json");
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(test::cli(questions[i]).out, before[i]) << questions[i][0];
  EXPECT_EQ(Json::parse(before[2]).at(0).at("requests").size(), 18u) << "the model that the journal holds is enough to predict with";
}

// From 0.31 recency is given once, when a request finishes: within the ramp the tier keeps other blocks than before.
TEST_F(LiveJournal, OnACpuTheCliffIsWhereItIsPredicted) {
  const auto r = test::cli({"reconcile", unpacked("cliff", cpu), "--requests", "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json j = r.json();
  EXPECT_EQ(j["requests"], 132);
  EXPECT_EQ(j["reconciled"], 132);
  EXPECT_EQ(exactly_predicted(j), 132);
  auto by_arm = sums(j);
  EXPECT_EQ(by_arm["four-documents"].computed, 36'054);
  EXPECT_EQ(by_arm["past-the-ramp"].host, 24'000);
  EXPECT_EQ(by_arm["in-the-ramp"].host, 21'200);
}

TEST_F(LiveJournal, ItIsSaidHowLargeATierMustBeAndWhyThereWasNoReuse) {
  const std::string path = unpacked("reference", cpu);
  const Json j = test::cli({"decide", path, "--json"}).json();
  const Json& sizing = j.at("sizing");
  ASSERT_EQ(sizing.at("shares").size(), 3u);
  const Json& all = sizing.at("shares")[2];
  EXPECT_EQ(all.at("host_bytes").get<std::int64_t>(), all.at("host_blocks").get<std::int64_t>() * 16 * 1'024);
  EXPECT_EQ(sizing.at("present").at("host_blocks"), 1'250);
  EXPECT_EQ(sizing.at("present").at("share"), all.at("share")) << "this tier was past its ramp";
  EXPECT_LE(all.at("host_blocks"), 1'250);
  std::map<std::string, Json> rows;
  for (const auto& r : j.at("no_reuse")) rows[r.at("arm").get<std::string>() + ", " + r.at("kind").get<std::string>()] = r;
  ASSERT_EQ(rows.size(), 4u) << j.at("no_reuse").dump(1);
  EXPECT_EQ(rows["off, first visit"].at("requests"), 6);
  EXPECT_EQ(rows["on, first visit"].at("requests"), 6);
  EXPECT_EQ(rows["control, first visit"].at("requests"), 2);
  EXPECT_EQ(rows["off, thrashing"].at("requests"), 12) << "six documents do not fit the GPU cache";
  EXPECT_EQ(rows["off, thrashing"].at("documents"), (Json{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(rows["off, thrashing"].at("computed_tokens"), 12 * 2'003);
  const auto words = test::cli({"decide", path}).out;
  EXPECT_NE(words.find("Host tier for a target share"), std::string::npos);
  EXPECT_NE(words.find("off, thrashing: 12 requests"), std::string::npos) << words;
  ASSERT_EQ(test::cli({"report", path, "--out", dir_ / "report"}).code, 0);
  for (const char* name : {"report/report.md", "report/report.html"}) {
    const auto page = read_file(dir_ / name);
    ASSERT_TRUE(page) << name;
    for (const char* part : {"Host tier for a target share of revisits", "Why was there no reuse", "thrashing"})
      EXPECT_NE(page->find(part), std::string::npos) << name << " " << part;
  }
}

TEST_F(LiveJournal, OnACpuKvEventsAgreeWithTheCounters) {
  const auto r = test::cli({"reconcile", unpacked("events", cpu), "--requests", "--json"});
  const Json j = r.json();
  EXPECT_EQ(j["reconciled"], 18);
  EXPECT_EQ(checks(j)["R19"]["pass"], 1);
  EXPECT_EQ(checks(j)["R19"]["not_possible"], 0);
}

TEST_F(LiveJournal, OnACpuSixteenStreamsAddUp) {
  const Json j = test::cli({"reconcile", unpacked("streams", cpu), "--json"}).json();
  auto c = checks(j);
  EXPECT_EQ(c["R14"]["pass"], 3);
  EXPECT_EQ(c["R14"]["fail"], 0);
  EXPECT_EQ(c["R16"]["fail"], 0);
  EXPECT_EQ(j["unexplained"], (Json{{"tokens", 0}, {"bytes", 0}}));
}

}  // namespace
}  // namespace kvcliff
