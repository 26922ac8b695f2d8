// SPDX-License-Identifier: GPL-3.0-or-later
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "experiment/server.h"

namespace kvcliff::experiment {

Result<int> free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const bool good = fd >= 0 && ::bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                    ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  const int err = errno;
  if (fd >= 0) ::close(fd);
  if (!good) return fail(ErrorCode::io, "No free port was found", "127.0.0.1", std::strerror(err));
  return static_cast<int>(ntohs(address.sin_port));
}

}  // namespace kvcliff::experiment
