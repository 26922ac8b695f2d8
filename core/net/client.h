// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "record/stream.h"

namespace kvcliff::net {

struct Timeouts {
  std::chrono::milliseconds connect{10'000};
  std::chrono::milliseconds idle{120'000};   ///< no byte for this long
  std::chrono::milliseconds total{900'000};
};

struct StreamRequest {
  std::string url;
  std::string body;                                           ///< JSON, sent as is
  std::vector<std::pair<std::string, std::string>> headers;   ///< besides content-type and accept
  Timeouts timeouts;
  bool keep_raw = false;
  bool expect_token_ids = false;
};

struct HttpRequest {
  std::string method = "GET";
  std::string url;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  Timeouts timeouts;
  int max_redirects = 3;        ///< same host only
};

struct HttpAnswer {
  int status = 0;
  std::string content_type;
  std::string effective_url;
  std::string body;
  MonoNs sent = 0, received = 0;
  int redirects = 0;
  std::vector<std::pair<std::string, std::string>> headers;
};

using RequestId = std::uint64_t;

/// What a live viewer may want while a stream runs; called on the I/O thread, must not block.
struct StreamObserver {
  std::function<void(RequestId, const StreamEvent&)> event;
  std::function<void(RequestId, std::string_view)> text;
};

/// All streams and scrapes of one process on one I/O thread (libcurl multi). Thread-safe. Destroying it cancels
/// and joins. Loopback never goes through a proxy; no HTTP/2 upgrade is offered.
class Client {
 public:
  struct Options {
    int max_connections = 512;
    StreamObserver observer;
  };
  explicit Client(Options options);
  Client() : Client(Options()) {}
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Starts a stream; `done` is called once, on the I/O thread, with the whole record (never fails otherwise).
  RequestId stream(StreamRequest request, std::function<void(RequestId, StreamRecord)> done);
  /// Same, waits for the end; never on the I/O thread (a callback).
  StreamRecord stream_wait(StreamRequest request);
  /// Plain request. Errors: timeout, io (connection refused, ...), each with what to do next.
  void http(HttpRequest request, std::function<void(Result<HttpAnswer>)> done);
  Result<HttpAnswer> http_wait(HttpRequest request);
  /// Opens `n` connections to the server beforehand, so that t0 is at a connected socket.
  Result<void> preconnect(const std::string& url, int n);
  /// Ends a stream as `cancelled`; its socket closes.
  void cancel(RequestId id);
  void cancel_all();
  /// Streams that have not ended.
  int active() const;
  /// Longest time the I/O thread was busy at once: the most by which a time stamp can be late. A record whose stream saw
  /// more than 5 ms carries a warning.
  MonoNs longest_turn() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kvcliff::net
