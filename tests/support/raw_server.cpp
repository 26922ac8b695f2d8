// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/raw_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "base/clock.h"
#include "base/text.h"

namespace kvcliff::test {

std::string http_chunk(std::string_view bytes) {
  char size[32];
  std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  return std::string(size).append(bytes).append("\r\n");
}

std::string RawServer::Connection::read_request() {
  std::size_t need = std::string::npos;
  bool first = held_.empty();
  for (;;) {
    if (need == std::string::npos) {
      if (const auto end = held_.find("\r\n\r\n"); end != std::string::npos) {
        need = end + 4;
        for (auto line : split(std::string_view(held_).substr(0, end), '\n'))
          if (starts_with_ci(line, "content-length:")) need += static_cast<std::size_t>(parse_int(trim(line.substr(15))).value_or(0));
      }
    }
    if (need <= held_.size()) {
      std::string out = held_.substr(0, need);
      held_.erase(0, need);
      return out;
    }
    char buf[65536];
    const ssize_t n = ::recv(fd_, buf, sizeof buf, 0);
    if (n <= 0) return {};
    if (first) began_ = mono_now();
    first = false;
    held_.append(buf, static_cast<std::size_t>(n));
  }
}

bool RawServer::Connection::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

void RawServer::Connection::sleep_ms(double ms) {
  const MonoNs until = mono_now() + static_cast<MonoNs>(ms * 1e6);
  while (!stop_ && mono_now() < until)
    std::this_thread::sleep_for(std::chrono::nanoseconds(std::min<MonoNs>(until - mono_now(), 5'000'000)));
}

bool RawServer::Connection::peer_closed(double ms) {
  const MonoNs until = mono_now() + static_cast<MonoNs>(ms * 1e6);
  do {
    pollfd p{fd_, POLLIN, 0};
    if (::poll(&p, 1, 10) > 0) {
      char byte = 0;
      if (::recv(fd_, &byte, 1, MSG_PEEK) <= 0) return true;
      return false;
    }
  } while (!stop_ && mono_now() < until);
  return false;
}

void RawServer::Connection::close() { ::shutdown(fd_, SHUT_RDWR); }

RawServer::RawServer(Handler handler) : handler_(std::move(handler)) {
  listen_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof a;
  if (listen_ < 0 || ::bind(listen_, reinterpret_cast<sockaddr*>(&a), size) != 0 || ::listen(listen_, 512) != 0 ||
      ::getsockname(listen_, reinterpret_cast<sockaddr*>(&a), &size) != 0)
    throw std::runtime_error("the test server cannot listen");
  port_ = ntohs(a.sin_port);
  accept_ = std::thread([this] {
    for (;;) {
      const int fd = ::accept4(listen_, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) return;
      const int on = 1;
      ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      ++connections_;
      const std::lock_guard lock(mutex_);
      if (stop_) {
        ::close(fd);
        return;
      }
      open_.push_back(fd);
      threads_.emplace_back([this, fd] {
        Connection c(fd, stop_);
        handler_(c);
        ::shutdown(fd, SHUT_RDWR);
      });
    }
  });
}

RawServer::~RawServer() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    for (const int fd : open_) ::shutdown(fd, SHUT_RDWR);
  }
  ::shutdown(listen_, SHUT_RDWR);
  accept_.join();
  for (auto& t : threads_) t.join();
  for (const int fd : open_) ::close(fd);
  ::close(listen_);
}

}  // namespace kvcliff::test
