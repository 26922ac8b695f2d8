// SPDX-License-Identifier: GPL-3.0-or-later
// Case 088: a journal of very many requests. What is checked here is what is touched, counted in bytes read and in
// portions; tests/bench/journal has its seconds and its memory at five million rows.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/text.h"
#include "journal/bundle.h"
#include "journal/database.h"
#include "journal/reader.h"
#include "journal/writer.h"
#include "sample.h"
#include "support/data.h"

namespace kvcliff::journal {
namespace {

constexpr int runs = 200, rows_each = 500;

/// As the case says: the program makes the journal, SQL fills its request table.
void make_large(const std::string& path) {
  {
    auto w = Writer::open(path);
    ASSERT_TRUE(w) << w.error().sentence();
    for (int i = 0; i < runs; ++i) {
      auto e = test::sample_experiment(fmt::format("{:08x}", i), 1'700'000'000'000'000'000 + i * 157'000'000'000'000);
      e.model = i % 2 ? "odd" : "even";
      const auto id = (*w)->put(std::move(e));
      (*w)->put(id, test::sample_session(0));
    }
    ASSERT_TRUE((*w)->flush());
  }
  auto db = Database::open(path, Database::Mode::read_write);
  ASSERT_TRUE(db) << db.error().sentence();
  ASSERT_TRUE(db->run(fmt::format(
      "INSERT INTO requests SELECT s.id, n.value, 0, 1, 0, 'complete', 2003, 3, 0, 2000, 0, 0, 0, NULL, 16, 83000000 + n.value, "
      "90000000, 3, 0, 2000, 1, 1, 1 FROM sessions s, (WITH RECURSIVE c(value) AS (SELECT 0 UNION ALL SELECT value + 1 FROM c "
      "WHERE value < {}) SELECT value FROM c) n", rows_each - 1)));
}

std::int64_t count(const std::string& path, const std::string& table) {
  auto db = Database::open(path, Database::Mode::read_only);
  EXPECT_TRUE(db);
  return db->one_integer("SELECT count(*) FROM " + table)->value_or(-1);
}

/// Bytes this process has read by system calls so far; nullopt where the kernel does not say.
std::optional<std::int64_t> bytes_read() {
  const auto text = read_file("/proc/self/io");
  if (!text || text->rfind("rchar: ", 0) != 0) return std::nullopt;
  return parse_int(split(*text, '\n')[0].substr(7));
}

TEST(JournalCase088, TheFirstRowsOfTheListTouchASmallPartOfTheFile) {
  test::TempDir dir;
  const std::string path = dir / "large.kvcliff";
  make_large(path);
  ASSERT_EQ(count(path, "requests"), runs * rows_each);
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path));
  const auto before = bytes_read();
  auto r = Reader::open(path);
  ASSERT_TRUE(r) << r.error().sentence();
  const auto first = r->experiments({.limit = 50});
  ASSERT_TRUE(first);
  ASSERT_EQ(first->size(), 50u);
  EXPECT_EQ(first->front().uid, fmt::format("{:08x}", runs - 1)) << "newest first";
  // To the oldest, page by page, and by model.
  std::size_t seen = first->size();
  for (auto page = *first; page.size() == 50; seen += page.size()) page = *r->experiments({.limit = 50, .created_before = page.back().created});
  EXPECT_EQ(seen, static_cast<std::size_t>(runs));
  EXPECT_EQ(r->experiments({.limit = 1000, .model = "odd"})->size(), static_cast<std::size_t>(runs / 2));
  if (const auto after = bytes_read(); before && after) {
    EXPECT_LT(*after - *before, size / 8) << "of " << size << " bytes";
  }
}

TEST(JournalCase088, DeletingManyRunsCanBeCancelledBetweenPortionsAndGoneOnWith) {
  test::TempDir dir;
  const std::string path = dir / "large.kvcliff";
  make_large(path);
  std::vector<std::int64_t> oldest;
  for (int i = 1; i <= 100; ++i) oldest.push_back(i);
  int asked = 0;
  double share = 0;
  const auto cut = delete_experiments(path, oldest, [&](double s) {
    share = s;
    return ++asked < 40;
  });
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().code, ErrorCode::interrupted);
  EXPECT_EQ(asked, 40) << "it stops at the first no";
  EXPECT_GT(share, 0);
  EXPECT_LT(share, 1);
  const auto left = count(path, "experiments");
  EXPECT_LT(left, runs);
  EXPECT_GT(left, runs - 100);
  {
    auto r = Reader::open(path);
    ASSERT_TRUE(r) << "what is left opens: " << r.error().sentence();
    EXPECT_EQ(r->experiments({.limit = 1000})->size(), static_cast<std::size_t>(left));
  }
  ASSERT_TRUE(delete_experiments(path, oldest, {}));
  EXPECT_EQ(count(path, "experiments"), runs - 100);
  EXPECT_EQ(count(path, "requests"), (runs - 100) * rows_each);
  EXPECT_EQ(count(path, "sessions"), runs - 100);
}

}  // namespace
}  // namespace kvcliff::journal
