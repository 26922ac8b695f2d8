// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/file.h"
#include "journal/codec.h"
#include "journal/reader.h"
#include "journal/source_sums.h"
#include "journal/schema.h"
#include "journal/writer.h"
#include "sample.h"
#include "support/data.h"

namespace kvcliff::journal {
namespace {
using namespace std::chrono_literals;

std::unique_ptr<Writer> must_open(const std::string& path, Writer::Options options = {}) {
  auto w = Writer::open(path, std::move(options));
  EXPECT_TRUE(w) << w.error().sentence();
  return w ? std::move(*w) : nullptr;
}
Reader must_read(const std::string& path) {
  auto r = Reader::open(path);
  if (!r) throw std::runtime_error(r.error().sentence());
  return std::move(*r);
}

void expect_same(const RequestRecord& a, const RequestRecord& b) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.session, b.session);
  EXPECT_EQ(a.plan.ordinal, b.plan.ordinal);
  EXPECT_EQ(a.plan.document, b.plan.document);
  EXPECT_EQ(a.plan.round, b.plan.round);
  EXPECT_EQ(a.plan.warmup, b.plan.warmup);
  EXPECT_EQ(a.plan.prompt_tokens, b.plan.prompt_tokens);
  EXPECT_EQ(a.plan.output_tokens, b.plan.output_tokens);
  EXPECT_EQ(a.plan.prompt_hash, b.plan.prompt_hash);
  EXPECT_EQ(a.plan.block_hashes, b.plan.block_hashes);
  EXPECT_EQ(a.plan.planned_send, b.plan.planned_send);
  EXPECT_EQ(a.plan.revisit_distance, b.plan.revisit_distance);
  EXPECT_EQ(a.plan.predicted, b.plan.predicted);
  EXPECT_EQ(a.sent, b.sent);
  EXPECT_EQ(a.stream, b.stream);
  EXPECT_EQ(a.scrape_before, b.scrape_before);
  EXPECT_EQ(a.scrape_after, b.scrape_after);
  EXPECT_EQ(a.settled, b.settled);
  EXPECT_EQ(a.not_settled_why, b.not_settled_why);
  EXPECT_EQ(a.settle_polls, b.settle_polls);
  EXPECT_EQ(a.settle_ns, b.settle_ns);
  EXPECT_EQ(delta_json(a.delta), delta_json(b.delta));
  EXPECT_EQ(a.sources, b.sources);
  EXPECT_EQ(a.loaded_bytes, b.loaded_bytes);
  EXPECT_EQ(a.stored_bytes, b.stored_bytes);
  EXPECT_EQ(a.bytes_from, b.bytes_from);
}

TEST(Journal, EverythingWrittenIsReadAsItWas) {
  test::TempDir dir;
  const std::string path = dir / "j.kvcliff";
  CounterSnapshot scrape;
  scrape.sent = 10;
  scrape.received = 20;
  scrape.wall = 30;
  scrape.http_status = 200;
  scrape.engine = "vllm";
  scrape.generation = "0.27+";
  scrape.process_start = 1.5;
  scrape.readings["prompt_tokens"] = {5.5, {{"a", 1.0}}, {{"0", 5.5}}, "vllm:prompt_tokens_total"};
  scrape.readings["odd"] = {HUGE_VAL, {}, {}, "odd"};
  scrape.declared = {"num_preemptions"};
  scrape.info["cache_config_info"] = {{"block_size", "16"}};
  scrape.raw = std::make_shared<const std::string>("# TYPE x counter\n");
  const LogLine line{{1, 2}, true, "INFO caf\xc3\xa9", false};
  std::int64_t e = 0, s = 0, scrape_id = 0;
  {
    auto w = must_open(path);
    EXPECT_EQ(w->journal_mode(), "wal");
    e = w->put(test::sample_experiment("aa11"));
    SessionRecord session = test::sample_session(0);
    session.id = s = w->put(e, session);
    for (const auto state : {SessionState::planned, SessionState::launching, SessionState::finished}) {
      session.state = state;
      session.changes.push_back({state, {100 + static_cast<int>(state), 200}, state == SessionState::finished ? "done" : ""});
      w->change_state(e, session, session.changes.back());
    }
    w->put_log(s, line);
    scrape_id = w->put_scrape(s, scrape);
    w->put(test::sample_request(s, 0));
    RequestRecord warm = test::sample_request(s, 1);
    warm.plan.warmup = true;
    w->put(warm);
    w->put(Notice{e, s, {1, 2}, "warning", "the first request was slow"});
    w->put(SealedResult{e, "1", 9, Json{{"verdict", "helps"}}});
    ASSERT_TRUE(w->flush());
    EXPECT_EQ(w->status().waiting, 0u);
  }
  Reader r = must_read(path);
  const auto found = r.experiment("");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->id, e);
  EXPECT_EQ(found->tags, test::sample_experiment("").tags);
  EXPECT_EQ(found->schedule, test::sample_experiment("").schedule);
  EXPECT_FALSE(found->ended);
  const auto sessions = r.sessions(e);
  ASSERT_TRUE(sessions);
  ASSERT_EQ(sessions->size(), 1u);
  const SessionRecord& got = sessions->front();
  EXPECT_EQ(got.state, SessionState::finished);
  ASSERT_EQ(got.changes.size(), 3u);
  EXPECT_EQ(got.changes[2].why, "done");
  EXPECT_EQ(got.argv, test::sample_session(0).argv);
  EXPECT_EQ(got.env_unset, test::sample_session(0).env_unset);
  EXPECT_EQ(Json(got.effective), Json(test::sample_session(0).effective));
  EXPECT_EQ(got.exit_code, 0);
  EXPECT_EQ(got.preflight, test::sample_session(0).preflight);
  const auto whole = r.requests(s, Depth::raw);
  ASSERT_TRUE(whole) << whole.error().sentence();
  ASSERT_EQ(whole->size(), 2u);
  expect_same(whole->at(0), test::sample_request(s, 0));
  EXPECT_TRUE(whole->at(1).plan.warmup);
  const auto counts = r.request_count(s);
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->measured, 1);
  EXPECT_EQ(counts->warmup, 1);
  const auto rows = r.chart_rows(s);
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->at(0).host_loaded, 2000);
  EXPECT_EQ(rows->at(0).unknown, -1);
  EXPECT_EQ(rows->at(0).stored_bytes, -1);
  EXPECT_EQ(rows->at(0).ttft_ns, 4);
  EXPECT_DOUBLE_EQ(rows->at(0).predicted_gpu_hit, 7.5);
  const auto back = r.scrape(scrape_id, true);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->readings, scrape.readings);
  EXPECT_EQ(back->declared, scrape.declared);
  EXPECT_EQ(back->info, scrape.info);
  EXPECT_EQ(*back->raw, *scrape.raw);
  EXPECT_EQ(back->process_start, 1.5);
  EXPECT_EQ(r.log(s)->at(0).text, line.text);
  EXPECT_EQ(r.notices(e)->at(0).text, "the first request was slow");
  EXPECT_EQ(r.sealed_results(e)->at(0).document, (Json{{"verdict", "helps"}}));
}

TEST(Journal, SumsBySourceAreThoseOfTheRows) {
  test::TempDir dir;
  auto w = must_open(dir / "j.db");
  const auto e = w->put(test::sample_experiment("aa"));
  const auto s = w->put(e, test::sample_session(0));
  for (int i = 0; i < 10; ++i) {
    RequestRecord r = test::sample_request(s, i);
    if (i == 0) r.plan.warmup = true;
    if (i == 3) r.sources.gpu_hit.value.reset();  // not reported: its whole prompt is unknown
    w->put(r);
  }
  ASSERT_TRUE(w->flush());
  const auto r = Reader::open(dir / "j.db");
  ASSERT_TRUE(r);
  SourceSums want;
  const auto rows = r->chart_rows(s);
  ASSERT_TRUE(rows);
  for (const auto& row : *rows) {
    if (row.warmup) continue;
    ++want.requests;
    const bool known = row.computed >= 0 && row.gpu_hit >= 0 && row.host_loaded >= 0;
    want.computed += known ? row.computed : 0;
    want.gpu_hit += known ? row.gpu_hit : 0;
    want.host_loaded += known ? row.host_loaded : 0;
    want.unknown += known ? std::max<std::int64_t>(0, row.unknown) : row.prompt_tokens;
  }
  const auto got = source_sums(dir / "j.db", s);
  ASSERT_TRUE(got) << got.error().sentence();
  EXPECT_EQ(*got, want);
  EXPECT_EQ(got->requests, 9);
  EXPECT_GT(got->unknown, 0);
}

TEST(Journal, TheWholeLogIsSearchedAndWordsAreTakenAsTheyAre) {
  test::TempDir dir;
  auto w = must_open(dir / "j.db");
  const auto e = w->put(test::sample_experiment("aa"));
  const auto s = w->put(e, test::sample_session(0)), other = w->put(e, test::sample_session(1));
  for (int i = 0; i < 1000; ++i) w->put_log(s, {{i, i}, false, "INFO line " + std::to_string(i) + (i % 100 == 7 ? " cache 50% full" : ""), false});
  w->put_log(s, {{1000, 1000}, true, "a_b", false});
  w->put_log(other, {{0, 0}, false, "cache 50% full", false});
  ASSERT_TRUE(w->flush());
  const auto r = Reader::open(dir / "j.db");
  ASSERT_TRUE(r);
  const auto found = r->find_in_log(s, "CACHE 50%", 3);
  ASSERT_TRUE(found) << found.error().sentence();
  EXPECT_EQ(found->matches, 10);
  EXPECT_EQ(found->searched, 1001);
  ASSERT_EQ(found->lines.size(), 3u) << "the newest ones";
  EXPECT_EQ(found->lines[0].text, "INFO line 707 cache 50% full");
  EXPECT_EQ(found->lines[2].text, "INFO line 907 cache 50% full");
  // What SQL takes for wildcards stands for itself.
  EXPECT_EQ(r->find_in_log(s, "5%f", 10)->matches, 0);
  EXPECT_EQ(r->find_in_log(s, "a_b", 10)->matches, 1);
  EXPECT_EQ(r->find_in_log(s, "n_9", 10)->matches, 0);
  int asked = 0;
  EXPECT_LT(r->find_in_log(s, "line", 10, [&] { return ++asked < 5; })->matches, 10) << "broken off";
}

TEST(Journal, ARequestPutAgainReplacesTheUnfinishedOne) {
  test::TempDir dir;
  auto w = must_open(dir / "j.db");
  RequestRecord running = test::sample_request(1, 0, 2);
  running.stream.outcome = Outcome::interrupted;
  w->put(running);
  w->put(test::sample_request(1, 0, 9));
  ASSERT_TRUE(w->flush());
  const auto all = must_read(dir / "j.db").requests(1, Depth::events);
  ASSERT_EQ(all->size(), 1u);
  EXPECT_EQ(all->at(0).stream.events.size(), 9u);
  EXPECT_EQ(all->at(0).stream.outcome, Outcome::complete);
}

TEST(Journal, AReaderSeesWhatWasWrittenWhileTheWriterIsOpen) {
  test::TempDir dir;
  auto w = must_open(dir / "j.db");
  const auto e = w->put(test::sample_experiment("aa"));
  ASSERT_TRUE(w->flush());
  Reader r = must_read(dir / "j.db");
  EXPECT_EQ(r.experiments()->size(), 1u);
  const auto s = w->put(e, test::sample_session(0));
  w->put(test::sample_request(s, 0));
  ASSERT_TRUE(w->flush());
  EXPECT_EQ(r.requests(s, Depth::numbers)->size(), 1u);
}

TEST(Journal, ExperimentsAreFoundByNumberByIdAndByItsBeginning) {
  test::TempDir dir;
  {
    auto w = must_open(dir / "j.db");
    w->put(test::sample_experiment("ab01", 10));
    w->put(test::sample_experiment("ab02", 30));
    w->put(test::sample_experiment("cd03", 20));
  }
  Reader r = must_read(dir / "j.db");
  EXPECT_EQ(r.experiment("")->uid, "ab02");
  EXPECT_EQ(r.experiment("3")->uid, "cd03");
  EXPECT_EQ(r.experiment("cd")->uid, "cd03");
  EXPECT_EQ(r.experiment("ab").error().code, ErrorCode::bad_usage);
  EXPECT_EQ(r.experiment("zz").error().code, ErrorCode::not_found);
  const auto page = r.experiments({.limit = 2});
  ASSERT_EQ(page->size(), 2u);
  EXPECT_EQ(page->at(1).uid, "cd03");
  Reader::Filter older{.limit = 2, .created_before = page->back().created};
  EXPECT_EQ(r.experiments(older)->at(0).uid, "ab01");
  EXPECT_EQ(r.experiments({.text = "100%"})->size(), 0u);
  EXPECT_EQ(r.experiments({.tag = "first"})->size(), 3u);
}

TEST(Journal, TheSchemaIsPublishedAsItIs) {
  const std::string help = *read_file(std::filesystem::path(KVCLIFF_SOURCE_DIR) / "resources/help/journal-schema.md");
  test::TempDir dir;
  must_open(dir / "j.db").reset();
  auto db = Database::open(dir / "j.db", Database::Mode::read_only);
  auto columns = db->prepare(
      "SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'");
  int n = 0;
  while (columns->step() == SQLITE_ROW) {
    ++n;
    EXPECT_NE(help.find("`" + columns->text(1) + "`"), std::string::npos)
        << columns->text(0) << "." << columns->text(1) << " is not described";
    EXPECT_NE(help.find("## " + columns->text(0)), std::string::npos) << columns->text(0);
  }
  EXPECT_GT(n, 80);
}

TEST(JournalUpgrade, AnOlderJournalIsCopiedThenUpgraded) {
  test::TempDir dir;
  const std::string path = dir / "j.db";
  {
    auto w = must_open(path);
    w->put(test::sample_experiment("aa"));
  }
  auto steps = upgrades();
  steps.push_back({2, "ALTER TABLE experiments ADD COLUMN colour TEXT NOT NULL DEFAULT 'grey';"});
  {
    auto db = Database::open(path, Database::Mode::read_write);
    const auto backup = bring_up_to_date(*db, steps);
    ASSERT_TRUE(backup) << backup.error().sentence();
    EXPECT_EQ(*backup, path + ".v1-backup");
    EXPECT_EQ(db->one_integer("PRAGMA user_version")->value(), 2);
    EXPECT_EQ(db->one_text("SELECT colour FROM experiments")->value(), "grey");
    EXPECT_EQ(must_read(*backup).experiments()->size(), 1u);
  }
  // To this program the upgraded file is a newer one.
  EXPECT_EQ(Writer::open(path).error().code, ErrorCode::newer_schema);
}

TEST(JournalUpgrade, AFailedStepLeavesTheJournalAsItWas) {
  test::TempDir dir;
  const std::string path = dir / "j.db";
  must_open(path).reset();
  auto db = Database::open(path, Database::Mode::read_write);
  auto steps = upgrades();
  steps.push_back({2, "ALTER TABLE experiments ADD COLUMN colour TEXT; DROP TABLE no_such_table;"});
  EXPECT_FALSE(bring_up_to_date(*db, steps));
  EXPECT_EQ(db->one_integer("PRAGMA user_version")->value(), 1);
  EXPECT_FALSE(db->prepare("SELECT colour FROM experiments"));
}

}  // namespace
}  // namespace kvcliff::journal
