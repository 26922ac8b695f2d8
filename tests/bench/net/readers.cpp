// SPDX-License-Identifier: GPL-3.0-or-later
#include "readers.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "base/clock.h"
#include "net/client.h"

namespace kvcliff::bench {
namespace {

double cpu_now() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  const auto s = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; };
  return s(u.ru_utime) + s(u.ru_stime);
}

const std::string& body_of(bool large) {
  const auto make = [](int n) {
    std::string s = "{\"model\":\"m\",\"max_tokens\":16,\"stream\":true,\"prompt\":[";
    for (int i = 0; i < n; ++i) s += std::to_string(1000 + i % 9000) + ",";
    s.back() = ']';
    return s + "}";
  };
  static const std::string small = make(16), big = make(50'000);
  return large ? big : small;
}

/// Counts the blank lines that end events; keeps what a cut between two line feeds needs.
struct Counter {
  std::int64_t events = 0;
  bool lf = false;
  bool first(const char* p, std::size_t n) {  // true when the first event is complete
    const std::int64_t before = events;
    const char* const end = p + n;
    if (lf && p != end && *p == '\n') ++events;
    for (const char* q = p; q != end && (q = static_cast<const char*>(std::memchr(q, '\n', static_cast<std::size_t>(end - q)))); ++q)
      if (q + 1 != end && q[1] == '\n') ++events;
    lf = n > 0 && end[-1] == '\n';
    return before == 0 && events > 0;
  }
};

/// The server's two times in a first token's text, where they are (replay_server.h).
void note_ways(Run& out, std::string_view text, MonoNs t0, MonoNs first) {
  const auto r = text.find(" r"), sent = text.find(" s", r);
  if (r == std::string_view::npos || sent == std::string_view::npos) return;
  const MonoNs read_at = std::atoll(text.data() + r + 2), sent_at = std::atoll(text.data() + sent + 2);
  if (read_at < t0 || sent_at < read_at) return;  // another text
  out.way_out_ms.push_back(static_cast<double>(read_at - t0) * 1e-6);
  out.way_back_ms.push_back(static_cast<double>(first - sent_at) * 1e-6);
}

struct Curl {
  CURLM* multi = curl_multi_init();
  int epoll = epoll_create1(0);
  MonoNs timer = 0;
};

struct Easy {
  CURL* easy = nullptr;
  Counter counter;
  MonoNs t0 = 0, first = 0;
};

}  // namespace

Run read_ours(const Load& load) {
  Run out;
  net::Client client;
  const std::string url = "http://127.0.0.1:" + std::to_string(load.port) + load.path;
  if (!client.preconnect(url, load.at_once)) std::abort();
  std::mutex mutex;
  std::condition_variable all_done;
  int started = 0, ended = 0;
  const MonoNs wall = mono_now();
  const double cpu = cpu_now();
  std::function<void(net::RequestId, StreamRecord)> done;
  const auto next = [&] {
    net::StreamRequest r;
    r.url = url;
    r.body = body_of(started < load.large);
    r.expect_token_ids = true;
    ++started;
    client.stream(std::move(r), done);
  };
  done = [&](net::RequestId, StreamRecord r) {
    if (r.outcome != Outcome::complete) {
      std::fprintf(stderr, "stream failed: %s\n", r.why.c_str());
      std::abort();
    }
    const std::lock_guard lock(mutex);
    out.events += static_cast<std::int64_t>(r.events.size());
    out.first_token_ms.push_back(static_cast<double>(*r.ttft()) * 1e-6);
    note_ways(out, r.text, r.times.t0, r.times.first_token);
    if (started < load.streams) next();
    if (++ended == load.streams) all_done.notify_one();
  };
  std::unique_lock lock(mutex);
  for (int i = 0; i < load.at_once; ++i) next();
  all_done.wait(lock, [&] { return ended == load.streams; });
  out.cpu_s = cpu_now() - cpu;
  out.wall_s = static_cast<double>(mono_now() - wall) * 1e-9;
  return out;
}

Run read_curl(const Load& load) {
  Run out;
  Curl c;
  const std::string url = "http://127.0.0.1:" + std::to_string(load.port) + load.path;
  curl_multi_setopt(c.multi, CURLMOPT_MAXCONNECTS, 1024L);
  curl_multi_setopt(c.multi, CURLMOPT_SOCKETDATA, &c);
  curl_multi_setopt(c.multi, CURLMOPT_SOCKETFUNCTION, +[](CURL*, curl_socket_t fd, int what, void* p, void*) {
    Curl& self = *static_cast<Curl*>(p);
    epoll_event e{};
    e.data.fd = fd;
    e.events = (what & CURL_POLL_IN ? EPOLLIN : 0u) | (what & CURL_POLL_OUT ? EPOLLOUT : 0u);
    if (what == CURL_POLL_REMOVE) epoll_ctl(self.epoll, EPOLL_CTL_DEL, fd, nullptr);
    else if (epoll_ctl(self.epoll, EPOLL_CTL_ADD, fd, &e) != 0) epoll_ctl(self.epoll, EPOLL_CTL_MOD, fd, &e);
    return 0;
  });
  curl_multi_setopt(c.multi, CURLMOPT_TIMERDATA, &c);
  curl_multi_setopt(c.multi, CURLMOPT_TIMERFUNCTION, +[](CURLM*, long ms, void* p) {
    static_cast<Curl*>(p)->timer = ms < 0 ? 0 : mono_now() + ms * 1'000'000;
    return 0;
  });
  curl_slist* headers = curl_slist_append(curl_slist_append(nullptr, "Content-Type: application/json"), "Expect:");
  int started = 0, ended = 0, running = 0;
  const auto start = [&](Easy& e) {
    const std::string& body = body_of(started++ < load.large);
    if (!e.easy) {
      e.easy = curl_easy_init();
      curl_easy_setopt(e.easy, CURLOPT_URL, url.c_str());
      curl_easy_setopt(e.easy, CURLOPT_PROXY, "");
      curl_easy_setopt(e.easy, CURLOPT_HTTPHEADER, headers);
      curl_easy_setopt(e.easy, CURLOPT_PRIVATE, &e);
      curl_easy_setopt(e.easy, CURLOPT_NOSIGNAL, 1L);
      curl_easy_setopt(e.easy, CURLOPT_WRITEDATA, &e);
      curl_easy_setopt(e.easy, CURLOPT_WRITEFUNCTION, +[](char* p, std::size_t, std::size_t n, void* self) {
        Easy& t = *static_cast<Easy*>(self);
        if (t.counter.first(p, n)) t.first = mono_now();
        return n;
      });
      curl_easy_setopt(e.easy, CURLOPT_PREREQDATA, &e);
      curl_easy_setopt(e.easy, CURLOPT_PREREQFUNCTION, +[](void* self, char*, char*, int, int) {
        static_cast<Easy*>(self)->t0 = mono_now();
        return 0;
      });
    }
    e.counter = Counter();
    curl_easy_setopt(e.easy, CURLOPT_POSTFIELDSIZE, static_cast<long>(body.size()));
    curl_easy_setopt(e.easy, CURLOPT_POSTFIELDS, body.c_str());
    curl_multi_add_handle(c.multi, e.easy);
  };
  std::vector<Easy> easies(static_cast<std::size_t>(load.at_once));
  const MonoNs wall = mono_now();
  const double cpu = cpu_now();
  for (auto& e : easies) start(e);
  epoll_event ev[512];
  while (ended < load.streams) {
    const MonoNs left = c.timer ? c.timer - mono_now() : 1'000'000'000;
    const int n = epoll_wait(c.epoll, ev, 512, left <= 0 ? 0 : static_cast<int>(left / 1'000'000 + 1));
    for (int i = 0; i < n; ++i)
      curl_multi_socket_action(c.multi, ev[i].data.fd, (ev[i].events & EPOLLOUT ? CURL_CSELECT_OUT : 0) | (ev[i].events & ~EPOLLOUT ? CURL_CSELECT_IN : 0), &running);
    if (c.timer && c.timer <= mono_now()) {
      c.timer = 0;
      curl_multi_socket_action(c.multi, CURL_SOCKET_TIMEOUT, 0, &running);
    }
    int queued = 0;
    while (CURLMsg* m = curl_multi_info_read(c.multi, &queued)) {
      char* owner = nullptr;
      curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &owner);
      Easy& e = *reinterpret_cast<Easy*>(owner);
      if (m->data.result != CURLE_OK) std::abort();
      curl_multi_remove_handle(c.multi, e.easy);
      out.events += e.counter.events;
      out.first_token_ms.push_back(static_cast<double>(e.first - e.t0) * 1e-6);
      ++ended;
      if (started < load.streams) start(e);
    }
  }
  out.cpu_s = cpu_now() - cpu;
  out.wall_s = static_cast<double>(mono_now() - wall) * 1e-9;
  for (auto& e : easies) curl_easy_cleanup(e.easy);
  curl_multi_cleanup(c.multi);
  curl_slist_free_all(headers);
  ::close(c.epoll);
  return out;
}

Run read_raw(const Load& load) {
  struct Conn {
    int fd = -1;
    Counter counter;
    MonoNs t0 = 0, first = 0;
    std::string out;       // what of a request has not been sent
    char end[5] = {};      // last bytes read, to see the last chunk
  };
  Run out;
  const int epoll = epoll_create1(0);
  std::vector<Conn> conns(static_cast<std::size_t>(load.at_once));
  int started = 0, ended = 0;
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  a.sin_port = htons(static_cast<std::uint16_t>(load.port));
  for (auto& c : conns) {
    c.fd = ::socket(AF_INET, SOCK_STREAM, 0);
    if (::connect(c.fd, reinterpret_cast<sockaddr*>(&a), sizeof a) != 0) std::abort();
    const int on = 1;
    ::setsockopt(c.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    epoll_event e{};
    e.events = EPOLLIN;
    e.data.ptr = &c;
    epoll_ctl(epoll, EPOLL_CTL_ADD, c.fd, &e);
  }
  const auto flush = [&](Conn& c) {
    const ssize_t n = ::send(c.fd, c.out.data(), c.out.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) c.out.erase(0, static_cast<std::size_t>(n));
    epoll_event e{};
    e.events = c.out.empty() ? EPOLLIN : EPOLLIN | EPOLLOUT;
    e.data.ptr = &c;
    epoll_ctl(epoll, EPOLL_CTL_MOD, c.fd, &e);
  };
  const auto start = [&](Conn& c) {
    const std::string& body = body_of(started++ < load.large);
    c.out = "POST " + load.path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    c.counter = Counter();
    c.t0 = mono_now();
    const ssize_t n = ::send(c.fd, c.out.data(), c.out.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n == static_cast<ssize_t>(c.out.size())) {
      c.out.clear();
    } else {
      if (n > 0) c.out.erase(0, static_cast<std::size_t>(n));
      flush(c);
    }
  };
  const MonoNs wall = mono_now();
  const double cpu = cpu_now();
  for (auto& c : conns) start(c);
  epoll_event ev[512];
  std::vector<char> buf(65536);
  while (ended < load.streams) {
    const int n = epoll_wait(epoll, ev, 512, -1);
    for (int i = 0; i < n; ++i) {
      Conn& c = *static_cast<Conn*>(ev[i].data.ptr);
      if (ev[i].events & EPOLLOUT) flush(c);
      if (!(ev[i].events & EPOLLIN)) continue;
      const ssize_t got = ::recv(c.fd, buf.data(), buf.size() - 1, MSG_DONTWAIT);
      if (got <= 0) continue;
      const MonoNs at = mono_now();
      buf[static_cast<std::size_t>(got)] = 0;
      if (c.counter.first(buf.data(), static_cast<std::size_t>(got))) {
        c.first = at;
        note_ways(out, {buf.data(), static_cast<std::size_t>(got)}, c.t0, at);
      }
      const std::size_t keep = std::min<std::size_t>(5, static_cast<std::size_t>(got));
      std::memmove(c.end, c.end + keep, 5 - keep);
      std::memcpy(c.end + 5 - keep, buf.data() + got - keep, keep);
      if (std::memcmp(c.end, "0\r\n\r\n", 5) != 0) continue;
      out.events += c.counter.events;
      out.first_token_ms.push_back(static_cast<double>(c.first - c.t0) * 1e-6);
      std::memset(c.end, 0, 5);
      ++ended;
      if (started < load.streams) start(c);
    }
  }
  out.cpu_s = cpu_now() - cpu;
  out.wall_s = static_cast<double>(mono_now() - wall) * 1e-9;
  for (auto& c : conns) ::close(c.fd);
  ::close(epoll);
  return out;
}

}  // namespace kvcliff::bench
