// SPDX-License-Identifier: GPL-3.0-or-later
#include "net/io_loop.h"

#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>

namespace kvcliff::net {
namespace {

struct CurlGlobal {
  CurlGlobal() { curl_global_init(CURL_GLOBAL_DEFAULT); }
  ~CurlGlobal() { curl_global_cleanup(); }
};

/// The I/O thread sleeps most of the time and works for microseconds when bytes come. Woken on a core that another thread
/// keeps busy, it may wait there for the scheduler's next tick (4 ms at 250 Hz), and the times it then takes are late by as
/// much. So it asks for a better nice value, which root or RLIMIT_NICE grant; elsewhere it goes on as it is. Not a real-time
/// class: on a small machine that would keep a server on the same cores from working.
void ask_to_go_first() {
  constexpr int wanted = -10;
  errno = 0;
  const int now = ::getpriority(PRIO_PROCESS, 0);  // on Linux of the calling thread alone
  if (errno == 0 && now > wanted) ::setpriority(PRIO_PROCESS, 0, wanted);
}

}  // namespace

IoLoop::IoLoop(Client::Options options) : options_(std::move(options)) {
  static const CurlGlobal global;
  multi_ = curl_multi_init();
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  event_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (!multi_ || epoll_ < 0 || event_ < 0) throw std::runtime_error("the network client cannot start: no descriptors left");
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &IoLoop::socket_cb);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &IoLoop::timer_cb);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_PIPELINING, static_cast<long>(CURLPIPE_NOTHING));
  curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, static_cast<long>(options_.max_connections));
  curl_multi_setopt(multi_, CURLMOPT_MAX_TOTAL_CONNECTIONS, static_cast<long>(options_.max_connections));
  epoll_event e{};
  e.events = EPOLLIN;
  e.data.fd = event_;
  epoll_ctl(epoll_, EPOLL_CTL_ADD, event_, &e);
  thread_ = std::thread([this] { run(); });
}

IoLoop::~IoLoop() {
  send({Order::What::stop});
  thread_.join();
  all_.clear();
  curl_multi_cleanup(multi_);
  ::close(event_);
  ::close(epoll_);
}

void IoLoop::wake() {
  if (woken_.exchange(true)) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t n = ::write(event_, &one, sizeof one);
}

void IoLoop::send(Order order) {
  {
    const std::lock_guard lock(mutex_);
    orders_.push_back(std::move(order));
  }
  if (on_io_thread())
    own_orders_ = true;
  else
    wake();
}

RequestId IoLoop::start_stream(StreamRequest request, std::function<void(RequestId, StreamRecord)> done) {
  const RequestId id = next_id_++;
  ++active_streams_;
  Order o{Order::What::stream, id, mono_now()};
  o.stream = std::move(request);
  o.stream_done = done ? std::move(done) : [](RequestId, StreamRecord) {};
  send(std::move(o));
  return id;
}

void IoLoop::start_http(HttpRequest request, std::function<void(Result<HttpAnswer>)> done) {
  Order o{Order::What::http, next_id_++, mono_now()};
  o.http = std::move(request);
  o.http_done = done ? std::move(done) : [](Result<HttpAnswer>) {};
  send(std::move(o));
}

void IoLoop::cancel(RequestId id) { send({Order::What::cancel, id}); }
void IoLoop::cancel_all() { send({Order::What::cancel_all}); }

IoLoop::Watch& IoLoop::watch_of(int fd) {
  if (static_cast<std::size_t>(fd) >= watches_.size()) watches_.resize(static_cast<std::size_t>(fd) + 64);
  return watches_[static_cast<std::size_t>(fd)];
}

void IoLoop::opened(int fd) { watch_of(fd) = Watch{.ours = true}; }

int IoLoop::close_cb(void* self, curl_socket_t fd) {
  static_cast<IoLoop*>(self)->watch_of(fd) = Watch();  // the kernel forgets it with the descriptor
  return ::close(fd);
}

void IoLoop::watch(curl_socket_t fd, int what, Transfer* t) {
  Watch& w = watch_of(fd);
  if (what == CURL_POLL_REMOVE) {
    w.wanted = false;
    // A kept connection stays registered: the next request on it then costs no system call. Descriptors that curl closes
    // behind our back (its resolver's) leave at once.
    if (!w.ours && w.registered) {
      epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr);
      w.registered = 0;
    }
    return;
  }
  w.wanted = true;
  const unsigned events = (what & CURL_POLL_IN ? EPOLLIN : 0u) | (what & CURL_POLL_OUT ? EPOLLOUT : 0u);
  if (w.registered != events) {
    epoll_event e{};
    e.events = events;
    e.data.fd = fd;
    if (epoll_ctl(epoll_, w.registered ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &e) != 0)
      epoll_ctl(epoll_, errno == EEXIST ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &e);
    w.registered = events;
  }
  // From now on curl only waits to read: the whole request has been handed to the socket.
  if (what == CURL_POLL_IN && t && t->times.t0 != 0 && t->times.request_written == 0) t->times.request_written = mono_now();
}

int IoLoop::socket_cb(CURL* easy, curl_socket_t fd, int what, void* self, void*) {
  char* owner = nullptr;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &owner);
  static_cast<IoLoop*>(self)->watch(fd, what, reinterpret_cast<Transfer*>(owner));
  return 0;
}

int IoLoop::timer_cb(CURLM*, long timeout_ms, void* self) {
  static_cast<IoLoop*>(self)->curl_timer_ = timeout_ms < 0 ? 0 : mono_now() + static_cast<MonoNs>(timeout_ms) * 1'000'000;
  return 0;
}

int IoLoop::wait_ms(MonoNs now) {
  if (own_orders_ || !waiting_orders_.empty() || later_first_) return 0;
  MonoNs next = curl_timer_;
  if (!deadlines_.empty()) next = next == 0 ? deadlines_.top().at : std::min(next, deadlines_.top().at);
  if (next == 0) return -1;
  if (next <= now) return 0;
  return static_cast<int>(std::min<MonoNs>((next - now + 999'999) / 1'000'000, 60'000));
}

void IoLoop::run() {
  std::vector<epoll_event> events(512);
  int running = 0;
  ask_to_go_first();
  MonoNs turn = mono_now();
  for (;;) {
    const int n = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), wait_ms(turn));
    turn = mono_now();
    bool ordered = false;
    for (int i = 0; i < n; ++i) {
      const int fd = events[static_cast<std::size_t>(i)].data.fd;
      const unsigned what = events[static_cast<std::size_t>(i)].events;
      if (fd == event_) {
        std::uint64_t count = 0;
        [[maybe_unused]] const ssize_t got = ::read(event_, &count, sizeof count);
        ordered = true;
        continue;
      }
      Watch& w = watch_of(fd);
      if (!w.wanted) {  // an idle connection that the server closed
        epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr);
        w.registered = 0;
        continue;
      }
      const int mask = (what & EPOLLIN ? CURL_CSELECT_IN : 0) | (what & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
                       (what & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
      read_pieces_ = 0;
      curl_multi_socket_action(multi_, fd, mask, &running);
    }
    if (n > 0) collect();
    parse_some(n <= 2);
    if (ordered) woken_ = false;
    if (ordered || own_orders_) {
      own_orders_ = false;
      fetch_orders();
    }
    obey();
    // A burst of requests keeps this thread busy for milliseconds, and a server that was woken on its core waits there all that
    // time: its delay would be counted as the engine's. Nobody waiting, this costs under a microsecond.
    if (!waiting_orders_.empty()) ::sched_yield();
    if (curl_timer_ != 0 && mono_now() >= curl_timer_) {
      curl_timer_ = 0;
      read_pieces_ = 0;
      curl_multi_socket_action(multi_, CURL_SOCKET_TIMEOUT, 0, &running);
      collect();
    }
    for (Transfer* t : lingering_)
      if (t->active && t->done_at) schedule(*t, turn);
    lingering_.clear();
    const MonoNs now = mono_now();
    check_deadlines(now);
    if (stopping_) return;
    const MonoNs took = now - turn;
    if (took > longest_turn_.load(std::memory_order_relaxed)) longest_turn_ = took;
    if (took > 5'000'000)
      for (auto& t : all_)
        if (t->active) t->lag = std::max(t->lag, took);
    turn = now;
  }
}

}  // namespace kvcliff::net
