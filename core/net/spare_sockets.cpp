// SPDX-License-Identifier: GPL-3.0-or-later
#include "net/spare_sockets.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace kvcliff::net {
namespace {

struct FreeAddresses {
  void operator()(addrinfo* p) const { freeaddrinfo(p); }
};

/// 0 when connected, else errno.
int connect_within(int fd, const sockaddr* address, socklen_t length, std::chrono::milliseconds limit) {
  if (::connect(fd, address, length) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  pollfd p{fd, POLLOUT, 0};
  int rc = 0;
  do rc = ::poll(&p, 1, static_cast<int>(limit.count()));
  while (rc < 0 && errno == EINTR);
  if (rc == 0) return ETIMEDOUT;
  int error = 0;
  socklen_t size = sizeof error;
  if (rc < 0 || ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
  return error;
}

/// Idle and not closed by the other side.
bool alive(int fd) {
  char byte = 0;
  const ssize_t n = ::recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

}  // namespace

SpareSockets::~SpareSockets() {
  for (const auto& s : spares_) ::close(s.fd);
}

Result<void> SpareSockets::open(const Url& url, int n, std::chrono::milliseconds limit) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (const int rc = getaddrinfo(url.host.c_str(), std::to_string(url.port).c_str(), &hints, &list); rc != 0)
    return fail(ErrorCode::io, "The server's name cannot be resolved", url.server(), gai_strerror(rc), "Check the host in the URL");
  const std::unique_ptr<addrinfo, FreeAddresses> owned(list);
  const addrinfo* good = nullptr;  // the address that answered the first time serves the rest
  int last_error = ECONNREFUSED;
  for (int i = 0; i < n; ++i) {
    int fd = -1;
    for (const addrinfo* a = good ? good : list; a; a = good ? nullptr : a->ai_next) {
      fd = ::socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
      if (fd < 0) {
        last_error = errno;
        break;
      }
      last_error = connect_within(fd, a->ai_addr, a->ai_addrlen, limit);
      if (last_error == 0) {
        good = a;
        break;
      }
      ::close(fd);
      fd = -1;
    }
    if (fd < 0)
      return fail(last_error == ETIMEDOUT ? ErrorCode::timeout : ErrorCode::io, "The server cannot be reached", url.server(),
                  fmt::format("{} (connection {} of {})", std::strerror(last_error), i + 1, n),
                  last_error == EMFILE ? "Raise the limit of open files (ulimit -n)" : "Check that it runs and listens there");
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    Spare s{fd, {}, good->ai_addrlen};
    std::memcpy(&s.address, good->ai_addr, good->ai_addrlen);
    const std::lock_guard lock(mutex_);
    spares_.push_back(s);
  }
  return {};
}

int SpareSockets::take(const sockaddr* address, socklen_t length) {
  const auto same = [&](const sockaddr_storage& s) {
    if (s.ss_family != address->sa_family) return false;
    if (address->sa_family == AF_INET && length >= sizeof(sockaddr_in)) {
      sockaddr_in a{}, b{};
      std::memcpy(&a, address, sizeof a);
      std::memcpy(&b, &s, sizeof b);
      return a.sin_port == b.sin_port && a.sin_addr.s_addr == b.sin_addr.s_addr;
    }
    if (address->sa_family == AF_INET6 && length >= sizeof(sockaddr_in6)) {
      sockaddr_in6 a{}, b{};
      std::memcpy(&a, address, sizeof a);
      std::memcpy(&b, &s, sizeof b);
      return a.sin6_port == b.sin6_port && std::memcmp(&a.sin6_addr, &b.sin6_addr, sizeof a.sin6_addr) == 0;
    }
    return false;
  };
  const std::lock_guard lock(mutex_);
  for (std::size_t i = spares_.size(); i-- > 0;) {
    if (!same(spares_[i].address)) continue;
    const int fd = spares_[i].fd;
    spares_.erase(spares_.begin() + static_cast<std::ptrdiff_t>(i));
    if (alive(fd)) return fd;
    ::close(fd);
  }
  return -1;
}

}  // namespace kvcliff::net
