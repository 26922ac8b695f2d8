// SPDX-License-Identifier: GPL-3.0-or-later
// The streaming client against a server of plain sockets. Times are only compared with what the server did.
#include "net/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <future>
#include <map>

#include "streams.h"
#include "support/data.h"
#include "support/expect_file.h"
#include "support/raw_server.h"
#include "wire/recording.h"

namespace kvcliff::net {
namespace {
using testing::HasSubstr;
using test::http_chunk;
using test::last_chunk;
using test::RawServer;
using test::sse_head;
using Connection = RawServer::Connection;

TEST(Client, ReadsAStreamWithItsTimesInOrder) {
  std::atomic<std::int64_t> began{0};
  RawServer server([&](Connection& c) {
    while (!c.read_request().empty()) {
      began = c.request_began();
      c.write(sse_head);
      c.sleep_ms(5);
      c.write(http_chunk(event("a", "null", 7)));
      c.sleep_ms(5);
      c.write(http_chunk(event("b", "\"length\"", 8) + done));
      c.write(last_chunk);
    }
  });
  Client client;
  auto r = request(server.url("/v1/completions"));
  r.expect_token_ids = true;
  r.keep_raw = true;
  const StreamRecord s = client.stream_wait(std::move(r));
  EXPECT_EQ(s.outcome, Outcome::complete) << s.why;
  EXPECT_TRUE(s.transport_clean);
  EXPECT_EQ(s.text, "ab");
  EXPECT_THAT(s.token_ids, testing::ElementsAre(7, 8));
  EXPECT_EQ(s.http_status, 200);
  EXPECT_EQ(s.raw, event("a", "null", 7) + event("b", "\"length\"", 8) + done);
  const auto& t = s.times;
  EXPECT_LE(t.queued, t.connected);
  EXPECT_LE(t.connected, t.t0);
  EXPECT_LE(t.t0, began.load());  // both clocks are the machine's monotonic one
  EXPECT_LE(t.t0, t.request_written);
  EXPECT_LE(t.request_written, t.header);
  EXPECT_LE(t.header, t.first_byte);
  EXPECT_EQ(t.first_event, t.first_token);
  EXPECT_LT(t.first_token, t.last_token);
  EXPECT_LE(t.last_token, t.end);
  EXPECT_GE(*s.ttft(), 5'000'000);
  EXPECT_TRUE(s.warnings.empty()) << s.warnings[0];
}

TEST(Client, SendsPlainHttp11WithLengthAndNoUpgrade) {
  std::promise<std::string> seen;
  RawServer server([&](Connection& c) {
    seen.set_value(c.read_request());
    c.write(std::string(sse_head) + http_chunk(event("a", "\"stop\"") + done) + std::string(last_chunk));
  });
  Client client;
  EXPECT_EQ(client.stream_wait(request(server.url("/x"))).outcome, Outcome::complete);
  const std::string text = seen.get_future().get();
  std::string lower = text;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char ch) { return std::tolower(ch); });
  EXPECT_TRUE(text.starts_with("POST /x HTTP/1.1\r\n")) << text;
  EXPECT_THAT(lower, testing::Not(HasSubstr("upgrade")));
  EXPECT_THAT(lower, testing::Not(HasSubstr("http2-settings")));
  EXPECT_THAT(lower, testing::Not(HasSubstr("expect:")));
  EXPECT_THAT(lower, HasSubstr("content-length: 44\r\n"));
  EXPECT_THAT(lower, HasSubstr("accept-encoding: identity\r\n"));
}

TEST(Client, LoopbackNeverGoesThroughAProxy) {
  setenv("http_proxy", "http://127.0.0.1:9", 1);
  setenv("ALL_PROXY", "http://127.0.0.1:9", 1);
  RawServer server(answer({std::string(sse_head) + http_chunk(event("a", "\"stop\"") + done) + std::string(last_chunk)}));
  {
    Client client;
    EXPECT_EQ(client.stream_wait(request(server.url())).outcome, Outcome::complete);
    EXPECT_EQ(client.stream_wait(request("http://localhost:" + std::to_string(server.port()))).outcome, Outcome::complete);
  }
  unsetenv("http_proxy");
  unsetenv("ALL_PROXY");
}

TEST(Client, PreconnectedSocketsAreUsedAndKept) {
  RawServer server(answer({std::string(sse_head) + http_chunk(event("a", "\"stop\"") + done) + std::string(last_chunk)}));
  Client client;
  ASSERT_TRUE(client.preconnect(server.url(), 4));
  std::vector<std::future<StreamRecord>> all;
  for (int i = 0; i < 4; ++i) {
    auto p = std::make_shared<std::promise<StreamRecord>>();
    all.push_back(p->get_future());
    client.stream(request(server.url()), [p](RequestId, StreamRecord r) { p->set_value(std::move(r)); });
  }
  for (auto& f : all) EXPECT_EQ(f.get().outcome, Outcome::complete);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(client.stream_wait(request(server.url())).outcome, Outcome::complete);
  EXPECT_EQ(server.connections(), 4);
  EXPECT_EQ(client.active(), 0);
}

TEST(Case055, ThreeStreamsOfAnEngineThatDiesEndEachInItsOwnWay) {
  // Events of the case: a has one token, b is cancelled, which kills the engine; a is cut, c is refused.
  std::atomic<bool> cancelled{false}, a_began{false}, b_came{false}, c_came{false};
  RawServer server([&](Connection& c) {
    const std::string q = c.read_request();
    const auto until = [&](const std::atomic<bool>& flag) {
      for (int i = 0; i < 2000 && !flag; ++i) c.sleep_ms(5);
    };
    if (q.find("\"a\"") != std::string::npos) {
      c.write(std::string(sse_head) + http_chunk(event("x")));
      a_began = true;
      until(cancelled);
    } else if (q.find("\"b\"") != std::string::npos) {
      b_came = true;
      while (!c.peer_closed(50) && !cancelled) {
      }
      cancelled = true;
    } else if (!q.empty()) {
      c_came = true;
      until(cancelled);
      c.write("HTTP/1.1 500 Internal Server Error\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}");
    }
  });
  Client client;
  std::map<std::string, std::future<StreamRecord>> ends;
  std::map<std::string, RequestId> ids;
  for (const char* name : {"a", "b", "c"}) {
    auto p = std::make_shared<std::promise<StreamRecord>>();
    ends[name] = p->get_future();
    auto r = request(server.url("/v1/completions"));
    r.body = std::string(R"({"model":"m","prompt":")") + name + "\"}";
    ids[name] = client.stream(std::move(r), [p](RequestId, StreamRecord s) { p->set_value(std::move(s)); });
  }
  for (int i = 0; i < 2000 && !(a_began && b_came && c_came); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  client.cancel(ids["b"]);
  std::map<std::string, StreamRecord> records;
  for (auto& [name, end] : ends) records[name] = end.get();
  for (const auto& e : test::read_expectations("055-abort-of-queued-request-kills-engine")) {
    if (e.key.size() < 3 || e.key[1] != '.') continue;  // of the session: tests/unit/experiment
    const auto& r = records.at(e.key.substr(0, 1));
    const auto what = e.key.substr(2);
    if (what == "outcome" && e.value == "cancelled")
      EXPECT_EQ(r.outcome, Outcome::cancelled) << e.key;
    else if (what == "outcome")  // failed: cut, or refused; that the engine died is known to the session only
      EXPECT_TRUE(r.outcome == Outcome::truncated || r.outcome == Outcome::error) << e.key << " " << to_string(r.outcome);
    else if (what == "content_events")
      EXPECT_EQ(std::to_string(r.content_events), e.value);
    else if (what != "cause")
      ADD_FAILURE() << e.key;
  }
  EXPECT_EQ(records["c"].http_status, 500);
}

TEST(Case110, WritingALargePromptIsNotRenderingIt) {
  // The time to the first token begins at the socket: what it costs to write two megabytes of ids as text comes before.
  std::atomic<std::int64_t> began{0};
  RawServer server([&](Connection& c) {
    while (!c.read_request().empty()) {
      began = c.request_began();
      c.write(std::string(sse_head) + http_chunk(event("a", "\"stop\"") + done) + std::string(last_chunk));
    }
  });
  Client client;
  ASSERT_TRUE(client.preconnect(server.url(), 1));
  auto r = request(server.url());
  const MonoNs before_rendering = mono_now();
  std::string prompt;
  for (int i = 0; prompt.size() < 2'000'000; ++i) prompt += (i ? "," : "") + std::to_string(100'000 + i % 50'000);
  r.body = R"({"model":"m","prompt":[)" + prompt + R"(],"stream":true})";
  const MonoNs rendered = mono_now();
  const StreamRecord s = client.stream_wait(std::move(r));
  EXPECT_EQ(s.outcome, Outcome::complete) << s.why;
  EXPECT_LT(before_rendering, rendered);
  EXPECT_GE(s.times.t0, rendered) << "no part of the rendering is in the time to the first token";
  EXPECT_LE(s.times.t0, began.load()) << "all of the sending is";
}

TEST(Client, ACompressedStreamIsUnpackedStepByStepAndSaid) {
  const std::string packed = test::read_file_bytes("cases/014-gzip-event-stream/body.gz");
  const auto chunks = *wire::parse_chunk_list(test::read("cases/014-gzip-event-stream/chunks.txt"), "chunks.txt");
  RawServer server([&](Connection& c) {
    c.read_request();
    c.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n");
    std::size_t at = 0;
    for (const auto& piece : chunks) {
      c.write(http_chunk(std::string_view(packed).substr(at, piece.bytes)));
      at += piece.bytes;
      c.sleep_ms(20);
    }
    c.write(last_chunk);
  });
  Client client;
  const auto s = client.stream_wait(request(server.url()));
  EXPECT_EQ(s.outcome, Outcome::complete) << s.why;
  EXPECT_EQ(s.text, "one two");
  EXPECT_LT(s.times.first_token, s.times.last_token);
  ASSERT_EQ(s.warnings.size(), 1u);
  EXPECT_THAT(s.warnings[0], HasSubstr("compressed"));
}

TEST(Client, AHangAfterDoneDoesNotHoldTheRecord) {
  RawServer server([&](Connection& c) {
    c.read_request();
    c.write(std::string(sse_head) + http_chunk(event("a", "\"stop\"") + done));
    c.peer_closed(30'000);
  });
  Client client;
  const auto s = client.stream_wait(request(server.url()));
  EXPECT_EQ(s.outcome, Outcome::complete);
  EXPECT_THAT(s.warnings, testing::Contains(HasSubstr("open after [DONE]")));
}

TEST(Client, LargePromptsAndManyStreamsAtOnce) {
  std::string body = "{\"prompt\":[";
  for (int i = 0; i < 50'000; ++i) body += std::to_string(1000 + i % 5000) + ",";
  body.back() = ']';
  body += "}";
  std::atomic<std::size_t> longest{0};
  RawServer server([&](Connection& c) {
    for (std::string r; !(r = c.read_request()).empty();) {
      if (r.size() > longest) longest = r.size();
      c.write(std::string(sse_head) + http_chunk(event("a", "\"stop\"") + done) + std::string(last_chunk));
    }
  });
  Client client;
  std::vector<std::future<StreamRecord>> all;
  for (int i = 0; i < 64; ++i) {
    auto p = std::make_shared<std::promise<StreamRecord>>();
    all.push_back(p->get_future());
    auto r = request(server.url());
    if (i % 8 == 0) r.body = body;
    client.stream(std::move(r), [p](RequestId, StreamRecord s) { p->set_value(std::move(s)); });
  }
  for (auto& f : all) {
    const auto s = f.get();
    EXPECT_EQ(s.outcome, Outcome::complete) << s.why;
    EXPECT_GE(s.times.request_written, s.times.t0);
  }
  EXPECT_GT(longest.load(), body.size());
}

TEST(Client, TheObserverSeesEventsAndText) {
  RawServer server(answer({std::string(sse_head) + http_chunk(event("a") + event("b", "\"stop\"") + done) + std::string(last_chunk)}));
  std::string text;
  int events = 0;
  Client::Options options;
  options.observer.text = [&](RequestId, std::string_view t) { text += t; };
  options.observer.event = [&](RequestId, const StreamEvent&) { ++events; };
  Client client(options);
  EXPECT_EQ(client.stream_wait(request(server.url())).outcome, Outcome::complete);
  EXPECT_EQ(text, "ab");
  EXPECT_EQ(events, 3);
}

}  // namespace
}  // namespace kvcliff::net
