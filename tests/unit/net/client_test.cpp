// SPDX-License-Identifier: GPL-3.0-or-later
// The streaming client against a server of plain sockets. Times are only compared with what the server did.
#include "net/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <future>
#include <map>

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

StreamRequest request(const std::string& url) {
  StreamRequest r;
  r.url = url;
  r.body = R"({"model":"m","prompt":[1,2,3],"stream":true})";
  return r;
}

std::string event(std::string_view text, std::string_view finish = "null", int id = 0) {
  return "data: {\"choices\":[{\"index\":0,\"text\":\"" + std::string(text) + "\",\"finish_reason\":" + std::string(finish) +
         (id > 0 ? ",\"token_ids\":[" + std::to_string(id) + "]" : "") + "}]}\n\n";
}
const std::string done = "data: [DONE]\n\n";

/// Answers each request on the connection with the same pieces.
RawServer::Handler answer(std::vector<std::string> pieces) {
  return [pieces = std::move(pieces)](Connection& c) {
    while (!c.read_request().empty())
      for (const auto& p : pieces)
        if (!c.write(p)) return;
  };
}

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

TEST(Client, ACutIsTruncatedAndASecondRequestStillWorks) {
  std::atomic<int> n{0};
  RawServer server([&](Connection& c) {
    while (!c.read_request().empty()) {
      const bool cut = n++ == 0;
      c.write(std::string(sse_head) + http_chunk(event("a")));
      if (cut) return;
      c.write(http_chunk(event("b", "\"stop\"") + done) + std::string(last_chunk));
    }
  });
  Client client;
  const auto cut = client.stream_wait(request(server.url()));
  EXPECT_EQ(cut.outcome, Outcome::truncated);
  EXPECT_FALSE(cut.transport_clean);
  EXPECT_EQ(cut.text, "a");
  EXPECT_FALSE(cut.why.empty());
  EXPECT_EQ(client.stream_wait(request(server.url())).text, "ab");
}

TEST(Client, SilenceEndsAsTimeoutAndKeepAlivesHoldItOpen) {
  RawServer server([&](Connection& c) {
    const bool alive = c.read_request().find("/alive") != std::string::npos;
    c.write(sse_head);
    if (alive) {
      for (int i = 0; i < 30; ++i) {
        c.write(http_chunk(": keep-alive\n\n"));
        c.sleep_ms(20);
      }
      c.write(http_chunk(event("late", "\"stop\"") + done) + std::string(last_chunk));
    } else {
      c.peer_closed(20'000);
    }
  });
  Client client;
  auto silent = request(server.url("/silent"));
  silent.timeouts.idle = std::chrono::milliseconds(200);
  const auto s = client.stream_wait(std::move(silent));
  EXPECT_EQ(s.outcome, Outcome::timeout);
  EXPECT_THAT(s.why, HasSubstr("idle"));
  EXPECT_EQ(s.ttft(), std::nullopt);
  auto alive = request(server.url("/alive"));
  alive.timeouts.idle = std::chrono::milliseconds(400);
  const auto a = client.stream_wait(std::move(alive));
  EXPECT_EQ(a.outcome, Outcome::complete) << a.why;
  EXPECT_GE(*a.ttft(), 600'000'000);
  auto total = request(server.url("/alive"));
  total.timeouts.total = std::chrono::milliseconds(150);
  const auto t = client.stream_wait(std::move(total));
  EXPECT_EQ(t.outcome, Outcome::timeout);
  EXPECT_THAT(t.why, HasSubstr("total"));
}

TEST(Client, CancelClosesTheSocketAndIsNotATimeout) {
  std::promise<bool> closed;
  std::promise<void> started;
  RawServer server([&](Connection& c) {
    c.read_request();
    c.write(std::string(sse_head) + http_chunk(event("a")));
    started.set_value();
    closed.set_value(c.peer_closed(10'000));
  });
  Client client;
  std::promise<StreamRecord> record;
  const auto id = client.stream(request(server.url()), [&](RequestId, StreamRecord r) { record.set_value(std::move(r)); });
  started.get_future().wait();
  client.cancel(id);
  const auto r = record.get_future().get();
  EXPECT_EQ(r.outcome, Outcome::cancelled);
  EXPECT_TRUE(closed.get_future().get());
  EXPECT_EQ(client.active(), 0);
}

TEST(Client, DestroyingItCancelsWhatRuns) {
  RawServer server([&](Connection& c) {
    c.read_request();
    c.peer_closed(10'000);
  });
  std::promise<StreamRecord> record;
  {
    Client client;
    client.stream(request(server.url()), [&](RequestId, StreamRecord r) { record.set_value(std::move(r)); });
  }
  EXPECT_EQ(record.get_future().get().outcome, Outcome::cancelled);
}

TEST(Client, ErrorsInsideA200AndOtherStatusesAreErrors) {
  RawServer server([&](Connection& c) {
    const std::string r = c.read_request();
    if (r.find("/inside") != std::string::npos)
      c.write(std::string(sse_head) + http_chunk(event("a") + "data: {\"error\":{\"message\":\"boom\",\"code\":500}}\n\n" + done) + std::string(last_chunk));
    else
      c.write("HTTP/1.1 503 Service Unavailable\r\ncontent-length: 31\r\n\r\n{\"error\":{\"message\":\"queue full\"");
  });
  Client client;
  const auto inside = client.stream_wait(request(server.url("/inside")));
  EXPECT_EQ(inside.outcome, Outcome::error);
  EXPECT_EQ(inside.error_code, 500);
  EXPECT_EQ(inside.text, "a");
  const auto outside = client.stream_wait(request(server.url("/outside")));
  EXPECT_EQ(outside.outcome, Outcome::error);
  EXPECT_EQ(outside.http_status, 503);
  EXPECT_THAT(outside.error_message, HasSubstr("queue full"));
}

TEST(Client, NothingListeningIsAnErrorWithWhatToDo) {
  int port = 0;
  { port = RawServer([](Connection&) {}).port(); }
  Client client;
  const std::string url = "http://127.0.0.1:" + std::to_string(port);
  const auto s = client.stream_wait(request(url));
  EXPECT_EQ(s.outcome, Outcome::error);
  EXPECT_EQ(s.http_status, 0);
  EXPECT_THAT(s.why, HasSubstr("Check that the server runs"));
  const auto h = client.http_wait({.url = url});
  ASSERT_FALSE(h);
  EXPECT_EQ(h.error().code, ErrorCode::io);
  EXPECT_FALSE(client.preconnect(url, 2));
  EXPECT_EQ(client.http_wait({.url = "ftp://x"}).error().code, ErrorCode::bad_usage);
  EXPECT_EQ(client.stream_wait(request("nonsense")).outcome, Outcome::error);
}

TEST(Client, WhatIsNotHttpIsSaidToBeSo) {
  RawServer server([](Connection& c) {
    c.read_request();
    c.write("SSH-2.0-OpenSSH_9.2\r\n");
  });
  Client client;
  const auto s = client.stream_wait(request(server.url()));
  EXPECT_EQ(s.outcome, Outcome::error);
  EXPECT_THAT(s.why, HasSubstr("HTTP"));
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
