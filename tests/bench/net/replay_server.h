// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <sys/types.h>

namespace kvcliff::bench {

/// A server of plain sockets in a process of its own, so that its CPU time is not the client's. By path:
///   /short     head, 16 tokens, usage, [DONE] in two writes
///   /long      4,000 events in writes of 50
///   /single/N  200 events, each in its own write, in turn over all open streams once N of them wait
///   /ttft      first token 100 ms after the request was read whole, then 4 more 10 ms apart. The first one's text is
///              " r<ns> s<ns>": when the request was read whole and when this token was sent, on the monotonic clock
class ReplayServer {
 public:
  ReplayServer();
  ~ReplayServer();
  ReplayServer(const ReplayServer&) = delete;
  ReplayServer& operator=(const ReplayServer&) = delete;
  int port() const { return port_; }

 private:
  pid_t child_ = -1;
  int port_ = 0;
};

}  // namespace kvcliff::bench
