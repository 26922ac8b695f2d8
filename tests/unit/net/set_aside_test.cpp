// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes are read first and parsed when nothing more is to be read; requests are begun a few at a time. Neither may show.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>

#include "net/client.h"
#include "streams.h"
#include "support/raw_server.h"

namespace kvcliff::net {
namespace {
using test::http_chunk;
using test::last_chunk;
using test::RawServer;
using test::sse_head;
using Connection = RawServer::Connection;

/// A request whose bytes are kept as they came.
StreamRequest kept(const std::string& url) {
  StreamRequest r = request(url);
  r.keep_raw = true;
  return r;
}

/// A whole answer of about `bytes`, its body first.
std::pair<std::string, std::string> answer_of(std::size_t bytes) {
  std::string body;
  for (int i = 0; body.size() < bytes; ++i) body += event("w" + std::to_string(i));
  body += event("end", "\"stop\"") + done;
  return {body, std::string(sse_head) + http_chunk(body) + std::string(last_chunk)};
}

TEST(SetAside, AnswersOfEveryLengthAroundTheLimitKeepEveryByte) {
  for (const std::size_t bytes : {0, 100, 4000, 8000, 8100, 8200, 8400, 16'000, 70'000, 400'000}) {
    const auto [body, whole] = answer_of(bytes);
    RawServer server([&, w = whole](Connection& c) {
      while (!c.read_request().empty()) c.write(w);
    });
    Client client;
    const StreamRecord s = client.stream_wait(kept(server.url()));
    EXPECT_EQ(s.outcome, Outcome::complete) << bytes << ": " << s.why;
    EXPECT_EQ(s.raw, body) << bytes;
    EXPECT_TRUE(s.text.ends_with("end")) << bytes;
    for (std::size_t i = 1; i < s.events.size(); ++i) EXPECT_LE(s.events[i - 1].at, s.events[i].at);
    EXPECT_LE(s.events.back().at, s.times.end);
  }
}

TEST(SetAside, WhatCameInOnePieceHasOneTimeAndWhatCameLaterALaterOne) {
  RawServer server([&](Connection& c) {
    while (!c.read_request().empty()) {
      c.write(std::string(sse_head) + http_chunk(event("a") + event("b")));
      c.sleep_ms(20);
      c.write(http_chunk(event("c", "\"stop\"") + done) + std::string(last_chunk));
    }
  });
  Client client;
  const StreamRecord s = client.stream_wait(kept(server.url()));
  ASSERT_EQ(s.events.size(), 4u);
  EXPECT_EQ(s.events[0].at, s.events[1].at);
  EXPECT_GE(s.events[2].at - s.events[1].at, 10'000'000);  // the server slept for 20 ms
}

TEST(SetAside, ACancelKeepsWhatHadBeenRead) {
  RawServer server([&](Connection& c) {
    while (!c.read_request().empty()) {
      c.write(std::string(sse_head) + http_chunk(event("kept")));
      c.sleep_ms(2000);
      c.write(http_chunk(event("late", "\"stop\"") + done) + std::string(last_chunk));
    }
  });
  std::promise<void> seen;
  Client::Options options;
  options.observer.text = [&](RequestId, std::string_view) { seen.set_value(); };
  std::promise<StreamRecord> ended;
  Client client(options);
  const RequestId id = client.stream(kept(server.url()), [&](RequestId, StreamRecord s) { ended.set_value(std::move(s)); });
  seen.get_future().wait();
  client.cancel(id);
  const StreamRecord s = ended.get_future().get();
  EXPECT_EQ(s.outcome, Outcome::cancelled);
  EXPECT_EQ(s.text, "kept");
}

TEST(SetAside, OrdersAreObeyedInTheirOrderThoughOnlyAFewATurn) {
  // 60 requests and their cancels at once: each cancel comes after its own start, so it is never missed.
  std::atomic<bool> open{false};
  RawServer server([&](Connection& c) {
    while (!c.read_request().empty()) {
      while (!open) c.sleep_ms(1);
      c.write(answer_of(10).second);
    }
  });
  Client client;
  std::vector<std::future<StreamRecord>> all;
  for (int i = 0; i < 60; ++i) {
    auto p = std::make_shared<std::promise<StreamRecord>>();
    all.push_back(p->get_future());
    const RequestId id = client.stream(kept(server.url()), [p](RequestId, StreamRecord s) { p->set_value(std::move(s)); });
    if (i % 3 == 0) client.cancel(id);
  }
  for (std::size_t i = 0; i < all.size(); i += 3) EXPECT_EQ(all[i].get().outcome, Outcome::cancelled) << i;
  open = true;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i % 3 == 0) continue;
    const auto s = all[i].get();
    EXPECT_EQ(s.outcome, Outcome::complete) << i << ": " << s.why;
  }
  EXPECT_EQ(client.active(), 0);
}

TEST(SetAside, AnAnswerThatFollowsARedirectHoldsNothingOfTheRedirectsPage) {
  RawServer server([&](Connection& c) {
    for (std::string r; !(r = c.read_request()).empty();) {
      if (r.find("POST /old") == 0)
        c.write("HTTP/1.1 307 Temporary Redirect\r\nlocation: /new\r\ncontent-length: 26\r\n\r\ndata: {\"choices\":[]}\n\nmoved");
      else
        c.write(answer_of(10).second);
    }
  });
  Client client;
  const StreamRecord s = client.stream_wait(kept(server.url("/old")));
  EXPECT_EQ(s.outcome, Outcome::complete) << s.why;
  EXPECT_EQ(s.raw, answer_of(10).first);
}

}  // namespace
}  // namespace kvcliff::net
