// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace kvcliff::test {

/// A server of plain sockets on a free loopback port: the test writes every byte itself, right or wrong. One thread per
/// connection.
class RawServer {
 public:
  class Connection {
   public:
    explicit Connection(int fd, std::atomic<bool>& stop) : fd_(fd), stop_(stop) {}
    /// Head and body (Content-Length) of the next request; empty when the peer closed.
    std::string read_request();
    /// False when the peer is gone.
    bool write(std::string_view bytes);
    /// Waits, unless the server is being stopped.
    void sleep_ms(double ms);
    /// True once the peer has closed its side; waits up to `ms`.
    bool peer_closed(double ms);
    void close();
    /// Time of CLOCK_MONOTONIC when the first byte of the last request was read.
    std::int64_t request_began() const { return began_; }

   private:
    int fd_;
    std::atomic<bool>& stop_;
    std::string held_;
    std::int64_t began_ = 0;
  };
  using Handler = std::function<void(Connection&)>;

  explicit RawServer(Handler handler);
  ~RawServer();
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;
  int port() const { return port_; }
  std::string url(const std::string& path = "") const { return "http://127.0.0.1:" + std::to_string(port_) + path; }
  int connections() const { return connections_; }

 private:
  int listen_ = -1, port_ = 0;
  Handler handler_;
  std::atomic<bool> stop_{false};
  std::atomic<int> connections_{0};
  std::mutex mutex_;
  std::vector<std::thread> threads_;
  std::vector<int> open_;
  std::thread accept_;
};

/// Chunk framing of HTTP/1.1.
std::string http_chunk(std::string_view bytes);
inline constexpr std::string_view last_chunk = "0\r\n\r\n";
inline constexpr std::string_view sse_head =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n";

}  // namespace kvcliff::test
