// SPDX-License-Identifier: GPL-3.0-or-later
// import, --trust, and a public trace as a workload: from file to judged journal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "base/json.h"
#include "cli.h"
#include "plan/plan.h"

namespace kvcliff {
namespace {
using test::Cli;
using ::testing::AllOf;
using ::testing::HasSubstr;

class Exchange : public ::testing::Test {
 protected:
  std::string changed(const std::string& name, const std::string& as, const std::function<void(Json&)>& change) {
    Json p = *parse_json(*read_file(std::string(KVCLIFF_SOURCE_DIR) + "/resources/plans/" + name), name);
    change(p);
    const std::string path = dir_ / as;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    EXPECT_TRUE(write_file(path, p.dump(1)));
    return path;
  }
  struct Said {
    int code = -1;
    std::string out, err;
    Json json() const { return parse_json(out, "stdout").value_or(Json()); }
  };
  Said cli(std::vector<std::string> args) {
    Cli c(dir_, std::move(args));
    Said s;
    s.code = c.wait();
    s.out = c.out();
    s.err = c.err();
    return s;
  }
  static void small(Json& p) {
    p["workload"]["documents"] = 2;
    p["workload"]["tokens"] = 103;
    p["workload"]["rounds"] = 2;
    p["capacity"]["gpu_blocks"] = 10;
    p["schedule"]["pairs"] = 1;
    p["schedule"]["controls"] = Json::array();
  }
  test::TempDir dir_;
};

TEST_F(Exchange, ABundleIsImportedOnceAndJudgedAsBefore) {
  const std::string plan = changed("reference.json", "plan.json", small);
  const auto ran = cli({"run", plan, "--journal", dir_ / "a.kvcliff", "--time-scale", "0.01", "--json"});
  ASSERT_LE(ran.code, 1) << ran.err;
  ASSERT_EQ(cli({"export", dir_ / "a.kvcliff", "--out", dir_ / "bundle.kvcliff"}).code, 0);
  const auto first = cli({"import", dir_ / "bundle.kvcliff", "--journal", dir_ / "b.kvcliff", "--json"});
  ASSERT_EQ(first.code, 0) << first.err;
  ASSERT_EQ(first.json().at("added").size(), 1u);
  EXPECT_EQ(first.json().at("added")[0].at("experiment"), ran.json().at("experiment"));
  const auto again = cli({"import", dir_ / "bundle.kvcliff", "--journal", dir_ / "b.kvcliff", "--json"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_TRUE(again.json().at("added").empty());
  EXPECT_EQ(again.json().at("already_there").size(), 1u);
  const auto judged = cli({"reconcile", dir_ / "b.kvcliff", "--json"});
  EXPECT_EQ(judged.code, ran.code);
  EXPECT_EQ(judged.json().at("reconciled"), ran.json().at("reconciled"));
}

TEST_F(Exchange, APlanOutOfABundleRunsOnlyWithItsHash) {
  const std::string plan = changed("reference.json", "plan.json", small);
  ASSERT_LE(cli({"run", plan, "--journal", dir_ / "a.kvcliff", "--time-scale", "0.01", "--quiet"}).code, 1);
  const auto exported = cli({"export", dir_ / "a.kvcliff", "--out", dir_ / "bundle.kvcliff", "--json"});
  const std::string hash = exported.json().at("plan_hash");
  EXPECT_EQ(hash, cli({"plan", "check", plan, "--json"}).json().at("plan_hash"));
  const std::vector<std::string> run{"run", dir_ / "bundle.kvcliff", "--journal", dir_ / "b.kvcliff", "--time-scale", "0.01", "--json"};
  const auto with = [&](std::vector<std::string> more) {
    auto args = run;
    args.insert(args.end(), more.begin(), more.end());
    return cli(args);
  };
  const auto none = with({});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.out, AllOf(HasSubstr("only when it is trusted"), HasSubstr("--trust " + hash)));
  const auto wrong = with({"--trust", std::string(64, '0')});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.out, HasSubstr("its hash is " + hash));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "b.kvcliff")) << "nothing was begun";
  const auto good = with({"--trust", hash});
  EXPECT_LE(good.code, 1) << good.err;
  EXPECT_EQ(good.json().at("plan_hash"), hash);
  EXPECT_EQ(good.json().at("reconciled"), good.json().at("requests"));
  EXPECT_EQ(cli({"run", plan, "--journal", dir_ / "c", "--trust", hash}).code, 2) << "a plan file needs none, and says so";
  EXPECT_EQ(cli({"plan", "show", dir_ / "bundle.kvcliff", "--json"}).json().at("plan_hash"), hash) << "to look before trusting";
}

TEST_F(Exchange, AForeignResultIsListedAndItsChecksAreNotPossible) {
  ASSERT_TRUE(write_file(dir_ / "result.json",
                         R"({"date":"20261130-101500","model_id":"Qwen/Qwen3-0.6B","input_lens":[2003,2003],"output_lens":[3,2],"ttfts":[0.083,0.031],"itls":[[0.003,0.004],[0.005]],"errors":["",""]})"));
  const auto in = cli({"import", dir_ / "result.json", "--journal", dir_ / "j.kvcliff", "--json"});
  ASSERT_EQ(in.code, 0) << in.err << in.out;
  EXPECT_EQ(in.json().at("kind"), "vllm bench serve");
  const auto judged = cli({"reconcile", dir_ / "j.kvcliff", "--requests", "--json"});
  EXPECT_EQ(judged.code, 0) << "nothing fails, for nothing could be checked: " << judged.out;
  EXPECT_EQ(cli({"decide", dir_ / "j.kvcliff", "--json"}).json().at("verdict"), "cannot_tell") << "one session is no comparison";
  const auto j = judged.json();
  EXPECT_EQ(j.at("requests"), 2);
  EXPECT_EQ(j.at("simulated"), false);
  EXPECT_EQ(j.at("request_list")[0].at("ttft_ns"), 83'000'000);
  EXPECT_TRUE(j.at("request_list")[0].at("computed").is_null());
  EXPECT_EQ(cli({"report", dir_ / "j.kvcliff", "--out", dir_ / "report"}).code, 0);
  EXPECT_TRUE(std::filesystem::exists(dir_ / "report/report.md"));
  const auto none = cli({"import", dir_ / "nothing.json", "--journal", dir_ / "j.kvcliff"});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("nothing.json"));
}

TEST_F(Exchange, TheMooncakeTraceRunsAsAWorkloadAndReconciles) {
  const auto make = [&](const std::string& as) {
    return changed("mooncake.json", as, [](Json& p) {
      // The plan's own path counts from its folder; this copy lies elsewhere.
      p["workload"]["trace"] = std::string(KVCLIFF_SOURCE_DIR) + "/resources/traces/mooncake_conversation_trace.jsonl.zst";
      p["schedule"]["pairs"] = 1;
    });
  };
  const std::string plan = make("plan.json");
  const auto ran = cli({"run", plan, "--journal", dir_ / "m.kvcliff", "--time-scale", "0.005", "--json"});
  EXPECT_EQ(ran.code, 1) << "one pair is no comparison: " << ran.err;
  const auto j = ran.json();
  EXPECT_EQ(j.at("requests"), 400) << "the first 200 of the trace, without and with the tier";
  EXPECT_EQ(j.at("reconciled"), 400);
  EXPECT_EQ(j.at("unexplained"), (Json{{"tokens", 0}, {"bytes", 0}}));
  for (const auto& c : j.at("checks")) {
    EXPECT_EQ(c.at("fail"), 0) << c.dump();
    if (c.at("id") == "R13") {
      EXPECT_EQ(c.at("pass"), 400) << "predicted request by request";
    }
  }
  // The hash is of the plan as written, wherever it lies.
  EXPECT_EQ(cli({"plan", "check", make("elsewhere/other.json"), "--json"}).json().at("plan_hash"), j.at("plan_hash"));
}

TEST_F(Exchange, EveryPlanThatIsShippedIsWholeWithItsFiles) {
  int plans = 0;
  for (const auto& f : std::filesystem::directory_iterator(std::string(KVCLIFF_SOURCE_DIR) + "/resources/plans")) {
    ++plans;
    const std::string plan = f.path();
    EXPECT_EQ(cli({"plan", "check", plan, "--json"}).code, 0) << plan;
    const auto predicted = cli({"predict", "--plan", plan, "--json"});  // builds every prompt, those of a trace too
    EXPECT_EQ(predicted.code, 0) << plan << ": " << predicted.out;
    // Installed, the plans lie in a tree of their own: nothing of the source tree may be needed.
    EXPECT_EQ(read_file(plan)->find("../../"), std::string::npos) << plan;
  }
  EXPECT_GE(plans, 6);
}

TEST_F(Exchange, ARequestsTraceBehavesAsTheRunItCameFrom) {
  const std::string reference = std::string(KVCLIFF_SOURCE_DIR) + "/resources/plans/reference.json";
  ASSERT_EQ(cli({"run", reference, "--journal", dir_ / "a.kvcliff", "--time-scale", "0.01", "--quiet"}).code, 0);
  const auto out = cli({"export", dir_ / "a.kvcliff", "--trace", dir_ / "t.jsonl", "--session", "2", "--measured-only", "--json"});
  ASSERT_EQ(out.code, 0) << out.err << out.out;
  EXPECT_EQ(out.json().at("requests"), 18);
  EXPECT_EQ(out.json().at("arm"), "on");
  EXPECT_EQ(out.json().at("block_size"), 16);
  EXPECT_EQ(out.json().at("distinct_blocks"), 6 * 125);
  EXPECT_EQ(read_file(dir_ / "t.jsonl")->find("token"), std::string::npos);
  // The curve of the trace at the plan's capacities, and that of the plan: 12 revisits of 2,000 tokens from the host.
  const auto point = [&](std::vector<std::string> args) {
    args.insert(args.end(), {"--gpu-blocks", "384", "--host-blocks", "1250", "--json"});
    const auto said = cli(std::move(args));
    EXPECT_EQ(said.code, 0) << said.err << said.out;
    return said.json().value("points", Json::array());
  };
  const auto of_trace = point({"curve", dir_ / "t.jsonl"});
  EXPECT_EQ(of_trace, point({"curve", "--plan", reference}));
  EXPECT_EQ(of_trace.at(0).at("host_loaded"), 24'000);
  // And as a workload of a plan: what is sent has the trace's blocks, and every prediction comes true.
  const std::string plan = changed("reference.json", "replay.json", [&](Json& p) {
    p["workload"] = {{"kind", "trace"}, {"trace", dir_ / "t.jsonl"}, {"output_tokens", 16}, {"seed", 5}};
    p["arms"].erase(2);
    p["schedule"] = {{"pairs", 1}, {"controls", Json::array()}};
  });
  const auto replay = cli({"run", plan, "--journal", dir_ / "b.kvcliff", "--time-scale", "0.01", "--json"});
  EXPECT_EQ(replay.code, 1) << "one pair is no comparison: " << replay.err;
  EXPECT_EQ(replay.json().at("requests"), 36);
  EXPECT_EQ(replay.json().at("reconciled"), 36);
  const auto list = cli({"reconcile", dir_ / "b.kvcliff", "--requests", "--json"}).json().at("request_list");
  std::int64_t loaded = 0;
  for (const auto& r : list) loaded += r.at("host_loaded").get<std::int64_t>();
  EXPECT_EQ(loaded, 24'000);
  // Nothing is overwritten, and options of a trace mean nothing for a bundle.
  EXPECT_EQ(cli({"export", dir_ / "a.kvcliff", "--trace", dir_ / "t.jsonl"}).code, 3);
  EXPECT_EQ(cli({"export", dir_ / "a.kvcliff", "--salt", "x"}).code, 2);
  EXPECT_EQ(cli({"export", dir_ / "a.kvcliff", "--trace", dir_ / "u", "--out", dir_ / "v"}).code, 2);
}

TEST_F(Exchange, ARelativeTraceDoesNotChangeTheHashOfItsPlan) {
  std::vector<std::string> hashes;
  for (const std::string folder : {"one", "two"}) {
    const std::string plan = changed("mooncake.json", folder + "/plan.json", [](Json& p) { p["workload"]["trace"] = "t.jsonl"; });
    ASSERT_TRUE(write_file(dir_ / folder / "t.jsonl", "{\"timestamp\":0,\"input_length\":512,\"output_length\":1,\"hash_ids\":[0]}\n"));
    hashes.push_back(cli({"plan", "check", plan, "--json"}).json().value("plan_hash", folder));
    hashes.push_back(plan::hash(plan::parse_file(plan).plan));
  }
  EXPECT_THAT(hashes, ::testing::Each(hashes.front()));
}

}  // namespace
}  // namespace kvcliff
