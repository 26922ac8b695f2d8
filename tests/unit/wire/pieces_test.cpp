// SPDX-License-Identifier: GPL-3.0-or-later
// Raw answers, child output, rates, and the rules of a stream's end, each by itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <time.h>

#include "base/clock.h"
#include "base/text.h"
#include "record/sleep.h"
#include "support/data.h"
#include "support/expect_file.h"
#include "wire/http_answer.h"
#include "wire/log_lines.h"
#include "wire/openai_stream.h"
#include "wire/recording.h"

namespace kvcliff::wire {
namespace {
using testing::Contains;
using testing::HasSubstr;

StreamRecord of(const std::string& sse) { return read_stream_recording(sse, nullptr, "text")->record; }
std::string say(const std::string& json) { return "data: " + json + "\n\n"; }
const std::string token = say(R"({"choices":[{"index":0,"text":"a","finish_reason":null}]})");
const std::string stop = say(R"({"choices":[{"index":0,"text":"","finish_reason":"stop"}]})");
const std::string done = "data: [DONE]\n\n";

TEST(Outcomes, FollowTheContract) {
  EXPECT_EQ(of(token + stop + done).outcome, Outcome::complete);
  const auto no_done = of(token + stop);
  EXPECT_EQ(no_done.outcome, Outcome::complete);
  EXPECT_THAT(no_done.warnings, Contains(HasSubstr("[DONE] is missing")));
  EXPECT_EQ(of(token + done).outcome, Outcome::ended_without_reason);
  EXPECT_EQ(of(token).outcome, Outcome::truncated);
  EXPECT_FALSE(of(token).transport_clean);
  EXPECT_EQ(of("").outcome, Outcome::truncated);
  EXPECT_EQ(of(done).outcome, Outcome::error);
  const std::string head = "HTTP/1.1 200 OK\r\ncontent-length: ";
  EXPECT_EQ(of(head + std::to_string(token.size()) + "\r\n\r\n" + token).outcome, Outcome::ended_without_reason);
  EXPECT_EQ(of(head + "0\r\n\r\n").outcome, Outcome::error);
  EXPECT_EQ(of(head + "999\r\n\r\n" + token).outcome, Outcome::truncated);
  EXPECT_EQ(of("HTTP/1.0 200 OK\r\n\r\n" + token).outcome, Outcome::truncated);  // ends with the connection: not known to be whole
  EXPECT_EQ(of("HTTP/1.1 500 X\r\ncontent-length: 4\r\n\r\noops").error_message, "oops");
}

TEST(Outcomes, EveryChoiceNeedsItsReason) {
  const auto choice = [](int i, const char* reason) {
    return say("{\"choices\":[{\"index\":" + std::to_string(i) + ",\"text\":\"x\",\"finish_reason\":" + reason + "}]}");
  };
  EXPECT_EQ(of(choice(0, "null") + choice(1, "null") + choice(0, "\"stop\"") + done).outcome, Outcome::ended_without_reason);
  const auto both = of(choice(0, "null") + choice(1, "\"stop\"") + choice(0, "\"length\"") + done);
  EXPECT_EQ(both.outcome, Outcome::complete);
  EXPECT_EQ(both.text, "xx");
  EXPECT_EQ(both.finish_reason, "length");
}

TEST(Tokens, IdsRuleOverText) {
  const auto r = of(say(R"({"choices":[{"index":0,"text":"","token_ids":[5],"finish_reason":null}]})") +
                    say(R"({"choices":[{"index":0,"text":"ab","token_ids":[6,7],"finish_reason":null}]})") +
                    say(R"({"choices":[{"index":0,"text":"c","token_ids":[],"finish_reason":"stop"}]})") + done);
  EXPECT_EQ(r.content_events, 2);
  EXPECT_THAT(r.token_ids, testing::ElementsAre(5, 6, 7));
  EXPECT_EQ(r.events[0].kind, EventKind::token);
  EXPECT_EQ(r.events[1].tokens, 2);
  EXPECT_EQ(r.events[2].kind, EventKind::finish);
}

/// What the quick path must never take for an equal event. Each follows an event it resembles.
TEST(Tokens, EventsLikeTheLastOneAreStillReadExactly) {
  const auto event = [](const std::string& text, const std::string& ids, const std::string& rest = "\"finish_reason\":null") {
    return say("{\"id\":\"c\",\"choices\":[{\"index\":0,\"text\":\"" + text + "\"," + rest + ",\"token_ids\":" + ids + "}]}");
  };
  const std::string first = event("a", "[1]");
  const auto r = of(first + event("bc", "[2,3]") + event("\\n", "[4]") + event("", "[5]") + event("é", "[6]") + event("x\",\"finish_reason\":\"no", "[7]") +
                    event("y", "[]") + event("z", "null") + event("q", "[08]") + event("w", "[1,]") + event("v", "[-1]") +
                    event("u", "[9]", "\"finish_reason\":\"stop\"") + done);
  EXPECT_EQ(r.outcome, Outcome::complete);
  EXPECT_EQ(r.parse_errors, 2);  // [08] and [1,] are not JSON
  EXPECT_EQ(r.text, "abc\n\u00e9xyzvu");
  EXPECT_THAT(r.token_ids, testing::ElementsAre(1, 2, 3, 4, 5, 6, 7, -1, 9));
  EXPECT_EQ(r.finish_reason, "stop");
  EXPECT_EQ(of(first + "data: " + first.substr(6, first.size() - 9) + "\n\n" + stop + done).parse_errors, 1);  // its last brace is gone
  const auto chat = [](const std::string& delta) { return say("{\"choices\":[{\"index\":0,\"delta\":{" + delta + "}}]}"); };
  const auto both = of(chat(R"("reasoning":"t")") + chat(R"("reasoning":"u")") + chat(R"("content":"a")") + chat(R"("content":"b")") +
                       chat(R"("content":"","reasoning":"c")") + chat(R"("content":"","reasoning":"d")") + chat(R"("content":"e","reasoning":"d")") + stop + done);
  EXPECT_EQ(both.text, "abe");
  EXPECT_EQ(both.reasoning_text, "tucdd");
  EXPECT_EQ(both.content_events, 7);
}

TEST(Tokens, AToolCallIsGenerated) {
  const auto r = of(say(R"({"choices":[{"index":0,"delta":{"role":"assistant","content":null}}]})") +
                    say(R"({"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"name":"f"}}]}}]})") + stop + done);
  EXPECT_EQ(r.content_events, 1);
  EXPECT_EQ(r.events[0].kind, EventKind::empty);
}

TEST(Usage, LastOneCountsAndContradictionsAreSaid) {
  const auto usage = [](const std::string& u) { return say("{\"choices\":[],\"usage\":" + u + "}"); };
  const auto r = of(token + usage(R"({"prompt_tokens":5,"completion_tokens":1})") +
                    usage(R"({"prompt_tokens":5,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4}})") + stop + done);
  EXPECT_EQ(r.usage.completion_tokens, 2);
  EXPECT_EQ(r.usage.cached_tokens, 4);
  EXPECT_FALSE(r.usage.conflicting);
  const auto bad = of(usage(R"({"prompt_tokens":5})") + usage(R"({"prompt_tokens":6,"prompt_tokens_details":{"cached_tokens":-1}})") + stop + done);
  EXPECT_TRUE(bad.usage.conflicting);
  EXPECT_EQ(bad.usage.cached_tokens, std::nullopt);
  EXPECT_TRUE(bad.usage.details_seen);
  EXPECT_THAT(bad.warnings, Contains(HasSubstr("negative")));
  EXPECT_EQ(of(say(R"({"choices":[],"usage":{"prompt_tokens":5,"prompt_tokens_details":null}})") + stop).usage.cached_tokens, std::nullopt);
}

/// What an inflater gives for data that comes in pieces of that size; "!" when it calls it broken, "..." when it waits for more.
std::string inflated(const std::string& data, std::size_t piece) {
  Inflater inflater;
  std::string out;
  bool good = true;
  for (std::size_t at = 0; at < data.size() && good; at += piece)
    good = inflater.push(std::string_view(data).substr(at, piece), [&](std::string_view b) { out.append(b); });
  return out + (!good ? "!" : inflater.ended() ? "" : "...");
}

TEST(Gzip, HasAnyNumberOfMembers) {
  const std::string one("\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\xcf\x4b\x55\x00\x00\x49\x61\xac\x23\x04\x00\x00\x00", 24);
  const std::string two("\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x2b\x29\xcf\x07\x00\x66\x8a\xca\x11\x03\x00\x00\x00", 23);
  const std::string zeros(9, '\0');
  for (const std::size_t piece : {1u, 2u, 7u, 1000u}) {
    EXPECT_EQ(inflated(one, piece), "one ");
    EXPECT_EQ(inflated(one + two + one, piece), "one twoone ");
    EXPECT_EQ(inflated(one + zeros + two + zeros, piece), "one two");
    EXPECT_EQ(inflated(one + two.substr(0, 10), piece), "one ...");
    EXPECT_EQ(inflated(one + "rubbish" + two, piece), "one ");
    EXPECT_EQ(inflated(one + "\x1frubbish" + two, piece), "one ");
    EXPECT_EQ(inflated(one + two.substr(0, two.size() - 5) + "rubbish", piece), "one two!");
  }
}

TEST(Errors, MayBeTextOrAnyShapeOfJson) {
  const auto expect = [](const std::string& event, const std::string& message, int code = 0) {
    SCOPED_TRACE(event);
    const auto r = of(token + event + "\n\n" + done);
    EXPECT_EQ(r.outcome, Outcome::error);
    EXPECT_EQ(r.error_message, message);
    EXPECT_EQ(r.error_code, code);
    EXPECT_EQ(r.parse_errors, 0);
    EXPECT_EQ(r.text, "a");
    ASSERT_EQ(r.events.size(), 3u);
    EXPECT_EQ(r.events[1].kind, EventKind::error);
  };
  expect("event: error\ndata: upstream timed out", "upstream timed out");
  expect("event: error\ndata: \"upstream timed out\"", "upstream timed out");
  expect("event: error\ndata: [{\"message\":\"m\",\"code\":502}]", "m", 502);
  expect("event: error\ndata: {\"message\":\"m\"}", "m");
  expect(R"(error: {"code":500,"message":"slot lost","type":"server_error"})", "slot lost", 500);  // llama.cpp
  expect("error: slot lost", "slot lost");
  expect(R"(data: {"detail": "engine dead"})", "engine dead");
  expect(R"(data: {"errors": [{"message": "m", "code": 502}]})", "m", 502);
  expect(R"(data: {"error": [{"message": "m", "code": 502}]})", "m", 502);
  expect(R"(data: {"error": true, "message": "m"})", "m");
  expect(R"(data: {"error": ""})", R"({"error":""})");
  expect(R"(data: {"message": "prompt too long", "type": "BadRequestError"})", "prompt too long");
  expect(R"(data: {"message": "prompt too long", "type": "Bad Request", "param": null})", "prompt too long");
}

TEST(Errors, AnEmptyOneBesideAnAnswerIsNone) {
  for (const char* error : {"null", "false", "0", "\"\"", "{}", "[]", R"({"message":"","code":null})"}) {
    SCOPED_TRACE(error);
    const auto with = [&](const char* text, const char* reason) {
      return say(std::string("{\"choices\":[{\"index\":0,\"text\":\"") + text + "\",\"finish_reason\":" + reason + "}],\"error\":" + error + "}");
    };
    const auto r = of(with("a", "null") + with("b", "\"stop\"") + done);
    EXPECT_EQ(r.outcome, Outcome::complete) << r.why;
    EXPECT_EQ(r.text, "ab");
  }
  // Words that are no error: a note of a proxy, a detail that says nothing, fields beside an answer.
  const std::string beside = say(R"({"choices":[{"index":0,"text":"b"}],"message":"m","detail":"d","code":1})");
  const std::string no_choice = say(R"({"choices":[],"error":""})") + say(R"({"choices":[],"detail":"filtered"})");
  EXPECT_EQ(of(token + no_choice + say(R"({"type":"status","message":"busy"})") + say(R"({"detail":null})") + beside + "error\n" + stop + done).outcome,
            Outcome::complete);
}

TEST(Errors, TheFinishReasonMayBeOne) {
  const auto r = of(token + say(R"({"choices":[{"index":0,"text":"","finish_reason":"error"}]})") + done);
  EXPECT_EQ(r.outcome, Outcome::error);
  EXPECT_THAT(r.why, HasSubstr("finish reason \"error\""));
  EXPECT_EQ(r.text, "a");
}

TEST(Errors, OnlyAWholeBodyThatIsMissingGivesTheHint) {
  const auto hint = [](const std::string& body) {
    const auto r = of("HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\n\r\n" + body);
    EXPECT_EQ(r.outcome, Outcome::error);
    return testing::Value(r.warnings, Contains(HasSubstr("saw no request body")));
  };
  EXPECT_TRUE(hint(R"({"detail":[{"type":"missing","loc":["body"],"msg":"Field required","input":null}]})"));
  EXPECT_TRUE(hint(R"({"error":{"message":"[{'type': 'missing', 'loc': ('body',), 'msg': 'Field required', 'input': None}]"}})"));
  EXPECT_TRUE(hint(R"({"object":"error","message":"Request body is required","code":400})"));
  EXPECT_TRUE(hint(R"({"error":{"message":"body: field required","param":"body"}})"));
  EXPECT_FALSE(hint(R"({"error":{"message":"1 validation error: Field required: model is required","param":"model","code":400}})"));
  EXPECT_FALSE(hint(R"({"detail":[{"type":"missing","loc":["body","model"],"msg":"Field required","input":{}}]})"));
}

std::string from_hex(std::string_view digits) {
  std::string out;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) out += static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16));
  return out;
}

TEST(Gzip, ABrokenBodyDoesNotHideTheStatus) {
  const std::string bytes = "HTTP/1.1 503 Busy\r\ncontent-encoding: gzip\r\n\r\n\x1f\x8b\x08 no such data";
  const std::vector<RecordedChunk> cut(bytes.size(), RecordedChunk{1, 1}), *at_once = nullptr;
  for (const auto* chunks : {at_once, &cut}) {
    const auto r = read_stream_recording(bytes, chunks, "text")->record;
    EXPECT_EQ(r.http_status, 503);
    EXPECT_EQ(r.outcome, Outcome::error);
  }
}

TEST(Times, ACompressedStreamInOnePieceHasNoFirstTokenTime) {
  const auto marked = [](const std::string& bytes, const std::vector<RecordedChunk>& chunks) {
    return testing::Value(read_stream_recording(bytes, &chunks, "text")->record.warnings, Contains(HasSubstr("not measurable")));
  };
  // Two events of one token each.
  const std::string packed = from_hex(
      "1f8b08000000000002034b492c49b452a8564acec8cf4c4e2d56b28aae56cacc4b49ad50b232d0512a49ad2851b2524a54aa8dade5e24a21596d"
      "b48bbf9f6b2c17170004ea926c66000000");
  EXPECT_TRUE(marked(packed, {{10, 10}, {2000, packed.size() - 10}}));
  const std::string head = "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n";
  EXPECT_TRUE(marked(head + packed, {{10, head.size()}, {2000, packed.size()}}));
  const std::string plain = token + token + done;
  EXPECT_FALSE(marked(plain, {{2000, plain.size()}}));
  // One event of several tokens, and one of one.
  StreamRecord r;
  r.content_events = 1;
  r.times.first_token = r.times.last_token = 7;
  EXPECT_FALSE(one_piece_mark(r, true));
  r.usage.completion_tokens = 3;
  EXPECT_TRUE(one_piece_mark(r, true));
  EXPECT_FALSE(one_piece_mark(r, false));
  r.times.last_token = 8;
  EXPECT_FALSE(one_piece_mark(r, true));
  r.times.first_token = r.times.last_token = 0;
  EXPECT_FALSE(one_piece_mark(r, true));
}

TEST(BadJson, IsCountedAndReadingGoesOn) {
  const auto r = of(token + say("{\"choices\":[") + say("not json") + token + stop + done);
  EXPECT_EQ(r.parse_errors, 2);
  EXPECT_EQ(r.text, "aa");
  EXPECT_EQ(r.outcome, Outcome::complete);
}

TEST(BadJson, BrokenBytesSurrogatesAndNanBecomeMarks) {
  const auto r = of(say("{\"choices\":[{\"text\":\"x\xff\"}]}") + say("{\"choices\":[{\"text\":\"\\ud83d\"}],\"n\":NaN,\"m\":-Infinity}") +
                    say("{\"choices\":[{\"text\":\"\\ud83d\\ude00\"}]}") + stop + done);
  EXPECT_EQ(r.parse_errors, 0);
  EXPECT_EQ(r.text, "x\xef\xbf\xbd\xef\xbf\xbd\xf0\x9f\x98\x80");
}

TEST(HttpAnswer, ChunkedWithExtensionsTrailersAndAnyCut) {
  const std::string raw = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 Fine Day\r\nTransfer-Encoding: gzip, Chunked\r\nX: 1\r\n\r\n"
                          "5;a=b\r\nhello\r\n1\r\n!\r\n0\r\nTrailer: x\r\n\r\n";
  for (std::size_t size = 1; size <= raw.size(); ++size) {
    HttpAnswerReader reader;
    std::string body;
    for (std::size_t at = 0; at < raw.size(); at += size)
      reader.push(std::string_view(raw).substr(at, size), [&](std::string_view b) { body += b; });
    EXPECT_TRUE(reader.whole()) << size << reader.fault();
    EXPECT_EQ(body, "hello!");
    EXPECT_EQ(reader.head().status, 200);
    EXPECT_EQ(reader.head().header("x"), "1");
  }
}

TEST(HttpAnswer, BrokenFramingIsSaid) {
  const auto fault = [](const std::string& raw) {
    HttpAnswerReader reader;
    reader.push(raw, [](std::string_view) {});
    return reader.fault();
  };
  const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_THAT(fault(chunked + "zz\r\n"), HasSubstr("hexadecimal"));
  EXPECT_THAT(fault(chunked + "2\r\nabc\r\n"), HasSubstr("longer"));
  EXPECT_THAT(fault(chunked + "2\r\nab\r\n"), HasSubstr("last chunk"));
  EXPECT_THAT(fault("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab"), HasSubstr("3 bytes"));
  EXPECT_THAT(fault("HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\n"), HasSubstr("not a number"));
  EXPECT_THAT(fault("HTTP/1.1 200 OK\r\ncontent-encoding: br\r\n\r\n"), HasSubstr("br"));
  EXPECT_THAT(fault("HTTP/1.1 20"), HasSubstr("inside its head"));
  EXPECT_THAT(fault("GET / HTTP/1.1\r\n\r\n"), HasSubstr("status line"));
}

TEST(ChunkLists, AreReadOrRefusedByLine) {
  EXPECT_EQ(parse_chunk_list("# x\n1 2\n\n3.5\t4 # y\n", "c")->size(), 2u);
  for (const char* bad : {"1\n", "x 2\n", "1 x\n", "5 1\n4 1\n", "-1 2\n", "1 -2\n", "nan 1\n"}) {
    const auto r = parse_chunk_list(bad, "c");
    ASSERT_FALSE(r) << bad;
    EXPECT_THAT(r.error().where, HasSubstr("line"));
  }
}

std::vector<OutputLine> lines(const std::string& bytes, std::size_t limit, std::size_t piece) {
  std::vector<OutputLine> out;
  LineSplitter splitter(limit);
  const auto sink = [&](OutputLine l) { out.push_back(std::move(l)); };
  for (std::size_t at = 0; at < bytes.size(); at += piece) splitter.push(std::string_view(bytes).substr(at, piece), sink);
  splitter.finish(sink);
  return out;
}

TEST(LogLines, BytesThatAreNotTextBecomeMarksAndReadingGoesOn) {
  const std::string raw = test::read("cases/067-log-bytes-not-utf8/raw.log");
  for (const std::size_t piece : {raw.size(), std::size_t{1}, std::size_t{3}}) {
    const auto all = lines(raw, 4096, piece);
    ASSERT_EQ(all.size(), 9u);
    EXPECT_EQ(all[0].text, "ok 1");
    EXPECT_EQ(all[7].text, "good 模型");
    EXPECT_EQ(all[8].text, "ok 9");
    std::vector<int> replaced;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].replaced) replaced.push_back(static_cast<int>(i) + 1);
    EXPECT_THAT(replaced, testing::ElementsAre(2, 3, 4, 6, 7));
    EXPECT_THAT(all[4].text.substr(all[4].text.find('\0') + 1), " byte");
  }
}

TEST(LogLines, AVeryLongLineIsCutAndItsLengthKept) {
  const auto all = lines(test::read("cases/068-very-long-log-line/raw.log.zst"), 4096, 1000);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[1].bytes, 271052u);
  EXPECT_LE(all[1].text.size(), 4096u);
  EXPECT_TRUE(all[1].truncated);
  EXPECT_EQ(all[2].text, "INFO after");
  const auto wide = lines("äääää\n", 3, 1);  // the limit falls inside the second character
  EXPECT_EQ(wide[0].text, "ä");
  EXPECT_FALSE(wide[0].replaced);
}

TEST(LogLines, ProgressLinesAndEndsOfEveryKind) {
  for (const std::size_t piece : {std::size_t{1}, std::size_t{2}, std::size_t{100}}) {
    const auto all = lines("a\r\nb\r 10%\r 20%\nlast", 100, piece);
    ASSERT_EQ(all.size(), 5u) << piece;
    EXPECT_EQ(all[0].text, "a");
    EXPECT_FALSE(all[0].progress);
    EXPECT_TRUE(all[1].progress);
    EXPECT_EQ(all[3].text, " 20%");
    EXPECT_FALSE(all[3].progress);
    EXPECT_TRUE(all[4].partial);
  }
  EXPECT_EQ(without_ansi("\x1b[1;36m(EngineCore)\x1b[0m x"), "(EngineCore) x");
}

TEST(Case109, RatesCountTokensAndNeverShowAPeakBelowTheAverage) {
  StreamRecord r;
  r.usage = {};
  r.usage.completion_tokens = Json::parse(test::read("cases/109-peak-below-average/usage.json")).at("completion_tokens").get<int>();
  const std::string table = test::read("cases/109-peak-below-average/events.tsv");
  const auto rows = split(table, '\n');
  r.times.t0 = 1;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i].empty()) continue;
    const MonoNs at = 1'000'000'000 + *parse_int(split(rows[i], '\t')[0]) * 1'000'000;
    r.events.push_back({at, 10, EventKind::token, 0});
    if (r.times.first_token == 0) r.times.first_token = at;
    r.times.last_token = at;
    ++r.content_events;
  }
  const auto f = figures_of(r);
  EXPECT_EQ(f.output_tokens, 96);
  EXPECT_DOUBLE_EQ(*f.tokens_per_second, 160);
  EXPECT_EQ(f.peak_tokens_per_second, std::nullopt);
  EXPECT_THAT(f.peak_why, HasSubstr("shorter than the window"));
}

TEST(Rates, PeakOfALongStreamWithABurst) {
  StreamRecord r;
  r.ids_returned = true;
  r.times.t0 = 1;
  const auto add = [&](std::int64_t ms) {
    const MonoNs at = 1'000'000'000 + ms * 1'000'000;
    r.events.push_back({at, 10, EventKind::token, 2});
    r.token_ids.insert(r.token_ids.end(), 2, 1);
    if (r.times.first_token == 0) r.times.first_token = at;
    r.times.last_token = at;
    ++r.content_events;
  };
  for (int i = 0; i < 20; ++i) add(i * 100);
  for (int i = 0; i < 50; ++i) add(2000 + i);
  const auto f = figures_of(r);
  EXPECT_NEAR(*f.peak_tokens_per_second, 118, 0.5);  // 50 in the burst and 9 before it, 2 tokens each
  EXPECT_GE(*f.peak_tokens_per_second, *f.tokens_per_second);
}

/// One row of a case's table of clocks: its name, then its numbers as text.
std::vector<std::vector<std::string>> clock_rows(const std::string& name) {
  std::vector<std::vector<std::string>> out;
  const std::string text = test::read("cases/104-clock-jumps/" + name);
  for (const auto line : split(text, '\n')) {
    std::vector<std::string> row;
    for (const auto cell : split(line, '\t')) row.emplace_back(trim(cell));
    if (row.size() == 3 && row[0] != "event") out.push_back(std::move(row));
  }
  return out;
}

/// "2030-03-01T10:00:05.000Z" as the system reads it.
WallNs wall_of(const std::string& text) {
  tm parts{};
  EXPECT_NE(strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts), nullptr);
  return std::int64_t{timegm(&parts)} * 1'000'000'000;
}

TEST(Case104, SpansComeFromTheMonotonicClockWhateverTheWallClockDoes) {
  const auto awake = clock_rows("events.tsv"), suspended = clock_rows("suspend.tsv");
  ASSERT_EQ(awake.size(), 3u);
  ASSERT_EQ(suspended.size(), 2u);
  EXPECT_LT(awake[1][2], awake[0][2]) << "the wall clock of the case goes back";
  for (const auto& e : test::read_expectations("104-clock-jumps")) {
    const bool sleeping = e.part == "suspend";
    const auto& rows = sleeping ? suspended : awake;
    StreamRecord r;
    r.outcome = Outcome::complete;
    r.times.t0 = *parse_int(rows[0][1]);
    r.times.first_token = *parse_int(rows[1][1]);
    r.times.end = r.times.last_token = *parse_int(rows.back()[1]);
    if (sleeping)
      if (auto mark = sleep_mark(r.times.end - r.times.t0, *parse_int(rows.back()[2]) - *parse_int(rows[0][2]))) r.warnings.push_back(*mark);
    if (e.key == "ttft_ms")
      EXPECT_EQ(static_cast<double>(r.ttft().value_or(0)) / 1e6, *parse_double(e.value));
    else if (e.key == "duration_ms")
      EXPECT_EQ(static_cast<double>(r.times.end - r.times.t0) / 1e6, *parse_double(e.value));
    else if (e.key == "started_shown")  // the wall clock when the request went out; ours shows microseconds
      EXPECT_EQ(iso8601(wall_of(rows[0][2])), e.value.substr(0, e.value.size() - 1) + "000Z");
    else if (e.key == "mark")
      EXPECT_THAT(r.warnings, testing::ElementsAre(e.value));
    else if (e.key == "in_statistics")
      EXPECT_EQ(times_count(r), e.value == "yes");
    else
      ADD_FAILURE() << e.key;
    if (!sleeping) {
      EXPECT_TRUE(times_count(r)) << "a step of the wall clock is no sleep";
    }
  }
}

TEST(Clocks, ASleepingMachineIsMarked) {
  const std::string text = test::read("cases/104-clock-jumps/suspend.tsv");
  const auto lines_of = split(text, '\n');
  const auto a = split(lines_of[1], '\t'), b = split(lines_of[2], '\t');
  EXPECT_EQ(sleep_mark(*parse_int(b[1]) - *parse_int(a[1]), *parse_int(b[2]) - *parse_int(a[2])), "machine slept during the request");
  EXPECT_EQ(sleep_mark(200'000'000, 200'001'000), std::nullopt);
}

}  // namespace
}  // namespace kvcliff::wire
