// SPDX-License-Identifier: GPL-3.0-or-later
// Each capability that an engine can lack, by the release or the flag that takes it away: through the whole path, the
// checks that need it are not possible, with the reason, and neither pass nor fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/json.h"
#include "integration/cli_predict/cli.h"
#include "journal/reader.h"

namespace kvcliff {
namespace {
using ::testing::HasSubstr;

struct Missing {
  std::string name;
  std::string version;                        ///< release whose dialect is spoken
  std::vector<std::string> args;
  Json env = Json::object();
  std::map<std::string, std::string> checks;  ///< check -> words of its reason
  std::vector<std::string> capabilities;      ///< that must be absent, with a reason
};

void PrintTo(const Missing& m, std::ostream* out) { *out << m.name; }

std::vector<Missing> table() {
  const std::string flag = "prompt_tokens_details";
  return {
      {"events off", "0.32.0", {}, Json::object(), {{"R19", "event"}}, {"kv_events"}},
      {"no prompt token details", "0.32.0", {"--no-enable-prompt-tokens-details"}, Json::object(), {{"R4", flag}}, {"cached_tokens"}},
      {"development endpoints off", "0.32.0", {}, Json{{"VLLM_SERVER_DEV_MODE", "0"}}, {}, {"reset", "reset_host"}},
      {"one generation of bytes", "0.22.1", {}, Json::object(), {}, {"two_byte_generations", "allocation_failures"}},
      {"no statistics", "0.32.0", {"--disable-log-stats"}, Json::object(),
       {{"R3", ""}, {"R5", ""}, {"R6", ""}, {"R7", ""}, {"R10", ""}}, {"sources", "prompt_tokens", "requests_finished"}},
      // Then the look-up counters stand in, and what they leave open stays open.
      {"before sources were counted", "0.15.1", {}, Json::object(), {}, {"sources"}},
  };
}

class Run : public ::testing::Test {
 protected:
  Json run(const Missing& m) {
    Json p = *parse_json(*read_file(std::filesystem::path(KVCLIFF_SOURCE_DIR) / "resources/plans/reference.json"), "reference.json");
    p["arms"] = {{{"name", "on"}, {"offload", true}, {"overrides", Json::object()}}};
    p["schedule"] = {{"pairs", 0}, {"controls", {"on"}}};
    p["workload"]["documents"] = 5;
    p["workload"]["rounds"] = 2;
    p["limits"]["settle"] = {{"quiet_ms", 10}, {"timeout_ms", 700}};
    p["engine"]["version"] = m.version;
    p["engine"]["extra_args"] = m.args;
    p["engine"]["extra_env"] = m.env;
    EXPECT_TRUE(write_file(dir_ / "plan.json", p.dump()));
    const auto ran = test::cli({"run", dir_ / "plan.json", "--journal", dir_ / "j.kvcliff", "--time-scale", "0.02", "--json"});
    EXPECT_EQ(ran.code, 0) << "a plan without pairs claims nothing that could be withdrawn: " << ran.err;
    return test::cli({"reconcile", dir_ / "j.kvcliff", "--requests", "--json"}).json();
  }
  test::TempDir dir_;
};

class Absent : public Run, public ::testing::WithParamInterface<Missing> {};

TEST_P(Absent, ChecksAreNotPossibleAndSayWhy) {
  const Missing& m = GetParam();
  const Json j = run(m);
  EXPECT_EQ(j["requests"], 10);
  for (const auto& c : j["checks"]) {
    if (c["id"] == "R21") continue;  // about times, of which a busy machine has its own
    EXPECT_EQ(c["fail"].get<int>() + c["not_settled"].get<int>(), 0) << c["id"] << " of an engine that is honest";
    if (const auto it = m.checks.find(c["id"]); it != m.checks.end()) {
      EXPECT_EQ(c["pass"], 0) << c["id"];
      EXPECT_GT(c["not_possible"], 0) << c["id"];
    }
  }
  for (const auto& r : j["request_list"])
    for (const auto& [id, words] : m.checks)
      if (const auto it = r["checks"].find(id); it != r["checks"].end() && (*it)["state"] == "not_possible") {
        EXPECT_THAT(it->value("why", ""), HasSubstr(words)) << id;
        EXPECT_FALSE(it->value("why", "").empty()) << id;
      }
  for (const auto& c : j["session_checks"])
    if (const auto it = m.checks.find(c["id"]); it != m.checks.end()) {
      EXPECT_EQ(c["state"], "not_possible") << c["id"];
      EXPECT_THAT(c.value("why", ""), HasSubstr(it->second));
    }
  // A source that is not reported is null in every table, never 0: an answer tells what was cached, not by which tier.
  if (m.checks.count("R5"))
    for (const auto& r : j["request_list"])
      if (r["cached_tokens"].is_number() && r["cached_tokens"] > 0) {
        EXPECT_TRUE(r["host_loaded"].is_null()) << r["ordinal"];
        EXPECT_EQ(r["checks"]["R1"]["state"], "not_possible") << r["ordinal"];
        EXPECT_EQ(r["checks"]["R13"]["state"], "not_possible") << r["ordinal"];
      }
  const auto journal = journal::Reader::open(dir_ / "j.kvcliff");
  ASSERT_TRUE(journal);
  const auto sessions = journal->sessions(1);
  ASSERT_TRUE(sessions && sessions->size() == 1);
  for (const auto& name : m.capabilities) {
    const auto it = sessions->front().capabilities.find(name);
    ASSERT_NE(it, sessions->front().capabilities.end()) << name;
    EXPECT_FALSE(it->second.present) << name << ": " << it->second.how;
    EXPECT_FALSE(it->second.how.empty()) << name;
  }
}

// The other way round: what can be asked for is asked for, and the check becomes possible.
TEST_F(Run, KvEventsThatAreAskedForAreCompared) {
  const Json j = run({"events on", "0.32.0", {"--kv-events-config", R"({"enable_kv_cache_events": true})"}, Json::object(), {}, {}});
  EXPECT_EQ(j["reconciled"], 10);
  int seen = 0;
  for (const auto& c : j["session_checks"])
    if (c["id"] == "R19") {
      ++seen;
      EXPECT_EQ(c["state"], "pass") << c["why"];
      EXPECT_THAT(c.value("why", ""), HasSubstr("blocks announced on the GPU"));
    }
  EXPECT_EQ(seen, 1);
  const auto journal = journal::Reader::open(dir_ / "j.kvcliff");
  ASSERT_TRUE(journal);
  EXPECT_GT(journal->kv_events(journal->sessions(1)->front().id)->size(), 20u);
}

INSTANTIATE_TEST_SUITE_P(Table, Absent, ::testing::ValuesIn(table()), [](const auto& p) {
  std::string name;
  for (const char c : p.param.name) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
});

}  // namespace
}  // namespace kvcliff
