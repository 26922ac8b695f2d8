// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/file.h"
#include "base/json.h"
#include "integration/cli_predict/cli.h"
#include "journal/reader.h"
#include "plan/plan.h"
#include "support/data.h"

namespace kvcliff {
namespace {
using test::cli;

/// The shipped sweep with these sizes only, and this lie where one is told.
std::string plan_of(const test::TempDir& dir, const std::vector<int>& sizes, const std::string& lie = {}) {
  const auto parsed = plan::parse_file(std::string(KVCLIFF_SOURCE_DIR) + "/resources/plans/sweep.json");
  if (!parsed.valid()) throw std::runtime_error(parsed.faults.front().what);
  plan::Plan p = parsed.plan;
  std::set<std::string> wanted;
  for (const char* arm : {"off", "on"})
    for (const int n : sizes) wanted.insert(std::to_string(n) + "-documents-" + arm);
  std::erase_if(p.schedule.controls, [&](const std::string& arm) { return !wanted.count(arm); });
  if (!lie.empty()) p.engine.extra_args = {"--emulate-lie", lie};
  const std::string path = dir / "plan.json";
  EXPECT_TRUE(write_file(path, canonical_json(plan::to_json(p))));
  return path;
}

std::vector<SessionRecord> sessions_of(const std::string& journal) {
  const auto reader = journal::Reader::open(journal);
  if (!reader) throw std::runtime_error(reader.error().sentence());
  return *reader->sessions(reader->experiment("")->id);
}

TEST(Sweep, TwoServersGiveEveryPointAndEveryCounterReconciles) {
  const test::TempDir dir;
  const std::string journal = dir / "s.kvcliff";
  const auto run = cli({"run", plan_of(dir, {2, 3, 4, 6}), "--journal", journal, "--time-scale", "0.02"});
  const auto sessions = sessions_of(journal);
  ASSERT_EQ(sessions.size(), 8u) << run.err;
  for (const auto& s : sessions) EXPECT_EQ(s.state, SessionState::finished) << s.why;
  std::set<std::int64_t> processes;
  for (const auto& s : sessions) processes.insert(s.pid);
  EXPECT_EQ(processes.size(), 2u) << "one server without the tier, one with it";
  const auto checked = cli({"reconcile", journal, "--json"});
  const Json j = checked.json();
  EXPECT_EQ(j.at("requests"), 2 * 3 * (2 + 3 + 4 + 6));
  EXPECT_EQ(j.at("reconciled"), j.at("requests"));
  EXPECT_EQ(j.at("unexplained"), (Json{{"tokens", 0}, {"bytes", 0}}));
  // R17 and R21 look at times, which a busy machine bends at this scale.
  for (const auto& row : j.at("checks"))
    if (row.at("id") != "R17" && row.at("id") != "R21") {
      EXPECT_EQ(row.at("fail"), 0) << row.dump();
    }
}

TEST(Sweep, AResetThatDoesNothingIsCaughtByTheFirstVisits) {
  const test::TempDir dir;
  const std::string journal = dir / "s.kvcliff";
  const auto run = cli({"run", plan_of(dir, {2, 3, 4}, "reset-ignored"), "--journal", journal, "--time-scale", "0.02"});
  EXPECT_NE(run.code, 0);
  const auto text = cli({"reconcile", journal, "--json"}).json();
  int cold = 0;
  for (const auto& row : text.at("checks"))
    if (row.at("id") == "R16") cold = row.at("fail").get<int>();
  EXPECT_GT(cold, 0) << "documents of the session before were still there";
}

}  // namespace
}  // namespace kvcliff
