// SPDX-License-Identifier: GPL-3.0-or-later
// From a journal and back: what was written is what is judged.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "journal/reader.h"
#include "journal/writer.h"
#include "reconcile/load.h"
#include "reconcile/reconcile.h"
#include "support/data.h"
#include "support/honest_run.h"

namespace kvcliff::reconcile {
namespace {

// The run as a runner writes it; returns the experiment's uid.
std::string write_journal(const std::string& path, ExperimentInput& in) {
  auto writer = journal::Writer::open(path);
  EXPECT_TRUE(writer) << writer.error().sentence();
  journal::ExperimentRecord e;
  e.uid = in.run_id;
  e.name = in.name;
  e.plan_text = canonical_json(plan::to_json(in.plan));
  e.plan_hash = plan::hash(in.plan);
  e.method_version = method_version;
  e.program_version = in.program_version;
  e.simulated = in.simulated;
  e.created = 1'700'000'000'000'000'000;
  Json schedule = Json::array();
  for (const auto& s : in.sessions) schedule.push_back({{"ordinal", s.record.ordinal}, {"arm", s.record.arm}, {"conditioning", false}, {"pair", s.record.pair}});
  e.schedule = schedule;
  e.host = in.host;
  const auto experiment = (*writer)->put(e);
  for (auto& s : in.sessions) {
    SessionRecord record = s.record;
    record.id = 0;
    record.id = (*writer)->put(experiment, record);
    record.identity_scrape = (*writer)->put_scrape(record.id, *s.identity);
    for (auto r : s.requests) {
      r.session = record.id;
      r.id = journal::request_id(record.id, r.plan.ordinal);
      (*writer)->put(r);
    }
    record.last_scrape = (*writer)->put_scrape(record.id, *s.last);
    (*writer)->put(experiment, record);
  }
  EXPECT_TRUE((*writer)->flush());
  return in.run_id;
}

LoadOptions with_kv() {
  LoadOptions o;
  o.kv = [](const plan::Plan&) -> Result<KvFacts> { return KvFacts{test::kv_bytes, "28 x 8 x 128 x 2 x 2"}; };
  return o;
}

int passes_of(const ExperimentInput& in, const std::string& id) {
  for (const auto& c : reconcile(in).totals)
    if (c.id == id) return c.pass;
  return -1;
}

TEST(Load, AJournalKnowsTheModelsBytesByItself) {
  const test::TempDir dir;
  const std::string path = (dir / "run.kvcliff").string();
  test::HonestRun run;
  run.in.host = {{"model", {{"kv_bytes_per_token", {{"off", test::kv_bytes}, {"on", test::kv_bytes}, {"control", test::kv_bytes}}}}}};
  const auto uid = write_journal(path, run.in);
  auto reader = journal::Reader::open(path);
  ASSERT_TRUE(reader) << reader.error().sentence();
  LoadOptions elsewhere;  // the model folder is on another machine
  elsewhere.kv = [](const plan::Plan&) -> Result<KvFacts> { return fail(ErrorCode::not_found, "No such config.json"); };
  LoadOptions changed;    // or holds another model by now
  changed.kv = [](const plan::Plan&) -> Result<KvFacts> { return KvFacts{147'456, "another model"}; };
  for (const LoadOptions& options : {elsewhere, changed, LoadOptions{}}) {
    const auto in = load(*reader, uid, options);
    ASSERT_TRUE(in) << in.error().sentence();
    EXPECT_EQ(in->sessions[1].kv.bytes_per_token, test::kv_bytes);
    EXPECT_NE(in->sessions[1].kv.from.find("when the run was made"), std::string::npos) << in->sessions[1].kv.from;
    EXPECT_EQ(passes_of(*in, "R3"), passes_of(run.in, "R3"));
  }
  EXPECT_EQ(load(*reader, uid, with_kv())->sessions[1].kv.from, "28 x 8 x 128 x 2 x 2") << "where both agree, the derivation is shown";
}

TEST(Load, AFileThatThePlanNamesIsNeverAsked) {
  const test::TempDir dir;
  test::HonestRun run;
  run.in.plan.model.id.clear();
  run.in.plan.model.config = "/models/of/another/machine/config.json";
  LoadOptions options;
  int asked = 0;
  options.kv = [&](const plan::Plan&) -> Result<KvFacts> {
    ++asked;
    return KvFacts{147'456, "whatever lies there"};
  };
  const auto loaded = [&](const std::string& name) {
    const std::string path = (dir / name).string();
    const auto uid = write_journal(path, run.in);
    auto reader = journal::Reader::open(path);
    EXPECT_TRUE(reader);
    return load(*reader, uid, options);
  };
  const auto without = loaded("without.kvcliff");
  ASSERT_TRUE(without) << without.error().sentence();
  EXPECT_FALSE(without->sessions[1].kv.bytes_per_token);
  EXPECT_NE(without->sessions[1].kv.from.find("does not hold"), std::string::npos) << without->sessions[1].kv.from;
  run.in.host = {{"model", {{"kv_bytes_per_token", {{"off", test::kv_bytes}, {"on", test::kv_bytes}, {"control", test::kv_bytes}}}}}};
  const auto with = loaded("with.kvcliff");
  ASSERT_TRUE(with) << with.error().sentence();
  EXPECT_EQ(with->sessions[1].kv.bytes_per_token, test::kv_bytes);
  EXPECT_EQ(asked, 0);
}

TEST(Load, AJournalGivesTheSameVerdictsAsTheRunItself) {
  const test::TempDir dir;
  const std::string path = (dir / "run.kvcliff").string();
  test::HonestRun run;
  const auto uid = write_journal(path, run.in);
  auto reader = journal::Reader::open(path);
  ASSERT_TRUE(reader) << reader.error().sentence();
  const auto in = load(*reader, uid, with_kv());
  ASSERT_TRUE(in) << in.error().sentence();
  EXPECT_EQ(in->sessions.size(), 5u);
  EXPECT_TRUE(in->simulated);
  const auto r = reconcile(*in);
  const auto direct = reconcile(run.in);
  EXPECT_EQ(r.measured, 78);
  EXPECT_EQ(r.reconciled, 78);
  EXPECT_TRUE(r.gates_pass());
  ASSERT_EQ(r.totals.size(), direct.totals.size());
  for (std::size_t i = 0; i < r.totals.size(); ++i) {
    EXPECT_EQ(r.totals[i].pass, direct.totals[i].pass) << r.totals[i].id << ": " << first_failure(*in, r, r.totals[i].id);
    EXPECT_EQ(r.totals[i].fail, direct.totals[i].fail) << r.totals[i].id;
    EXPECT_EQ(r.totals[i].not_possible, direct.totals[i].not_possible) << r.totals[i].id;
  }
  if (const char* keep = std::getenv("KVCLIFF_KEEP_JOURNAL"))
    std::filesystem::copy_file(path, keep, std::filesystem::copy_options::overwrite_existing);
}

TEST(Load, StopsWhenTheUserDoes) {
  const test::TempDir dir;
  const std::string path = (dir / "run.kvcliff").string();
  test::HonestRun run;
  const auto uid = write_journal(path, run.in);
  auto reader = journal::Reader::open(path);
  ASSERT_TRUE(reader);
  LoadOptions options = with_kv();
  int asked = 0;
  options.go_on = [&] { return ++asked < 30; };
  const auto in = load(*reader, uid, options);
  ASSERT_FALSE(in);
  EXPECT_EQ(in.error().code, ErrorCode::interrupted);
  EXPECT_EQ(in.error().where, path);
  EXPECT_EQ(asked, 30) << "nothing is read after a no";
}

TEST(Load, OnlyTheLastFinishedAttemptCounts) {
  const test::TempDir dir;
  const std::string path = (dir / "run.kvcliff").string();
  test::HonestRun run;
  auto again = run.in.sessions[1];
  again.record.attempt = 2;
  run.in.sessions.insert(run.in.sessions.begin() + 2, again);
  run.in.sessions[1].record.state = SessionState::superseded;
  auto failed = run.in.sessions[0];
  failed.record.state = SessionState::failed;
  failed.record.why = "killed";
  failed.record.attempt = 0;
  run.in.sessions.insert(run.in.sessions.begin(), failed);
  const auto uid = write_journal(path, run.in);
  auto reader = journal::Reader::open(path);
  ASSERT_TRUE(reader);
  const auto in = load(*reader, uid, with_kv());
  ASSERT_TRUE(in) << in.error().sentence();
  EXPECT_EQ(in->sessions.size(), 5u);
  EXPECT_EQ(in->others.size(), 2u);
  EXPECT_EQ(reconcile(*in).measured, 78);
}

TEST(Load, WithoutTheModelBytesAreNotPossible) {
  const test::TempDir dir;
  const std::string path = (dir / "run.kvcliff").string();
  test::HonestRun run;
  const auto uid = write_journal(path, run.in);
  auto reader = journal::Reader::open(path);
  ASSERT_TRUE(reader);
  const auto in = load(*reader, uid, {});
  ASSERT_TRUE(in);
  const auto r = reconcile(*in);
  EXPECT_EQ(r.totals[2].pass, 0);
  EXPECT_EQ(r.totals[2].not_possible, 36);
  EXPECT_FALSE(load(*reader, "nonsense", {}));
}

}  // namespace
}  // namespace kvcliff::reconcile
