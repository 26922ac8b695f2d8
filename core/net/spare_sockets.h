// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <sys/socket.h>

#include <chrono>
#include <mutex>
#include <vector>

#include "base/result.h"
#include "net/url.h"

namespace kvcliff::net {

/// Connected sockets that wait for their first request. Thread-safe. No byte is sent on them before that.
class SpareSockets {
 public:
  ~SpareSockets();
  /// Opens `n` connections. Errors: io (refused, ...), timeout.
  Result<void> open(const Url& url, int n, std::chrono::milliseconds limit);
  /// A living connection to that address, or -1. The caller owns it.
  int take(const sockaddr* address, socklen_t length);

 private:
  struct Spare {
    int fd;
    sockaddr_storage address;
    socklen_t length;
  };
  std::mutex mutex_;
  std::vector<Spare> spares_;
};

}  // namespace kvcliff::net
