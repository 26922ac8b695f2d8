// SPDX-License-Identifier: GPL-3.0-or-later
#include "journal/merge.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "journal/reader.h"
#include "journal/writer.h"
#include "sample.h"

namespace kvcliff::journal {
namespace {
namespace fs = std::filesystem;

struct Folder {
  fs::path path = fs::temp_directory_path() / ("kvcliff-merge-" + std::to_string(::getpid()) + "-" + ::testing::UnitTest::GetInstance()->current_test_info()->name());
  Folder() { fs::remove_all(path), fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  std::string operator/(const std::string& name) const { return (path / name).string(); }
};

// Two sessions of three requests each, with scrapes, log, states, notices and a sealed result.
std::int64_t fill(const std::string& path, const std::string& uid, WallNs created = 1'000'000'000) {
  auto w = Writer::open(path);
  EXPECT_TRUE(w) << w.error().sentence();
  const auto e = (*w)->put(test::sample_experiment(uid, created));
  for (int s = 0; s < 2; ++s) {
    SessionRecord session = test::sample_session(s);
    session.id = (*w)->put(e, session);
    CounterSnapshot page;
    page.http_status = 200;
    page.raw = std::make_shared<const std::string>("vllm:prompt_tokens_total " + uid + std::to_string(s) + "\n");
    session.identity_scrape = (*w)->put_scrape(session.id, page);
    (*w)->change_state(e, session, {SessionState::finished, {5, 6}, {}});
    for (int i = 0; i < 3; ++i) {
      auto r = test::sample_request(session.id, i);
      r.scrape_before = session.identity_scrape;
      r.scrape_after = (*w)->put_scrape(session.id, page);
      (*w)->put(r);
    }
    (*w)->put_log(session.id, {{1, 2}, true, "line of " + uid, false});
    (*w)->put(Notice{e, session.id, {1, 2}, "info", "of the session"});
  }
  (*w)->put(Notice{e, 0, {1, 2}, "warning", "of the experiment"});
  (*w)->put(SealedResult{e, "1", 9, Json{{"verdict", "helps"}}});
  EXPECT_TRUE((*w)->flush());
  return e;
}

void expect_equal(const std::string& a, std::int64_t ea, const std::string& b, std::int64_t eb) {
  const auto left = Reader::open(a), right = Reader::open(b);
  ASSERT_TRUE(left && right);
  const auto sa = left->sessions(ea), sb = right->sessions(eb);
  ASSERT_TRUE(sa && sb);
  ASSERT_EQ(sa->size(), sb->size());
  for (std::size_t i = 0; i < sa->size(); ++i) {
    EXPECT_EQ((*sa)[i].argv, (*sb)[i].argv);
    EXPECT_EQ((*sa)[i].state, (*sb)[i].state);
    EXPECT_EQ((*sa)[i].changes.size(), (*sb)[i].changes.size());
    const auto raw_a = left->scrape((*sa)[i].identity_scrape, true), raw_b = right->scrape((*sb)[i].identity_scrape, true);
    ASSERT_TRUE(raw_a && raw_b);
    EXPECT_EQ(*raw_a->raw, *raw_b->raw);
    auto ra = left->requests((*sa)[i].id, Depth::raw), rb = right->requests((*sb)[i].id, Depth::raw);
    ASSERT_TRUE(ra && rb);
    ASSERT_EQ(ra->size(), rb->size());
    for (std::size_t k = 0; k < ra->size(); ++k) {
      EXPECT_EQ((*ra)[k].stream, (*rb)[k].stream);
      EXPECT_EQ((*ra)[k].sources, (*rb)[k].sources);
      EXPECT_EQ((*rb)[k].id, request_id((*sb)[i].id, (*rb)[k].plan.ordinal));
      const auto after_a = left->scrape((*ra)[k].scrape_after, true), after_b = right->scrape((*rb)[k].scrape_after, true);
      ASSERT_TRUE(after_a && after_b);
      EXPECT_EQ(*after_a->raw, *after_b->raw);
    }
    EXPECT_EQ(left->log((*sa)[i].id)->size(), right->log((*sb)[i].id)->size());
  }
  EXPECT_EQ(left->notices(ea)->size(), right->notices(eb)->size());
  EXPECT_EQ(right->sealed_results(eb)->front().document, left->sealed_results(ea)->front().document);
}

TEST(Merge, CopiesAnExperimentWholeBesideOthers) {
  Folder dir;
  const auto from = fill(dir / "a.kvcliff", "aaaaaaaaaaaaaaaa");
  fill(dir / "b.kvcliff", "bbbbbbbbbbbbbbbb");
  const auto merged = merge_experiments(dir / "a.kvcliff", {from}, dir / "b.kvcliff");
  ASSERT_TRUE(merged) << merged.error().sentence();
  ASSERT_EQ(merged->added.size(), 1u);
  expect_equal(dir / "a.kvcliff", from, dir / "b.kvcliff", merged->added[0]);
  EXPECT_EQ(Reader::open(dir / "b.kvcliff")->experiments()->size(), 2u);
}

TEST(Merge, MakesTheTargetAndBringsBackWhatWasDeleted) {
  Folder dir;
  const auto e = fill(dir / "a.kvcliff", "aaaaaaaaaaaaaaaa");
  fill(dir / "a.kvcliff", "cccccccccccccccc", 2'000'000'000);
  ASSERT_TRUE(merge_experiments(dir / "a.kvcliff", {e}, dir / "trash.kvcliff"));
  ASSERT_TRUE(delete_experiments(dir / "a.kvcliff", {e}, {}));
  EXPECT_EQ(Reader::open(dir / "a.kvcliff")->experiments()->size(), 1u);
  const auto back = merge_experiments(dir / "trash.kvcliff", {}, dir / "a.kvcliff");
  ASSERT_TRUE(back) << back.error().sentence();
  ASSERT_EQ(back->added.size(), 1u);
  expect_equal(dir / "trash.kvcliff", 1, dir / "a.kvcliff", back->added[0]);
  EXPECT_EQ(Reader::open(dir / "a.kvcliff")->experiment("aaaaaaaaaaaaaaaa")->created, 1'000'000'000);
}

TEST(Merge, LeavesARunThatIsThereAlone) {
  Folder dir;
  fill(dir / "a.kvcliff", "aaaaaaaaaaaaaaaa");
  ASSERT_TRUE(merge_experiments(dir / "a.kvcliff", {}, dir / "b.kvcliff"));
  const auto again = merge_experiments(dir / "a.kvcliff", {}, dir / "b.kvcliff");
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->added.empty());
  EXPECT_EQ(again->already_there, std::vector<std::string>{"aaaaaaaaaaaaaaaa"});
}

TEST(Merge, RefusesWhatIsNoJournalAndLeavesItsBytes) {
  Folder dir;
  std::ofstream(dir / "text.kvcliff") << "not a journal";
  const auto refused = merge_experiments(dir / "text.kvcliff", {}, dir / "b.kvcliff");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::corrupt);
  EXPECT_FALSE(fs::exists(dir / "b.kvcliff"));
  EXPECT_FALSE(merge_experiments(dir / "absent.kvcliff", {}, dir / "b.kvcliff"));
}

TEST(Merge, ReplacesTagsWithoutEmptyOrRepeatedOnes) {
  Folder dir;
  const auto e = fill(dir / "a.kvcliff", "aaaaaaaaaaaaaaaa");
  ASSERT_TRUE(set_tags(dir / "a.kvcliff", e, {" h200 ", "", "review", "h200"}));
  EXPECT_EQ(Reader::open(dir / "a.kvcliff")->experiment("1")->tags, (std::vector<std::string>{"h200", "review"}));
  EXPECT_FALSE(set_tags(dir / "a.kvcliff", 99, {"x"}));
}

}  // namespace
}  // namespace kvcliff::journal
