// SPDX-License-Identifier: GPL-3.0-or-later
// A run judged from its journal against the verdict that was sealed with it.
#include "analysis/judge.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "journal/writer.h"
#include "support/honest_run.h"
#include "support/written_run.h"

namespace kvcliff::analysis {
namespace {

struct Judge : ::testing::Test {
  std::string path = (std::filesystem::temp_directory_path() / ("kvcliff-judge-" + std::to_string(::getpid()) + ".kvcliff")).string();
  reconcile::LoadOptions known, unknown;
  std::int64_t row = 0;
  Judge() {
    clear();
    known.kv = [](const plan::Plan&) { return Result<reconcile::KvFacts>(reconcile::KvFacts{test::kv_bytes, "given"}); };
    unknown.kv = [](const plan::Plan&) -> Result<reconcile::KvFacts> {
      return fail(ErrorCode::not_found, "A file of the program is missing", "models/catalogue.json");
    };
    row = test::write_run(path, test::HonestRun().in, "aaaaaaaaaaaaaaaa", 1'000'000'000);
  }
  ~Judge() override { clear(); }
  void clear() const {
    for (const char* tail : {"", "-wal", "-shm"}) std::filesystem::remove(path + tail);
  }
  void put_sealed(const Json& document, const std::string& version = reconcile::method_version) const {
    auto w = journal::Writer::open(path);
    ASSERT_TRUE(w);
    (*w)->put(journal::SealedResult{row, version, 1, document});
    ASSERT_TRUE((*w)->flush());
  }
};

TEST_F(Judge, WhatIsSealedIsWhatWasConcluded) {
  const auto j = judge(path, {}, known);
  ASSERT_TRUE(j) << j.error().sentence();
  ASSERT_TRUE(seal(path, row, *j));
  const auto kept = journal::Reader::open(path)->sealed_results(row);
  ASSERT_TRUE(kept);
  ASSERT_EQ(kept->size(), 1u);
  const Json& d = kept->front().document;
  EXPECT_EQ(d.at("verdict"), "helps");
  EXPECT_EQ(d.at("requests"), 78);
  EXPECT_EQ(d.at("reconciled"), 78);
  EXPECT_EQ(d.at("kv_bytes_per_token").at("on"), test::kv_bytes);
  EXPECT_EQ(kept->front().method_version, reconcile::method_version);
  const auto again = judge(path, {}, known);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->notes.empty());
}

TEST_F(Judge, AnotherVerdictFromTheSameFactsIsAChangedJournal) {
  put_sealed({{"verdict", "hurts"}, {"kv_bytes_per_token", {{"off", test::kv_bytes}, {"on", test::kv_bytes}, {"control", test::kv_bytes}}}});
  const auto j = judge(path, {}, known);
  ASSERT_FALSE(j);
  EXPECT_EQ(j.error().code, ErrorCode::corrupt);
}

TEST_F(Judge, AModelUnknownHereExplainsAnotherVerdictAndBlamesNobody) {
  put_sealed({{"verdict", "hurts"}});  // as older versions sealed
  const auto j = judge(path, {}, unknown);
  ASSERT_TRUE(j) << j.error().sentence();
  ASSERT_EQ(j->notes.size(), 1u);
  EXPECT_NE(j->notes[0].find("KV size of the model is not known here"), std::string::npos) << j->notes[0];
  EXPECT_NE(j->notes[0].find("catalogue.json"), std::string::npos) << j->notes[0];
  // The check that needs the size is not possible, with the reason; it neither passes nor fails.
  for (const auto& t : j->evaluation.reconciliation.totals)
    if (t.id == "R3") {
      EXPECT_EQ(t.fail, 0);
      EXPECT_EQ(t.pass, 0);
      EXPECT_GT(t.not_possible, 0);
    }
}

TEST_F(Judge, AnotherModelThanThenIsSaid) {
  put_sealed({{"verdict", "hurts"}, {"kv_bytes_per_token", {{"off", test::kv_bytes}, {"on", 4096}, {"control", test::kv_bytes}}}});
  const auto j = judge(path, {}, known);
  ASSERT_TRUE(j) << j.error().sentence();
  ASSERT_EQ(j->notes.size(), 1u);
  EXPECT_NE(j->notes[0].find("4096"), std::string::npos) << j->notes[0];
}

TEST_F(Judge, AnotherMethodVersionIsShownBeside) {
  put_sealed({{"verdict", "hurts"}}, "0");
  const auto j = judge(path, {}, known);
  ASSERT_TRUE(j) << j.error().sentence();
  ASSERT_EQ(j->notes.size(), 1u);
  EXPECT_NE(j->notes[0].find("Method version 0 gave \"hurts\""), std::string::npos) << j->notes[0];
}

}  // namespace
}  // namespace kvcliff::analysis
