// SPDX-License-Identifier: GPL-3.0-or-later
// How a stream may end other than well: cut, silent, cancelled, an error inside a 200, nobody there, no HTTP.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "net/client.h"
#include "streams.h"
#include "support/raw_server.h"

namespace kvcliff::net {
namespace {
using testing::HasSubstr;
using test::http_chunk;
using test::last_chunk;
using test::RawServer;
using test::sse_head;
using Connection = RawServer::Connection;

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

}  // namespace
}  // namespace kvcliff::net
