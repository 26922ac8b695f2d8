// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text_blocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <atomic>
#include <stdexcept>

#include "base/file.h"
#include "base/hash.h"
#include "base/in_order.h"
#include "support/data.h"

namespace kvcliff {
namespace {

std::string gzip(const std::string& text) {
  z_stream z{};
  deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&z, text.size()) + 64, '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  deflate(&z, Z_FINISH);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

/// All pieces, one after the other; each ends on a line end but the last.
std::string joined(TextBlocks& blocks) {
  std::string out, buffer;
  for (;;) {
    const auto next = blocks.next(buffer);
    if (!next) throw std::runtime_error(next.error().sentence());
    if (next->empty()) return out;
    EXPECT_TRUE(out.empty() || out.back() == '\n');
    out += *next;
  }
}

TEST(TextBlocks, PiecesOfAnyFileAreItsLinesWhole) {
  const test::TempDir dir;
  Rng rng(3);
  for (const std::size_t bytes : {0u, 1u, 100u, 262'143u, 262'144u, 262'145u, 3'000'000u, 9'000'000u}) {
    std::string text;
    while (text.size() < bytes) {  // now and then a line much longer than a piece
      text.append(rng.below(200) == 0 && bytes > 1'000'000 ? 700'000 : rng.below(400), static_cast<char>('a' + rng.below(26)));
      text += '\n';
    }
    text.resize(bytes);  // the last line may lack its end
    const std::string frames = zstd_compress(text.substr(0, bytes / 3)) + zstd_compress(text.substr(bytes / 3));
    ASSERT_TRUE(write_file(dir / "plain", text) && write_file(dir / "zstd", frames) && write_file(dir / "gzip", gzip(text.substr(0, bytes / 2)) + gzip(text.substr(bytes / 2))));
    for (const bool look : {false, true}) {
      TextBlocks memory = TextBlocks::of(text);
      EXPECT_TRUE(!look || text.rfind(*memory.head(), 0) == 0);
      EXPECT_EQ(joined(memory), text);
      for (const char* name : {"plain", "zstd", "gzip"}) {
        auto file = TextBlocks::open(dir / name);
        ASSERT_TRUE(file) << file.error().sentence();
        if (look) {
          const auto head = file->head();
          ASSERT_TRUE(head);
          EXPECT_EQ(text.rfind(*head, 0), 0u);
          EXPECT_TRUE(bytes >= TextBlocks::head_size || head->size() == bytes);
        }
        EXPECT_EQ(joined(*file), text) << name << bytes;
      }
    }
  }
}

TEST(TextBlocks, WhatCannotBeReadIsSaid) {
  const test::TempDir dir;
  EXPECT_EQ(TextBlocks::open(dir / "none").error().code, ErrorCode::not_found);
  EXPECT_EQ(TextBlocks::open(dir.path()).error().code, ErrorCode::bad_usage);
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i * 7919) + "\n";
  const auto error_of = [&](std::string bytes) {
    EXPECT_TRUE(write_file(dir / "packed", bytes));
    auto file = TextBlocks::open(dir / "packed");
    std::string buffer;
    while (file) {
      const auto next = file->next(buffer);
      if (!next) return next.error().why;
      if (next->empty()) return std::string("no error");
    }
    return file.error().why;
  };
  const std::string gz = gzip(text), zst = zstd_compress(text);
  EXPECT_EQ(error_of(gz.substr(0, gz.size() / 2)), "the data ends early");
  EXPECT_EQ(error_of(zst.substr(0, zst.size() / 2)), "the data ends early");
  std::string spoilt = gz;
  spoilt[gz.size() / 2] ^= 0x55;  // caught by the check sum at the end, if not before
  EXPECT_EQ(error_of(spoilt), "broken data");
  EXPECT_EQ(error_of(gz), "no error");
}

TEST(TextBlocks, AByteOrderMarkIsLeftOut) {
  const test::TempDir dir;
  ASSERT_TRUE(write_file(dir / "bom", "\xef\xbb\xbfone\ntwo"));
  auto file = TextBlocks::open(dir / "bom");
  EXPECT_EQ(joined(*file), "one\ntwo");
  TextBlocks memory = TextBlocks::of("\xef\xbb\xbfone");
  EXPECT_EQ(joined(memory), "one");
}

TEST(InOrder, GivesInTheOrderOfTakingWhateverTheThreadsDo) {
  for (const int threads : {1, 2, 7}) {
    int next = 0, given = 0;
    in_order<int>(
        threads, [&](int& n) { return n = next++, n < 500; },
        [](int& n) {
          if (n % 5 == 0) std::this_thread::yield();
          n *= 2;
        },
        [&](int& n) {
          EXPECT_EQ(n, 2 * given);
          return ++given < 400;
        });
    EXPECT_EQ(given, 400);
  }
}

TEST(InOrder, ThrowsWhatAThreadThrew) {
  std::atomic<int> worked{0};
  const auto run = [&] {
    int next = 0;
    in_order<int>(
        4, [&](int& n) { return n = next++, n < 1'000; },
        [&](int& n) {
          ++worked;
          if (n == 20) throw std::runtime_error("twenty");
        },
        [](int& n) { return n < 20; });
  };
  EXPECT_THROW(run(), std::runtime_error);
  EXPECT_LT(worked, 100);
}

}  // namespace
}  // namespace kvcliff
