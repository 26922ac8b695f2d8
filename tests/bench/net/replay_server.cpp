// SPDX-License-Identifier: GPL-3.0-or-later
#include "replay_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"

namespace kvcliff::bench {
namespace {

const std::string head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n";

std::string chunk(const std::string& s) {
  char n[24];
  std::snprintf(n, sizeof n, "%zx\r\n", s.size());
  return n + s + "\r\n";
}
std::string token(const char* reason = "null", const std::string& text = " w1387") {
  return chunk("data: {\"id\":\"cmpl-8cbbc192f02f34d2\",\"object\":\"text_completion\",\"created\":1796119291,\"model\":\"m\","
               "\"choices\":[{\"index\":0,\"text\":\"" + text + "\",\"logprobs\":null,\"finish_reason\":" + reason +
               ",\"stop_reason\":null,\"prompt_token_ids\":null,\"token_ids\":[1387]}]}\n\n");
}
const std::string tail =
    token("\"length\"") +
    chunk("data: {\"id\":\"cmpl-8cbbc192f02f34d2\",\"object\":\"text_completion\",\"created\":1796119291,\"model\":\"m\",\"choices\":[],"
          "\"usage\":{\"prompt_tokens\":2003,\"total_tokens\":2019,\"completion_tokens\":16,\"prompt_tokens_details\":{\"cached_tokens\":0}}}\n\n") +
    chunk("data: [DONE]\n\n") + "0\r\n\r\n";

struct Conn {
  std::string in, out;
  int step = 0;
  MonoNs read_at = 0;  // when the last request was read whole
};

class Server {
 public:
  explicit Server(int listen) : listen_(listen), epoll_(epoll_create1(0)) { add(listen, EPOLLIN); }

  [[noreturn]] void run() {
    epoll_event ev[512];
    for (;;) {
      int wait = -1;
      if (!timers_.empty()) {
        const MonoNs left = timers_.begin()->first - mono_now();
        wait = left <= 0 ? 0 : left > 2'000'000 ? static_cast<int>(left / 1'000'000 - 1) : 0;
      }
      if (!single_.empty()) wait = 0;
      const int n = epoll_wait(epoll_, ev, 512, wait);
      for (int i = 0; i < n; ++i) handle(ev[i].data.fd, ev[i].events);
      while (!timers_.empty() && timers_.begin()->first <= mono_now()) {
        const int fd = timers_.begin()->second;
        timers_.erase(timers_.begin());
        later(fd);
      }
      if (!single_.empty()) round();
    }
  }

 private:
  void add(int fd, unsigned what) {
    epoll_event e{};
    e.events = what;
    e.data.fd = fd;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &e);
  }
  void send(int fd, const std::string& bytes) {
    Conn& c = conns_[fd];
    if (!c.out.empty()) {
      c.out += bytes;
      return;
    }
    const ssize_t n = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    const std::size_t sent = n < 0 ? 0 : static_cast<std::size_t>(n);
    if (sent == bytes.size()) return;
    c.out = bytes.substr(sent);
    epoll_event e{};
    e.events = EPOLLIN | EPOLLOUT;
    e.data.fd = fd;
    epoll_ctl(epoll_, EPOLL_CTL_MOD, fd, &e);
  }
  void handle(int fd, unsigned what) {
    if (fd == listen_) {
      for (int c; (c = ::accept4(listen_, nullptr, nullptr, SOCK_NONBLOCK)) >= 0;) {
        const int on = 1;
        ::setsockopt(c, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        conns_[c] = Conn();
        add(c, EPOLLIN);
      }
      return;
    }
    Conn& c = conns_[fd];
    if (what & EPOLLOUT) {
      const ssize_t n = ::send(fd, c.out.data(), c.out.size(), MSG_NOSIGNAL);
      if (n > 0) c.out.erase(0, static_cast<std::size_t>(n));
      if (c.out.empty()) {
        epoll_event e{};
        e.events = EPOLLIN;
        e.data.fd = fd;
        epoll_ctl(epoll_, EPOLL_CTL_MOD, fd, &e);
      }
    }
    if (!(what & (EPOLLIN | EPOLLHUP | EPOLLERR))) return;
    char buf[65536];
    for (;;) {
      const ssize_t n = ::recv(fd, buf, sizeof buf, MSG_DONTWAIT);
      if (n == 0 || (n < 0 && errno != EAGAIN)) {
        ::close(fd);
        conns_.erase(fd);
        return;
      }
      if (n < 0) break;
      c.in.append(buf, static_cast<std::size_t>(n));
    }
    const auto end = c.in.find("\r\n\r\n");
    if (end == std::string::npos) return;
    auto at = c.in.find("ontent-Length: ");
    const std::size_t body = at < end ? static_cast<std::size_t>(std::atol(c.in.c_str() + at + 15)) : 0;
    if (c.in.size() < end + 4 + body) return;
    const std::string path = c.in.substr(5, c.in.find(' ', 5) - 5);
    c.in.erase(0, end + 4 + body);
    answer(fd, path);
  }
  void answer(int fd, const std::string& path) {
    if (path == "/short") {
      static const std::string all = [] { std::string s; for (int i = 0; i < 15; ++i) s += token(); return s + tail; }();
      send(fd, head);
      send(fd, all);
    } else if (path == "/long") {
      static const std::string batch = [] { std::string s; for (int i = 0; i < 50; ++i) s += token(); return s; }();
      send(fd, head);
      for (int i = 0; i < 80; ++i) send(fd, batch);
      send(fd, tail);
    } else if (path.starts_with("/single/")) {
      send(fd, head);
      waiting_.push_back(fd);
      conns_[fd].step = 0;
      if (waiting_.size() >= static_cast<std::size_t>(std::atoi(path.c_str() + 8))) single_.swap(waiting_);
    } else if (path == "/ttft") {
      send(fd, head);
      Conn& c = conns_[fd];
      c.step = 0;
      c.read_at = mono_now();
      timers_.emplace(c.read_at + 100'000'000, fd);
    } else {
      send(fd, "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n");
    }
  }
  void later(int fd) {
    const auto at = conns_.find(fd);
    if (at == conns_.end()) return;
    Conn& c = at->second;
    if (++c.step < 5) {
      send(fd, c.step == 1 ? token("null", " r" + std::to_string(c.read_at) + " s" + std::to_string(mono_now())) : token());
      timers_.emplace(mono_now() + 10'000'000, fd);
    } else {
      send(fd, tail);
    }
  }
  void round() {
    static const std::string one = token();
    for (const int fd : single_) send(fd, one);
    if (++rounds_ < 200) return;
    for (const int fd : single_) send(fd, tail);
    single_.clear();
    rounds_ = 0;
  }

  int listen_, epoll_, rounds_ = 0;
  std::unordered_map<int, Conn> conns_;
  std::multimap<MonoNs, int> timers_;
  std::vector<int> waiting_, single_;
};

}  // namespace

ReplayServer::ReplayServer() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof a;
  if (::bind(fd, reinterpret_cast<sockaddr*>(&a), size) != 0 || ::listen(fd, 1024) != 0) std::abort();
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&a), &size);
  port_ = ntohs(a.sin_port);
  child_ = ::fork();
  if (child_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    Server(fd).run();
  }
  ::close(fd);
}

ReplayServer::~ReplayServer() {
  ::kill(child_, SIGKILL);
  ::waitpid(child_, nullptr, 0);
}

}  // namespace kvcliff::bench
