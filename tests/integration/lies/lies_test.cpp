// SPDX-License-Identifier: GPL-3.0-or-later
// An honest run raises nothing; each lie that the emulator can tell is caught by the check meant for it.
#include <gtest/gtest.h>

#include <cctype>
#include <cstdio>
#include <filesystem>

#include "base/file.h"
#include "base/json.h"
#include "emulator/lies.h"
#include "support/data.h"

namespace kvcliff::emulator {
/// What ctest shows beside a test's name.
inline void PrintTo(const LieEntry& e, std::ostream* out) { *out << e.name; }
}  // namespace kvcliff::emulator

namespace kvcliff {
namespace {

struct Outcome {
  int exit_code = -1;
  Json json;
};

Outcome cli(const std::string& arguments) {
  const std::string command = std::string("'") + KVCLIFF_CLI + "' " + arguments + " --json 2>/dev/null";
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) throw std::runtime_error("popen");
  std::string text;
  char buffer[65536];
  for (std::size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
  const int status = pclose(pipe);
  Outcome out;
  out.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (auto j = parse_json(text, "stdout")) out.json = std::move(*j);
  return out;
}

// Four sessions of 3 x 3 visits and a control: as small as every lie can still show itself in.
Json small_plan(const std::vector<std::string>& emulator_args) {
  Json p = *parse_json(*read_file(std::filesystem::path(KVCLIFF_SOURCE_DIR) / "resources/plans/reference.json"), "reference.json");
  p["name"] = "lies";
  p["capacity"]["gpu_blocks"] = 129;                        // two documents of 62 blocks
  p["capacity"]["host_bytes"] = 400LL * 16 * 114'688;
  p["workload"]["documents"] = 3;
  p["warmup"] = {{"min_requests", 1}, {"max_requests", 1}};    // so that request N is the same one in every run
  p["workload"]["tokens"] = 1003;
  p["arms"][2]["overrides"]["workload.documents"] = 1;
  p["limits"]["idle_s"] = 3;
  p["limits"]["settle"] = {{"quiet_ms", 10}, {"timeout_ms", 1500}};
  p["engine"]["extra_args"] = emulator_args;
  return p;
}

struct Ran {
  Json reconciliation, decision;
  int run_exit = -1, reconcile_exit = -1;
};

Ran run(const std::vector<std::string>& emulator_args, const std::string& scale = "0.02") {
  const test::TempDir dir;
  const auto plan = (dir / "plan.json").string(), journal = (dir / "run.kvcliff").string();
  EXPECT_TRUE(write_file(plan, small_plan(emulator_args).dump(1)));
  Ran r;
  r.run_exit = cli("run '" + plan + "' --journal '" + journal + "' --time-scale " + scale).exit_code;
  const auto reconciled = cli("reconcile '" + journal + "' --requests");
  r.reconcile_exit = reconciled.exit_code;
  r.reconciliation = reconciled.json;
  r.decision = cli("decide '" + journal + "'").json;
  return r;
}

std::string gate_state(const Json& reconciliation, const std::string& id) {
  for (const auto& g : reconciliation.value("gates", Json::array()))
    if (g["id"] == id) return g["state"];
  return "absent";
}

std::string failed_gates(const Json& reconciliation) {
  std::string out;
  for (const auto& g : reconciliation.value("gates", Json::array()))
    if (g["state"] == "fail" || g["state"] == "not_settled") out += g["id"].get<std::string>() + ": " + g["why"].get<std::string>() + "\n";
  return out;
}

int failures(const Json& reconciliation, const std::string& id) {
  for (const auto& c : reconciliation.value("checks", Json::array()))
    if (c["id"] == id) return c["fail"].get<int>() + c["not_settled"].get<int>();
  return -1;
}

TEST(Honest, RunRaisesNothing) {
  const auto r = run({});
  EXPECT_EQ(failed_gates(r.reconciliation), "");
  EXPECT_EQ(r.reconcile_exit, 0);
  EXPECT_EQ(r.reconciliation.value("requests", 0), 39);
  EXPECT_EQ(r.reconciliation.value("reconciled", 0), 39);
  EXPECT_EQ(r.reconciliation["unexplained"], (Json{{"tokens", 0}, {"bytes", 0}}));
}

const std::vector<std::string> events_on{"--kv-events-config", R"({"enable_kv_cache_events": true})"};

// The same with KV events, so that a lie about them has something to differ from.
TEST(Honest, RunWithEventsPassesTheirCheckInEverySession) {
  const auto r = run(events_on);
  EXPECT_EQ(failed_gates(r.reconciliation), "");
  EXPECT_EQ(gate_state(r.reconciliation, "R19"), "pass");
  EXPECT_EQ(failures(r.reconciliation, "R19"), 0);
  int passed = 0;
  for (const auto& c : r.reconciliation["session_checks"]) passed += c["id"] == "R19" && c["state"] == "pass";
  EXPECT_EQ(passed, 5);
}

class EachLie : public testing::TestWithParam<emulator::LieEntry> {};

TEST_P(EachLie, IsCaught) {
  const auto& lie = GetParam();
  std::string name(lie.name);
  // 0 is the readiness request, 1 the warm-up, 2 to 4 are first visits (they store), 9 is a revisit (it loads).
  if (lie.from > 0) name += name.find("store") != std::string::npos ? ":3" : ":9";
  const std::string id(lie.caught_by);
  // What nobody asked for cannot be lied about.
  std::vector<std::string> args{"--emulate-lie", name};
  if (id == "R19") args.insert(args.end(), events_on.begin(), events_on.end());
  // A lie about time shows where times are longer than the machine's own unrest.
  const auto r = run(args, id == "R21" ? "0.5" : "0.02");
  ASSERT_TRUE(r.reconciliation.is_object()) << "no journal was left";
  if (lie.name == "reset-ignored") {
    // A run starts a fresh server for each session and resets nothing: this lie has no occasion to be told.
    EXPECT_EQ(failed_gates(r.reconciliation), "");
  } else if (id == "statistics") {
    // Effects, not faults: the counters stay honest and the intervals carry the spread.
    EXPECT_EQ(failed_gates(r.reconciliation), "");
  } else if (id == "verdict") {
    EXPECT_NE(r.decision.value("verdict", ""), "helps");
  } else if (id == "R21") {
    EXPECT_GT(failures(r.reconciliation, id), 0) << "a flag";
  } else {
    const auto state = gate_state(r.reconciliation, id);
    EXPECT_TRUE(state == "fail" || state == "not_settled") << id << " is " << state << "; these fail:\n" << failed_gates(r.reconciliation);
    EXPECT_EQ(r.decision.value("verdict", ""), "withdrawn");
    EXPECT_EQ(r.reconcile_exit, 1);
  }
}

std::vector<emulator::LieEntry> all_lies() {
  const auto table = emulator::lie_table();
  return {table.begin(), table.end()};
}

INSTANTIATE_TEST_SUITE_P(Emulator, EachLie, testing::ValuesIn(all_lies()), [](const auto& p) {
  std::string name(p.param.name);
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

}  // namespace
}  // namespace kvcliff
