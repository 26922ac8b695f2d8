// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/printable.h"
#include "base/queue.h"
#include "base/text.h"
#include "base/units.h"
#include "support/data.h"
#include "support/expect_file.h"

namespace kvcliff {
namespace {

TEST(Printable, NothingSteersATerminal) {
  EXPECT_EQ(printable("plain, \xc3\xa4 \xe2\x82\xac\n\ttext\r\n"), "plain, \xc3\xa4 \xe2\x82\xac\n\ttext\r\n");
  EXPECT_EQ(printable("\x1b[31mred\x07\x7f"), "\\x1b[31mred\\x07\\x7f");
  EXPECT_EQ(printable("bar\rfoo"), "bar\\x0dfoo");
  EXPECT_EQ(printable("\xc2\x9b" "31m"), "\\x9b31m") << "C1: a terminal's other way to begin a sequence";
  EXPECT_EQ(printable("a\xe2\x80\xae" "b\xe2\x81\xa6"), "a\\u202eb\\u2066");
  EXPECT_EQ(printable("\xff\xe2\x82"), "\\xff\\xe2\\x82");
  EXPECT_EQ(printable_line("a\nb\tc"), "a b c");
  const std::string whole = "x\xe2\x80\xaey\r\n\x1bz\xc3\xa4";
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    PrintableFilter f;
    std::string out;
    f.feed(whole.substr(0, cut), out);
    f.feed(whole.substr(cut), out);
    f.finish(out);
    EXPECT_EQ(out, "x\\u202ey\r\n\\x1bz\xc3\xa4") << cut;
  }
}

TEST(Hash, Sha256OfKnownTexts) {  // FIPS 180-4 examples
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Rng, IsTheSameEverywhereAndUniform) {
  Rng r(42);
  EXPECT_EQ(r.next(), 13679457532755275413ULL);  // splitmix64 reference value for seed 42
  Rng s(7);
  std::array<int, 5> seen{};
  for (int i = 0; i < 50'000; ++i) ++seen[s.below(5)];
  for (int n : seen) EXPECT_NEAR(n, 10'000, 400);
}

TEST(CanonicalJson, SortsKeysAndPrintsNumbersAsEcmaScript) {  // RFC 8785 section 3.2.3 and appendix B
  const Json j = Json::parse(R"({"b":[1e21,1E-7,0.000001,333333333.33333329,4.50,2e-3,1e30,-0.0],"a":{"\u20ac":"x","\r":1,"1":true}})");
  EXPECT_EQ(canonical_json(j),
            "{\"a\":{\"\\r\":1,\"1\":true,\"\u20ac\":\"x\"},"
            "\"b\":[1e+21,1e-7,0.000001,333333333.3333333,4.5,0.002,1e+30,0]}");
}

TEST(ParseJson, SaysLineAndColumn) {
  const auto r = parse_json("{\n  \"a\": 1,\n  \"b\" 2\n}", "plan.json");
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().where, "plan.json, line 3, column 7");
}

TEST(ParseJson, RefusesANumberThatNoDoubleHolds) {
  const auto r = parse_json("{\"a\": 1e999}", "plan.json");
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code, ErrorCode::bad_usage);
  EXPECT_NE(r.error().why.find("1e999"), std::string::npos) << r.error().why;
}

TEST(Text, NumbersIgnoreTheLocaleAndMustBeWhole) {
  EXPECT_EQ(parse_double("1.5"), 1.5);
  EXPECT_EQ(parse_double("+Inf"), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(*parse_double("NaN")));
  EXPECT_EQ(parse_double("1,5"), std::nullopt);
  EXPECT_EQ(parse_double("1.5x"), std::nullopt);
  EXPECT_EQ(parse_double(""), std::nullopt);
  EXPECT_EQ(parse_int("+12"), 12);
  EXPECT_EQ(parse_int("12.0"), std::nullopt);
}

TEST(Text, BytesAreReadInBinaryAndDecimalUnits) {
  EXPECT_EQ(parse_bytes("10GiB"), Bytes(10'737'418'240));
  EXPECT_EQ(parse_bytes("2.5 GB"), Bytes(2'500'000'000));
  EXPECT_EQ(parse_bytes("512K"), Bytes(524'288));
  EXPECT_EQ(parse_bytes("4096"), Bytes(4096));
  EXPECT_EQ(parse_bytes("-1"), std::nullopt);
  EXPECT_EQ(parse_bytes("10 XB"), std::nullopt);
}

TEST(Text, ForPeople) {
  EXPECT_EQ(grouped(2'293'760'000), "2,293,760,000");
  EXPECT_EQ(grouped(-1234), "-1,234");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(human_bytes(Bytes(2'293'760'000)), "2.14 GiB");
  EXPECT_EQ(human_bytes(Bytes(1023)), "1023 B");
  EXPECT_EQ(human_duration_ns(83'140'000), "83.1 ms");
  EXPECT_EQ(human_duration_ns(3'780'000'000'000), "1 h 03 min");
  EXPECT_EQ(human_duration_ns(125'000'000'000), "2 min 05 s");
}

TEST(Text, InvalidUtf8BecomesReplacementCharacters) {
  EXPECT_EQ(to_valid_utf8("a\xff" "b"), "a\xef\xbf\xbd" "b");
  EXPECT_EQ(to_valid_utf8("\xe2\x82\xac"), "\xe2\x82\xac");
  EXPECT_EQ(to_valid_utf8("\xc0\xaf"), "\xef\xbf\xbd\xef\xbf\xbd");        // overlong
  EXPECT_EQ(to_valid_utf8("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");  // surrogate
}

TEST(Clock, TimesAreUtcWithMicroseconds) {
  EXPECT_EQ(iso8601(1'796'126'163'123'456'789), "2026-12-01T11:56:03.123456Z");
  EXPECT_EQ(iso8601(-1), "1969-12-31T23:59:59.999999Z");
}

TEST(Files, RoundTripAndCompression) {
  test::TempDir dir;
  const std::string text = "line\n" + std::string(100'000, 'x');
  ASSERT_TRUE(write_file(dir / "a", text));
  EXPECT_EQ(*read_file(dir / "a"), text);
  ASSERT_TRUE(write_file(dir / "b", zstd_compress(text)));
  EXPECT_EQ(*read_maybe_compressed(dir / "b"), text);
  EXPECT_EQ(read_file(dir / "nothing").error().code, ErrorCode::not_found);
  EXPECT_EQ(read_file(dir.path()).error().code, ErrorCode::bad_usage);
  const std::string packed = zstd_compress(text);
  EXPECT_EQ(zstd_decompress(packed.substr(0, packed.size() / 2)).error().code, ErrorCode::corrupt);
}

TEST(Files, GzipOfSeveralMembersIsUnpacked) {  // RFC 1952: members follow one another
  static constexpr char packed[] =
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x2b\x29\xcf\xe7\x02\x00\x74\x08\x17\x96\x04\x00\x00\x00"
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x4d\xcd\x4d\x4a\x2d\x2a\xe6\x02\x00\xcc\x49\x90\x1f\x08\x00\x00\x00";
  test::TempDir dir;
  ASSERT_TRUE(write_file(dir / "t.csv.gz", std::string_view(packed, sizeof packed - 1)));
  EXPECT_EQ(*read_maybe_compressed(dir / "t.csv.gz"), "two\nmembers\n");
}

TEST(QueueOfValues, DrainsAfterClose) {
  Queue<int> q;
  std::thread t([&] {
    for (int i = 0; i < 1000; ++i) q.push(i);
    q.close();
  });
  int expected = 0;
  while (auto v = q.pop()) EXPECT_EQ(*v, expected++);
  t.join();
  EXPECT_EQ(expected, 1000);
  EXPECT_FALSE(q.push(1));
}

TEST(Units, BlocksOfTokens) {
  EXPECT_EQ(full_blocks(Tokens(2003), 16), Blocks(125));
  EXPECT_EQ(blocks_for(Tokens(2003), 16), Blocks(126));
  EXPECT_EQ(tokens_of(Blocks(125), 16), Tokens(2000));
}

TEST(ExpectFile, EveryCaseCanBeRead) {
  int cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(test::data("cases"))) {
    if (!entry.is_directory()) continue;
    ++cases;
    EXPECT_FALSE(test::read_expectations(entry.path().filename().string()).empty()) << entry.path();
  }
  EXPECT_EQ(cases, 74);
}

}  // namespace
}  // namespace kvcliff
