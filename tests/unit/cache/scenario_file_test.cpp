// SPDX-License-Identifier: GPL-3.0-or-later
// Scenario files that are wrong: the scenario and the field are named, nothing is guessed.
#include <gtest/gtest.h>

#include "base/file.h"
#include "cache/scenario.h"
#include "support/data.h"

namespace kvcliff::cache {
namespace {

Json good() {
  return Json::parse(R"({"block_size":16,"scenarios":[{"id":"S1","N":10,"Ch":4,"requests":[["A",[["A",55]],1],"RESET",["A",[["A",55]],1]]}]})");
}

TEST(ScenarioFile, AnOmittedRuleIsTheNewestAndAResetYieldsNoEntry) {
  const auto f = read_scenarios(good(), "file");
  ASSERT_TRUE(f) << f.error().sentence();
  const Scenario& s = f->scenarios.at(0);
  EXPECT_EQ(s.inputs.size(), 2u);
  EXPECT_TRUE(s.inputs[1].reset_gpu);
  EXPECT_EQ(s.config.host_touch, HostTouch::finish);
  EXPECT_EQ(s.inputs[0].request.keys.size(), 3u);
  EXPECT_EQ(s.inputs[0].request.keys, s.inputs[1].request.keys);
  EXPECT_FALSE(f->single);
}

TEST(ScenarioFile, AFieldThatStandsTwiceIsNamed) {
  const test::TempDir dir;
  ASSERT_TRUE(write_file(dir / "s.json", R"({"block_size":16,"scenarios":[{"id":"S1","N":10,"Ch":4,"N":12,"requests":[["A",[["A",55]],1]]}]})"));
  const auto f = read_scenario_file((dir / "s.json").string());
  ASSERT_FALSE(f);
  EXPECT_NE(f.error().sentence().find(".N\" stands twice"), std::string::npos) << f.error().sentence();
}

TEST(ScenarioFile, OutputTokensContinueTheLastDocument) {
  Json j = good();
  j["scenarios"][0]["requests"] = Json::parse(R"([["a",[["C",20]],12],["b",[["C",32]],1]])");
  const auto f = read_scenarios(j, "file");
  ASSERT_TRUE(f);
  const auto& in = f->scenarios[0].inputs;
  ASSERT_EQ(in[0].request.keys.size(), 2u);
  EXPECT_EQ(in[0].request.keys, in[1].request.keys);
}

TEST(ScenarioFile, ASingleObjectNeedsItsOwnBlockSize) {
  Json one = good()["scenarios"][0];
  auto f = read_scenarios(one, "file");
  ASSERT_FALSE(f);
  EXPECT_NE(f.error().where.find("\"block_size\""), std::string::npos) << f.error().sentence();
  one["block_size"] = 16;
  f = read_scenarios(one, "file");
  ASSERT_TRUE(f);
  EXPECT_TRUE(f->single);
}

TEST(ScenarioFile, EveryFaultNamesItsScenarioAndField) {
  const auto refused = [](const std::string& field, const Json& value) {
    Json j = good();
    j["scenarios"][0][field.substr(0, field.find('['))] = value;
    const auto f = read_scenarios(j, "file");
    ASSERT_FALSE(f) << field << " " << value.dump();
    EXPECT_EQ(f.error().code, ErrorCode::bad_usage);
    EXPECT_NE(f.error().where.find("S1"), std::string::npos) << f.error().sentence();
    EXPECT_NE(f.error().where.find("\"" + field + "\""), std::string::npos) << f.error().sentence();
    EXPECT_FALSE(f.error().why.empty());
    EXPECT_FALSE(f.error().next.empty());
  };
  refused("N", -1);
  refused("N", "ten");
  refused("N", 1.5);
  refused("N", nullptr);
  refused("N", 18446744073709551615u);
  refused("Ch", Json::array());
  refused("block_size", 0);
  refused("blocks_per_chunk", 0);
  refused("policy", "fifo");
  refused("tier", "disk");
  refused("free_order", "sideways");
  refused("host_touch", Json::array({"finish", "never"}));
  refused("host_touch", Json::array());
  refused("offload_prompt_only", 1);
  refused("requests", 5);
  refused("requests[0]", Json::parse(R"(["reset"])"));
  refused("requests[0]", Json::parse(R"([["A",[["A",0]],1]])"));
  refused("requests[0]", Json::parse(R"([["A",[["A",-5]],1]])"));
  refused("requests[0]", Json::parse(R"([["A",[["A"]],1]])"));
  refused("requests[0]", Json::parse(R"([["A",[["A",55]],0]])"));
  refused("requests[0]", Json::parse(R"([["A",[["A",55]]]])"));
  refused("requests[0]", Json::parse(R"([["A",[["A",99999999999]],1]])"));
  refused("expect", Json::parse(R"([[1,2,3,4]])"));
  refused("expect", Json::parse(R"([[1,2,3,4],[1,2,3]])"));
}

TEST(ScenarioFile, AMemberThatIsNotKnownIsSaid) {
  Json j = good();
  j["scenarios"][0]["blocks_per_chnk"] = 2;
  const auto f = read_scenarios(j, "file");
  ASSERT_TRUE(f);
  ASSERT_EQ(f->warnings.size(), 1u);
  EXPECT_NE(f->warnings[0].find("blocks_per_chnk"), std::string::npos);
}

TEST(ScenarioFile, ThingsThatAreNoScenarioAreRefused) {
  for (const char* text : {"[]", "5", "null", R"({"scenarios":5})", R"({"scenarios":[5],"block_size":16})", R"({"scenarios":[],"block_size":"16"})", "{}"})
    EXPECT_FALSE(read_scenarios(Json::parse(text), "file")) << text;
  EXPECT_FALSE(read_scenario_file("/nonexistent/scenarios.json"));
}

}  // namespace
}  // namespace kvcliff::cache
