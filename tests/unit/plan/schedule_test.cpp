// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/plan.h"
#include "support/data.h"

namespace kvcliff::plan {
namespace {

using ::testing::HasSubstr;

Plan reference() { return parse_file(KVCLIFF_SOURCE_DIR "/resources/plans/reference.json").plan; }

std::string order(const Plan& plan) {
  std::string out;
  for (const auto& s : schedule(plan)) out += (out.empty() ? "" : " ") + (s.conditioning ? "(" + s.arm + ")" : s.arm);
  return out;
}

TEST(Schedule, ReferenceIsOffOnOnOffThenControlWith78Requests) {
  const auto plan = reference();
  EXPECT_EQ(order(plan), "off on on off control");
  std::int64_t requests = 0;
  for (const auto& s : schedule(plan)) requests += *request_count(*for_arm(plan, s.arm));
  EXPECT_EQ(requests, 78);
}

TEST(Schedule, PairsAlternateAbbaBaab) {
  auto plan = reference();
  plan.schedule.controls.clear();
  plan.schedule.pairs = 4;
  EXPECT_EQ(order(plan), "off on on off on off off on");
  plan.schedule.first = "on";
  plan.schedule.pairs = 3;
  EXPECT_EQ(order(plan), "on off off on off on");
  plan.schedule.pairs = 5;
  const auto sessions = schedule(plan);
  ASSERT_EQ(sessions.size(), 10u);
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    EXPECT_EQ(sessions[i].ordinal, static_cast<int>(i));
    EXPECT_EQ(sessions[i].pair, static_cast<int>(i / 2));
  }
  for (std::size_t i = 0; i < sessions.size(); i += 2) EXPECT_NE(sessions[i].arm, sessions[i + 1].arm);
}

TEST(Schedule, ConditioningComesFirstAndCalibrationLast) {
  auto plan = reference();
  plan.schedule.conditioning = 1;
  plan.arms.push_back({.name = "ladder"});
  plan.schedule.calibration = "ladder";
  EXPECT_EQ(order(plan), "(off) off on on off control ladder");
  EXPECT_EQ(schedule(plan).front().pair, -1);
  EXPECT_EQ(schedule(plan).back().pair, -1);
}

TEST(Arms, OverridesReplaceOnlyWhatTheyName) {
  const auto plan = reference();
  const auto control = for_arm(plan, "control");
  ASSERT_TRUE(control);
  EXPECT_EQ(control->workload.documents, 2);
  auto same = *control;
  same.workload.documents = 6;
  EXPECT_EQ(same, plan);
  EXPECT_EQ(*for_arm(plan, "on"), plan);
  EXPECT_FALSE(for_arm(plan, "of"));
  EXPECT_THAT(for_arm(plan, "of").error().next, HasSubstr("off, on, control"));
}

TEST(Arms, WrongOverridesAreAllNamed) {
  auto plan = reference();
  plan.arms[2].overrides = {{"workload.documents", 2}, {"capacity.gpu_blks", 3}, {"workload.tokens", "x"}, {"schedule.pairs", 1},
                            {"capacity.offload.policy.x", 1}, {"model.", 1}};
  const auto faults = validate(plan);
  std::vector<std::string> places;
  for (const auto& f : faults) places.push_back(f.field);
  EXPECT_THAT(places, ::testing::UnorderedElementsAre("arms[2].overrides.capacity.gpu_blks", "arms[2].overrides.workload.tokens",
                                                      "arms[2].overrides.schedule.pairs", "arms[2].overrides.capacity.offload.policy.x",
                                                      "arms[2].overrides.model."));
  plan.arms[2].overrides = {{"workload.tokens", 9000}};
  ASSERT_FALSE(validate(plan).empty());
  EXPECT_THAT(validate(plan)[0].what, HasSubstr("Arm \"control\": A prompt of 9,000 tokens"));
}

TEST(Arms, ComparedArmsMayDifferInTheTierOnly) {
  auto plan = reference();
  plan.arms[1].overrides = {{"capacity.host_bytes", 1'146'880'000}};
  EXPECT_TRUE(validate(plan).empty());
  plan.arms[1].overrides = {{"capacity.gpu_blocks", 400}};
  ASSERT_EQ(validate(plan).size(), 1u);
  EXPECT_EQ(validate(plan)[0].field, "arms[1].overrides.capacity.gpu_blocks");
  plan.arms[0].overrides = plan.arms[1].overrides;
  EXPECT_TRUE(validate(plan).empty()) << "the same change in both compared arms is no difference";
  plan = reference();
  plan.arms[0].offload = true;
  ASSERT_EQ(validate(plan).size(), 1u);
  plan = reference();
  plan.arms.erase(plan.arms.begin() + 1);
  ASSERT_EQ(validate(plan).size(), 1u);
  EXPECT_THAT(validate(plan)[0].what, HasSubstr("no arm \"on\""));
}

TEST(Arms, NamesAreUniqueAndControlsExist) {
  auto plan = reference();
  plan.arms.push_back({.name = "off"});
  plan.schedule.controls = {"contrl"};
  const auto faults = validate(plan);
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_THAT(faults[0].what, HasSubstr("Two arms"));
  EXPECT_THAT(faults[1].next, HasSubstr("\"control\""));
}

TEST(Warnings, ReferenceHasNoneWithItsBytesPerToken) {
  const auto found = warnings(reference(), 114'688);
  EXPECT_TRUE(found.empty()) << (found.empty() ? "" : found[0].what);
}

TEST(Warnings, NameWhatIsLikelyNotMeant) {
  const auto fields = [](const Plan& p, std::optional<std::int64_t> per_token = std::nullopt) {
    std::vector<std::string> out;
    for (const auto& w : warnings(p, per_token)) out.push_back(w.field);
    return out;
  };
  auto plan = reference();
  plan.workload.tokens = 2000;
  EXPECT_THAT(fields(plan), ::testing::ElementsAre("workload.tokens"));
  plan = reference();
  plan.capacity.gpu_blocks = 2000;
  EXPECT_THAT(fields(plan), ::testing::ElementsAre("capacity.gpu_blocks"));
  plan = reference();
  plan.capacity.host_bytes = 300 * 16 * 114'688;
  EXPECT_THAT(fields(plan), ::testing::ElementsAre());
  EXPECT_THAT(fields(plan, 114'688), ::testing::ElementsAre("capacity.host_bytes")) << "a tier smaller than the GPU cache";
  plan.capacity.host_bytes = 500 * 16 * 114'688;
  ASSERT_EQ(warnings(plan, 114'688).size(), 1u);
  EXPECT_THAT(warnings(plan, 114'688)[0].what, HasSubstr("756 blocks is past the host tier's cliff at 500"));
  plan = reference();
  plan.schedule.pairs = 1;
  EXPECT_THAT(fields(plan), ::testing::ElementsAre("schedule.pairs"));
  plan = reference();
  plan.engine.adapter = "vllm";
  EXPECT_THAT(fields(plan), ::testing::ElementsAre("schedule.pairs", "schedule.conditioning"));
  plan = reference();
  plan.gates["R17"] = false;
  EXPECT_THAT(fields(plan), ::testing::ElementsAre("gates.R17"));
}

TEST(WorkingSet, CountsFullBlocksOfPromptAndOutput) {
  EXPECT_EQ(working_set(reference()), Blocks(6 * 126));
  auto plan = reference();
  plan.workload.shared_prefix_tokens = 160;
  EXPECT_EQ(working_set(plan), Blocks(10 + 6 * 116));
}

}  // namespace
}  // namespace kvcliff::plan
