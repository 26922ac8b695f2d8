// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli.h"

namespace kvcliff {
namespace {

using test::cli;
using testing::HasSubstr;

std::string conversation() { return test::data("traces/mooncake_conversation_trace.jsonl.zst").string(); }

TEST(CurveCommand, GivesTheGoldenNumbersOfTheConversation) {
  const auto r = cli({"curve", conversation(), "--gpu-blocks", "1000,5000,50000", "--host-blocks", "0,1000,5000,20000", "--host-touch", "lookup", "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json j = r.json();
  EXPECT_EQ(j.at("block_size"), 512);
  EXPECT_EQ(j.at("requests"), 12'031);
  EXPECT_EQ(j.at("prompt_tokens"), 144'793'823);
  EXPECT_EQ(j.at("points").size(), 12u);
  const auto at = [&](int gpu, int host) {
    for (const auto& p : j.at("points"))
      if (p.at("gpu_blocks") == gpu && p.at("host_blocks") == host)
        return std::vector<std::int64_t>{p.at("gpu_hit"), p.at("host_loaded"), p.at("computed")};
    return std::vector<std::int64_t>{};
  };
  EXPECT_EQ(at(1'000, 0), (std::vector<std::int64_t>{6'649'856, 0, 138'143'967}));
  EXPECT_EQ(at(1'000, 1'000), (std::vector<std::int64_t>{6'649'856, 1'024, 138'142'943}));
  EXPECT_EQ(at(5'000, 5'000), (std::vector<std::int64_t>{17'502'720, 4'096, 127'287'007}));
  EXPECT_EQ(at(5'000, 20'000), (std::vector<std::int64_t>{17'502'720, 25'859'584, 101'431'519}));
  EXPECT_EQ(at(50'000, 0), (std::vector<std::int64_t>{52'594'176, 0, 92'199'647}));
}

TEST(CurveCommand, TakesTheNewestRuleByDefault) {
  const auto r = cli({"curve", conversation(), "--gpu-blocks", "1000", "--host-blocks", "5000", "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.json().at("host_touch"), "finish");
  EXPECT_EQ(r.json().at("points")[0].at("host_loaded"), 10'846'720);
  EXPECT_EQ(r.json().at("points")[0].at("computed"), 127'297'247);
}

TEST(CurveCommand, WithoutListsGivesTheWholeCurveThinned) {
  const auto r = cli({"curve", conversation(), "--host-touch", "lookup", "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json j = r.json();
  EXPECT_LE(j.at("points").size(), 2'000u);
  EXPECT_GT(j.at("points").size(), 500u);
  EXPECT_EQ(j.at("axes").size(), 2u);
  std::int64_t last = -1, hits = -1;
  const auto of_gpu = j.at("axes")[0].at("points").get<std::size_t>();
  EXPECT_EQ(j.at("axes")[0].at("varies"), "gpu_blocks");
  for (std::size_t i = 0; i < of_gpu; ++i) {
    const Json& p = j.at("points")[i];
    EXPECT_EQ(p.at("host_blocks"), 0);
    EXPECT_GT(p.at("gpu_blocks").get<std::int64_t>(), last);
    EXPECT_GE(p.at("gpu_hit").get<std::int64_t>(), hits);
    last = p.at("gpu_blocks");
    hits = p.at("gpu_hit");
  }
  EXPECT_EQ(hits, j.at("statistics").at("ceiling_gpu_tokens"));  // the plateau behind the last change
}

TEST(CurveCommand, OfThePlanFindsBothEdgesAndTheirBytes) {
  const auto r = cli({"curve", "--plan", test::reference_plan(), "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json j = r.json();
  EXPECT_EQ(j.at("requests"), 18);
  EXPECT_EQ(j.at("distinct_blocks"), 750);
  EXPECT_EQ(j.at("cliff").at("gpu").at("none_up_to").at("blocks"), 626);
  EXPECT_EQ(j.at("cliff").at("gpu").at("all_from").at("blocks"), 751);
  EXPECT_EQ(j.at("cliff").at("host").at("none_up_to").at("blocks"), 625);
  EXPECT_EQ(j.at("cliff").at("host").at("all_from").at("blocks"), 750);
  EXPECT_EQ(j.at("cliff").at("host").at("all_from").at("bytes"), 750ll * 16 * 114'688);
  EXPECT_EQ(j.at("cliff").at("host").at("kind"), "cliff");
}

TEST(CurveCommand, TakesTheRequestsOfTheArmThatIsAskedFor) {
  const auto off = cli({"curve", "--plan", test::reference_plan(), "--arm", "off", "--gpu-blocks", "384,1000", "--host-blocks", "0", "--json"});
  ASSERT_EQ(off.code, 0) << off.err;
  EXPECT_EQ(off.json().at("requests"), 18);
  EXPECT_EQ(off.json().at("points")[0].at("gpu_hit"), 0);
  EXPECT_EQ(off.json().at("points")[1].at("gpu_hit"), 24'000);
  // The control's two documents fit where the other arms' six do not.
  const auto control = cli({"curve", "--plan", test::reference_plan(), "--arm", "control", "--gpu-blocks", "384", "--host-blocks", "0", "--json"});
  ASSERT_EQ(control.code, 0) << control.err;
  EXPECT_EQ(control.json().at("requests"), 6);
  EXPECT_EQ(control.json().at("points")[0].at("gpu_hit"), 8'000);
}

TEST(CurveCommand, AnUnorderedTierIsARange) {
  const auto r = cli({"curve", "--plan", test::reference_plan(), "--gpu-blocks", "384", "--host-blocks", "690,750", "--host-touch", "unordered", "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json points = r.json().at("points");
  EXPECT_LT(points[0].at("host_loaded").at("min"), points[0].at("host_loaded").at("max"));
  EXPECT_FALSE(points[0].at("host_loaded").at("why").get<std::string>().empty());
  EXPECT_EQ(points[1].at("host_loaded"), 24'000);
}

TEST(CurveCommand, SmallerBlocksAndWordsForPeople) {
  const auto r = cli({"curve", conversation(), "--first", "200", "--block-size", "16", "--gpu-blocks", "100000"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("full blocks of 16 tokens"));
  EXPECT_THAT(r.out, HasSubstr("Host tier for 90 % of the reachable hits"));
}

TEST(CurveCommand, LengthsNeedAStatedModel) {
  const auto csv = test::data("traces/AzureLLMInferenceTrace_code.csv.zst").string();
  const auto r = cli({"curve", csv, "--gpu-blocks", "10000", "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.json().at("points")[0].at("gpu_hit"), 0);
  EXPECT_THAT(r.json().at("prefix_model").get<std::string>(), HasSubstr("lengths only"));
  EXPECT_TRUE(r.json().at("cliff").at("gpu").is_null());
  EXPECT_FALSE(r.json().at("cliff").at("why").get<std::string>().empty());
  EXPECT_EQ(cli({"curve", csv, "--prefix-model", "guess", "--json"}).code, 2);
}

TEST(CurveCommand, ASampleStatesItsError) {
  const auto r = cli({"curve", conversation(), "--sample", "0.1", "--gpu-blocks", "5000", "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  const auto p = r.json().at("points")[0];
  EXPECT_GT(p.at("error_tokens"), 0);
  EXPECT_NEAR(p.at("gpu_hit").get<double>(), 17'502'720, 2 * p.at("error_tokens").get<double>());
}

TEST(CurveCommand, ASampleWithoutListsGoesUpToEveryBlock) {
  const auto r = cli({"curve", conversation(), "--sample", "1", "--block-size", "256", "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  const auto j = r.json();
  EXPECT_EQ(j.at("block_size"), 256);
  EXPECT_EQ(j.at("prompt_tokens"), 144'793'823);
  const auto& points = j.at("points");
  ASSERT_GT(points.size(), 20u);
  for (std::size_t i = 1; i < points.size(); ++i) {
    EXPECT_GT(points[i].at("gpu_blocks"), points[i - 1].at("gpu_blocks"));
    EXPECT_GE(points[i].at("gpu_hit"), points[i - 1].at("gpu_hit"));
  }
  // Without end, by the exact curve.
  const auto exact = cli({"curve", conversation(), "--block-size", "256", "--gpu-blocks", "1000000", "--json"}).json().at("points")[0].at("gpu_hit").get<double>();
  EXPECT_NEAR(points.back().at("gpu_hit").get<double>(), exact, points.back().at("error_tokens").get<double>() + 1e-6 * exact);
}

TEST(CurveCommand, BadInputIsRefusedInOneDocument) {
  const test::TempDir dir;
  const std::string broken = dir / "broken.jsonl";
  ASSERT_TRUE(write_file(broken, "{\"hash_ids\":[1],\"input_length\":512}\n{\"hash_ids\":[1,\n{\"hash_ids\":[1],\"input_length\":512}\n"));
  const std::vector<std::vector<std::string>> wrong{
      {},
      {"--plan", "/nonexistent.json"},
      {"/nonexistent.jsonl"},
      {broken},
      {conversation(), "--plan", test::reference_plan()},
      {conversation(), "--gpu-blocks", "10,x"},
      {conversation(), "--gpu-blocks", "-5"},
      {conversation(), "--gpu-blocks", "10,,20"},
      {conversation(), "--host-touch", "later"},
      {conversation(), "--free-order", "sideways"},
      {conversation(), "--block-size", "48", "--gpu-blocks", "1"},
      {"--plan", test::reference_plan(), "--arm", "nobody"},
  };
  for (auto args : wrong) {
    args.insert(args.begin(), "curve");
    args.push_back("--json");
    const auto r = cli(args);
    EXPECT_EQ(r.code, 2) << testing::PrintToString(args);
    const Json j = r.json();
    for (const char* field : {"code", "what", "where", "why", "next"}) EXPECT_TRUE(j.at("error").contains(field)) << testing::PrintToString(args);
  }
  EXPECT_THAT(cli({"curve", broken}).err, HasSubstr("line 2"));
  const auto skipped = cli({"curve", broken, "--skip-bad-lines", "--gpu-blocks", "10", "--json"});
  ASSERT_EQ(skipped.code, 0);
  EXPECT_EQ(skipped.json().at("requests"), 2);
  EXPECT_THAT(skipped.json().at("warnings")[0].get<std::string>(), HasSubstr("line 2"));
}

}  // namespace
}  // namespace kvcliff
