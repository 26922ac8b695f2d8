// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli.h"

namespace kvcliff {
namespace {

using test::cli;
using testing::HasSubstr;

std::string scenarios() { return test::data("prediction-scenarios.json").string(); }

TEST(PredictCommand, EveryScenarioOfTheFileIsExact) {
  const auto r = cli({"predict", scenarios(), "--all", "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json answers = r.json(), file = test::read_json("prediction-scenarios.json");
  ASSERT_EQ(answers.size(), file.at("scenarios").size());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Json& wanted = file.at("scenarios")[i].at("expect");
    const Json& got = answers[i].at("requests");
    ASSERT_EQ(got.size(), wanted.size()) << answers[i].at("id");
    for (std::size_t k = 0; k < got.size(); ++k)
      EXPECT_EQ(Json::array({got[k].at("computed"), got[k].at("gpu_hit"), got[k].at("host_loaded"), got[k].at("stored_blocks")}), wanted[k]) << answers[i].at("id") << " " << k;
  }
}

TEST(PredictCommand, OneScenarioWithItsReasons) {
  const auto r = cli({"predict", scenarios(), "--id", "G01", "--explain", "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json requests = r.json().at("requests");
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[1].at("gpu_hit"), 48);
  EXPECT_EQ(requests[1].at("computed"), 7);
  std::int64_t told = 0;
  for (const auto& b : requests[1].at("because")) {
    told += b.at("tokens").get<std::int64_t>();
    EXPECT_FALSE(b.at("reason").get<std::string>().empty());
  }
  EXPECT_EQ(told, 55);
}

TEST(PredictCommand, ThePlansTotalsAreThoseOfTheDesign) {
  const auto r = cli({"predict", "--plan", test::reference_plan(), "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  for (const auto& arm : r.json()) {
    std::int64_t computed = 0, gpu = 0, host = 0;
    for (const auto& q : arm.at("requests")) {
      computed += q.at("computed").get<std::int64_t>();
      gpu += q.at("gpu_hit").get<std::int64_t>();
      host += q.at("host_loaded").get<std::int64_t>();
    }
    const std::vector<std::int64_t> sums{computed, gpu, host};
    const std::vector<std::int64_t> wanted = arm.at("id") == "control" ? std::vector<std::int64_t>{4'018, 8'000, 0}
                                             : arm.at("id") == "off"   ? std::vector<std::int64_t>{36'054, 0, 0}
                                                                       : std::vector<std::int64_t>{12'054, 0, 24'000};
    EXPECT_EQ(sums, wanted) << arm.at("id");
  }
}

TEST(PredictCommand, BadInputIsRefusedInOneDocument) {
  const test::TempDir dir;
  const std::string broken = dir / "broken.json";
  ASSERT_TRUE(write_file(broken, "{\"block_size\":16,\"scenarios\":[{\"id\":\"x\",\"N\":\"many\"}]}"));
  for (auto args : std::vector<std::vector<std::string>>{{}, {"/nonexistent.json"}, {broken, "--all"}, {scenarios()}, {scenarios(), "--id", "nobody"},
                                                         {scenarios(), "--id", "G01", "--host-touch", "later"}, {scenarios(), "--plan", test::reference_plan()}}) {
    args.insert(args.begin(), "predict");
    args.push_back("--json");
    const auto r = cli(args);
    EXPECT_EQ(r.code, 2) << testing::PrintToString(args);
    EXPECT_FALSE(r.json().at("error").at("why").get<std::string>().empty()) << testing::PrintToString(args);
  }
  EXPECT_THAT(cli({"predict", broken, "--all"}).err, HasSubstr("N"));
}

// Field case 053: whether an option counts per worker or in all, and in which unit, is the engine's.
TEST(ModelCommand, AnEnginesOwnOptionBecomesBytesOfTheWholeTier) {
  const auto asked = [](const std::string& option) { return test::cli({"model", "qwen3-0.6b", "--tp", "2", "--host-option", option, "--json"}); };
  const auto vllm = asked("vllm:kv_offloading_size=10"), flag = asked("vllm:--kv-offloading-size=10"), sglang = asked("sglang:hicache_size=10"),
             old = asked("vllm-old:num_cpu_blocks=100");
  ASSERT_EQ(vllm.code, 0) << vllm.err;
  EXPECT_EQ(vllm.json().at("host_bytes_all_ranks"), 10LL << 30);
  EXPECT_EQ(flag.json().at("host_bytes_all_ranks"), 10LL << 30);
  EXPECT_EQ(sglang.json().at("host_bytes_all_ranks"), 20'000'000'000);
  EXPECT_EQ(old.json().at("host_bytes_all_ranks"), 100 * 2 * 16 * 114'688 / 2) << "half of each token on each of two ranks";
  EXPECT_THAT(sglang.json().at("host_option").get<std::string>(), testing::HasSubstr("of each tensor-parallel rank"));
  for (const char* wrong : {"vllm:swap_space=4", "vllm", "vllm:=3", "vllm:kv_offloading_size=many", "vllm:kv_offloading_size=-1"}) EXPECT_NE(asked(wrong).code, 0) << wrong;
  EXPECT_EQ(test::cli({"model", "qwen3-0.6b", "--host-option", "vllm:kv_offloading_size=1", "--host-bytes", "1GiB"}).code, 2);
}

}  // namespace
}  // namespace kvcliff
