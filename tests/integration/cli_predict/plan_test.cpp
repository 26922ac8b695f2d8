// SPDX-License-Identifier: GPL-3.0-or-later
// `plan check|show` as programs: what cannot run is said before it runs, and what the program ships does run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "integration/cli_predict/cli.h"

namespace kvcliff {
namespace {
namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using test::cli;

class PlanCommands : public ::testing::Test {
 protected:
  Json reference() { return *parse_json(*read_file(test::reference_plan()), "reference.json"); }
  std::string written(const Json& plan, const std::string& name = "plan.json") {
    const std::string path = dir_ / name;
    EXPECT_TRUE(write_file(path, plan.dump(1)));
    return path;
  }
  std::vector<std::string> faulty_fields(const Json& plan) {
    const auto r = cli({"plan", "check", written(plan), "--json"});
    EXPECT_EQ(r.code, 2) << r.out;
    std::vector<std::string> out;
    const Json answer = r.json();
    for (const auto& f : answer.at("error").at("faults")) out.push_back(f.at("field"));
    return out;
  }
  test::TempDir dir_;
};

std::vector<fs::path> shipped() {
  std::vector<fs::path> out;
  for (const auto& e : fs::directory_iterator(std::string(KVCLIFF_SOURCE_DIR) + "/resources/plans"))
    if (e.path().extension() == ".json") out.push_back(e.path());
  return out;
}

TEST_F(PlanCommands, EveryShippedPlanIsValidAndPredictsUnmodified) {
  const auto plans = shipped();
  EXPECT_GE(plans.size(), 6u);
  for (const auto& path : plans) {
    const auto check = cli({"plan", "check", path, "--json"});
    EXPECT_EQ(check.code, 0) << path << check.out << check.err;
    const auto predict = cli({"predict", "--plan", path, "--json"});
    ASSERT_EQ(predict.code, 0) << path << predict.err;
    const Json arms = predict.json();
    for (const auto& arm : arms) EXPECT_FALSE(arm.at("requests").empty()) << path;
  }
}

TEST_F(PlanCommands, TheSmallShippedPlansRunToTheirEnd) {
  for (const char* name : {"demo", "no-help"}) {
    const std::string path = std::string(KVCLIFF_SOURCE_DIR) + "/resources/plans/" + name + ".json";
    const auto run = cli({"run", path, "--journal", dir_ / (std::string(name) + ".kvcliff"), "--time-scale", "0.002", "--json", "--quiet"});
    EXPECT_LE(run.code, 1) << name << run.err;
    const Json j = run.json();
    EXPECT_GT(j.at("requests"), 0) << name;
    EXPECT_EQ(j.at("reconciled"), j.at("requests")) << name;
  }
}

TEST_F(PlanCommands, WhatThePlanNamesAndIsNotThereIsAFaultWithTheOthers) {
  auto p = reference();
  p["model"]["id"] = "no-such-model";
  EXPECT_THAT(faulty_fields(p), ::testing::ElementsAre("model.id"));
  p["capacity"]["gpu_blocks"] = 0;
  EXPECT_THAT(faulty_fields(p), ::testing::UnorderedElementsAre("capacity.gpu_blocks", "model.id"));
  p = reference();
  p["model"] = {{"config", "nowhere/config.json"}};
  p["workload"] = {{"kind", "trace"}, {"trace", "nowhere.jsonl"}};
  EXPECT_THAT(faulty_fields(p), ::testing::UnorderedElementsAre("model.config", "workload.trace"));
  const auto words = cli({"plan", "check", written(p)});
  EXPECT_THAT(words.err, AllOf(HasSubstr("2 faults"), HasSubstr("nowhere/config.json"), HasSubstr("nowhere.jsonl")));
}

TEST_F(PlanCommands, AFileThatIsNoPlanIsSaidOnce) {
  const std::string path = dir_ / "broken.json";
  ASSERT_TRUE(write_file(path, "{\"schema\": 1,,}"));
  const auto r = cli({"plan", "check", path});
  EXPECT_EQ(r.code, 2);
  const auto first = r.err.find("Not valid JSON");
  ASSERT_NE(first, std::string::npos) << r.err;
  EXPECT_EQ(r.err.find("Not valid JSON", first + 1), std::string::npos) << r.err;
  EXPECT_THAT(r.err, HasSubstr("line 1"));
}

TEST_F(PlanCommands, TheNameOfAPlanDoesNotSteerTheTerminal) {
  auto p = reference();
  p["name"] = "a\x1b[2Jb\xe2\x80\xae" "c\x7f";
  const auto path = written(p);
  const auto words = cli({"plan", "show", path});
  EXPECT_EQ(words.code, 0) << words.err;
  EXPECT_THAT(words.out, HasSubstr("a\\x1b[2Jb\\u202ec\\x7f"));
  EXPECT_EQ(words.out.find('\x1b'), std::string::npos);
  EXPECT_EQ(cli({"plan", "show", path, "--json"}).json().at("name"), p["name"]) << "JSON holds the name as it is";
}

TEST_F(PlanCommands, ShowListsTheRequestsThatTheRunWouldSend) {
  const auto r = cli({"plan", "show", test::reference_plan(), "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json lists = r.json().at("request_lists");
  ASSERT_EQ(lists.size(), 2u) << "the control sends other documents";
  EXPECT_EQ(lists[0].at("arms"), (Json{"off", "on"}));
  ASSERT_EQ(lists[0].at("requests").size(), 18u);
  EXPECT_EQ(lists[1].at("requests").size(), 6u);
  const Json& seventh = lists[0].at("requests")[6];
  EXPECT_EQ(seventh.at("document"), 0);
  EXPECT_EQ(seventh.at("round"), 2);
  EXPECT_EQ(seventh.at("prompt_tokens"), 2'003);
  EXPECT_EQ(seventh.at("prompt_hash"), lists[0].at("requests")[0].at("prompt_hash")) << "a revisit is the same prompt";
  const auto words = cli({"plan", "show", test::reference_plan()});
  const std::string hash = r.json().at("plan_hash");
  EXPECT_EQ(hash.size(), 64u);
  EXPECT_THAT(words.out, AllOf(HasSubstr(hash), HasSubstr("... 10 more; --requests lists them all"), HasSubstr(seventh.at("prompt_hash").get<std::string>().substr(0, 16))));
  const auto all = cli({"plan", "show", test::reference_plan(), "--requests"});
  EXPECT_EQ(all.out.find("more;"), std::string::npos);
  EXPECT_GT(all.out.size(), words.out.size());
}

TEST_F(PlanCommands, CheckTakesTheJournalThatShowTakes) {
  const std::string journal = dir_ / "run.kvcliff";
  ASSERT_TRUE(write_file(journal, test::read("vllm-cpu-live/reference.kvcliff.zst")));
  for (const char* command : {"check", "show"}) EXPECT_EQ(cli({"plan", command, journal, "--json"}).code, 0) << command;
  EXPECT_EQ(cli({"predict", "--plan", journal, "--json"}).code, 0);
}

TEST_F(PlanCommands, APlanThatInitRefusesIsNotReferredTo) {
  const std::string path = dir_ / "none.json";
  const auto r = cli({"plan", "init", path, "--gpu-blocks", "3"});
  EXPECT_EQ(r.code, 2);
  EXPECT_THAT(r.err, HasSubstr("Nothing was written"));
  EXPECT_EQ(r.err.find("plan check"), std::string::npos) << r.err;
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(PlanCommands, DoctorTakesThePathOfAnEngine) {
  fs::create_directories(dir_ / "env/bin");
  ASSERT_TRUE(write_file(dir_ / "env/bin/vllm", "#!/bin/sh\necho 0.32.0\n"));
  fs::permissions(dir_ / "env/bin/vllm", fs::perms::owner_all);
  const auto r = cli({"doctor", "--engine", dir_ / "env", "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  ASSERT_EQ(r.json().at("engines").size(), 1u);
  EXPECT_EQ(r.json().at("engines")[0].at("says"), "0.32.0");
  const auto none = cli({"doctor", "--engine", dir_ / "nothing"});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("has no program vllm"));
}

TEST_F(PlanCommands, AHostThatIsAFlagIsNeverHandedToSsh) {
  auto p = reference();
  p["launcher"] = {{"kind", "ssh"}, {"host", "-oProxyCommand=touch " + (dir_ / "x").string()}};
  EXPECT_THAT(faulty_fields(p), ::testing::ElementsAre("launcher.host"));
  EXPECT_EQ(cli({"run", written(p), "--journal", dir_ / "j.kvcliff", "--quiet"}).code, 2);
  EXPECT_FALSE(fs::exists(dir_ / "x"));
}

TEST_F(PlanCommands, ATierThatHoldsNoChunkOfTheModelIsAFault) {
  auto plan = reference();
  plan["capacity"]["host_bytes"] = 16 * 114'688 - 1;  // one byte less than a block of qwen3-0.6b
  EXPECT_EQ(faulty_fields(plan), std::vector<std::string>{"capacity.host_bytes"});
  plan["capacity"]["host_bytes"] = 16 * 114'688;
  EXPECT_EQ(cli({"plan", "check", written(plan)}).code, 0);
  plan["capacity"]["offload"]["blocks_per_chunk"] = 4;
  EXPECT_EQ(faulty_fields(plan), std::vector<std::string>{"capacity.host_bytes"});
  plan["arms"][1]["overrides"]["capacity.host_bytes"] = 4 * 16 * 114'688;
  EXPECT_EQ(cli({"plan", "check", written(plan)}).code, 0) << "the arm's own size counts";
}

}  // namespace
}  // namespace kvcliff
