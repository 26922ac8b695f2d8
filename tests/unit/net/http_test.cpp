// SPDX-License-Identifier: GPL-3.0-or-later
// Plain requests: scrapes, redirects, cuts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/client.h"
#include "net/url.h"
#include "support/data.h"
#include "support/raw_server.h"
#include "wire/prometheus.h"

namespace kvcliff::net {
namespace {
using test::RawServer;
using testing::HasSubstr;
using Connection = RawServer::Connection;

/// The recorded answers name port 8000; the server of the test has another.
std::string recorded(const std::string& name, int port) {
  std::string text = test::read("cases/028-metrics-redirect/" + name);
  if (const auto at = text.find("127.0.0.1:8000"); at != std::string::npos)
    text.replace(at, 14, "127.0.0.1:" + std::to_string(port));
  return text;
}

TEST(Redirects, StayOnTheServerAndAreCounted) {
  std::atomic<int> asked{0};
  std::atomic<int> port{0};
  RawServer server([&](Connection& c) {
    for (std::string r; !(r = c.read_request()).empty();) {
      ++asked;
      c.write(recorded(r.starts_with("GET /metrics/ ") ? "answer-2.http" : "answer-1.http", port));
    }
  });
  port = server.port();
  Client client;
  const auto first = client.http_wait({.url = server.url("/metrics")});
  ASSERT_TRUE(first) << first.error().sentence();
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(first->redirects, 1);
  EXPECT_EQ(first->effective_url, server.url("/metrics/"));
  EXPECT_EQ(wire::parse_prometheus(first->body, true).counter("vllm:prompt_tokens")[0]->value, 77);
  EXPECT_LE(first->sent, first->received);
  ASSERT_TRUE(client.http_wait({.url = first->effective_url}));
  EXPECT_EQ(asked, 3);  // the final place is asked directly
}

TEST(Redirects, ToAnotherHostAreRefusedByName) {
  RawServer server([&](Connection& c) {
    while (!c.read_request().empty()) c.write(recorded("answer-other-host.http", 0));
  });
  Client client;
  const auto answer = client.http_wait({.url = server.url("/metrics")});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().what, "redirect to another host (inner.example:9000)");
}

TEST(Redirects, InACircleEnd) {
  std::atomic<int> port{0}, asked{0};
  RawServer server([&](Connection& c) {
    while (!c.read_request().empty()) {
      ++asked;
      c.write(recorded("answer-loop.http", port));
    }
  });
  port = server.port();
  Client client;
  const auto answer = client.http_wait({.url = server.url("/metrics")});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().what, "too many redirects");
  EXPECT_EQ(asked, 4);
}

TEST(Redirects, RuleByUrl) {
  const auto base = *parse_url("http://Host.example/a/metrics?x=1");
  EXPECT_EQ(base.port, 80);
  EXPECT_EQ(follow_redirect(base, "b")->whole, "http://Host.example/a/b");
  EXPECT_EQ(follow_redirect(base, "/c/")->whole, "http://Host.example/c/");
  EXPECT_TRUE(follow_redirect(base, "http://host.example:80/d"));
  EXPECT_FALSE(follow_redirect(base, "https://host.example/d"));
  EXPECT_FALSE(follow_redirect(base, "http://host.example:81/d"));
  EXPECT_FALSE(follow_redirect(base, "//other.example/d"));
  EXPECT_FALSE(follow_redirect(base, "file:///etc/passwd"));
  EXPECT_FALSE(follow_redirect(base, ""));
  EXPECT_TRUE(parse_url("http://127.9.9.9:1")->loopback());
  EXPECT_TRUE(parse_url("http://[::1]:1/")->loopback());
  EXPECT_FALSE(parse_url("http://10.0.0.1")->loopback());
  for (const char* bad : {"", "x", "http://", "ftp://a/", "http://a:99999/", "127.0.0.1:8000"}) EXPECT_FALSE(parse_url(bad)) << bad;
}

TEST(Http, ACutAnswerIsAnErrorAndNotAShortPage) {
  RawServer server([](Connection& c) {
    c.read_request();
    c.write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\na 1\nb 2\n");
  });
  Client client;
  const auto answer = client.http_wait({.url = server.url()});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::io);
  EXPECT_THAT(answer.error().what, HasSubstr("cut"));
}

TEST(Http, StatusBodyAndHeadersOfAFailureAreKept) {
  RawServer server([](Connection& c) {
    c.read_request();
    c.write(test::read("cases/029-metrics-500-completions-fine/scrape-2.http"));
  });
  Client client;
  const auto answer = client.http_wait({.url = server.url("/metrics")});
  ASSERT_TRUE(answer) << answer.error().sentence();
  EXPECT_EQ(answer->status, 500);
  EXPECT_FALSE(answer->body.empty());
  EXPECT_FALSE(answer->headers.empty());
}

TEST(Http, SilenceIsATimeout) {
  RawServer server([](Connection& c) {
    c.read_request();
    c.peer_closed(10'000);
  });
  Client client;
  HttpRequest r{.url = server.url()};
  r.timeouts.idle = std::chrono::milliseconds(100);
  const auto answer = client.http_wait(r);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::timeout);
}

TEST(Http, PostsAndOwnHeadersGoOut) {
  std::string seen;
  RawServer server([&](Connection& c) {
    seen = c.read_request();
    c.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
  });
  Client client;
  const auto a = client.http_wait({.method = "POST", .url = server.url("/reset"), .headers = {{"X-Request-Id", "r1"}}});
  ASSERT_TRUE(a) << a.error().sentence();
  EXPECT_EQ(a->body, "ok");
  EXPECT_TRUE(seen.starts_with("POST /reset HTTP/1.1"));
  EXPECT_THAT(seen, HasSubstr("X-Request-Id: r1"));
  EXPECT_THAT(seen, HasSubstr("Content-Length: 0"));
  EXPECT_EQ(client.http_wait({.url = server.url(), .headers = {{"A", "b\r\nC: d"}}}).error().code, ErrorCode::bad_usage);
}

}  // namespace
}  // namespace kvcliff::net
