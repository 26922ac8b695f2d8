// SPDX-License-Identifier: GPL-3.0-or-later
// Private to net: the I/O thread. libcurl's multi interface driven by epoll, one socket at a time, so that the work per
// event does not grow with the number of open streams.
#pragma once
#include <curl/curl.h>

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <queue>
#include <thread>
#include <unordered_map>
#include <vector>

#include "net/spare_sockets.h"
#include "net/transfer.h"

namespace kvcliff::net {

class IoLoop {
 public:
  explicit IoLoop(Client::Options options);
  ~IoLoop();

  RequestId start_stream(StreamRequest request, std::function<void(RequestId, StreamRecord)> done);
  void start_http(HttpRequest request, std::function<void(Result<HttpAnswer>)> done);
  void cancel(RequestId id);
  void cancel_all();
  int active() const { return active_streams_.load(std::memory_order_relaxed); }
  MonoNs longest_turn() const { return longest_turn_.load(std::memory_order_relaxed); }
  SpareSockets& spares() { return spares_; }
  const StreamObserver& observer() const { return options_.observer; }
  /// Bytes of it wait to be parsed, or curl is through with it: it gets its turn once nothing more is to be read.
  void later(Transfer& t) {
    if (t.queued) return;
    t.queued = true;
    t.next_later = nullptr;
    (later_first_ ? later_last_->next_later : later_first_) = &t;
    later_last_ = &t;
  }
  /// A stream said [DONE] but its connection still stands: it is given a short time.
  void linger(Transfer& t) { lingering_.push_back(&t); }
  /// When the bytes now given to a write callback were read. curl hands one read over in many pieces (one per HTTP chunk);
  /// the clock is read at the first and then at every 16th, which is some microseconds apart at most.
  MonoNs read_time() {
    if (read_pieces_++ % 16 == 0) read_at_ = mono_now();
    return read_at_;
  }
  bool on_io_thread() const { return std::this_thread::get_id() == thread_.get_id(); }

 private:
  struct Order {
    enum class What { stream, http, cancel, cancel_all, stop } what;
    RequestId id = 0;
    MonoNs queued = 0;
    StreamRequest stream;
    HttpRequest http;
    std::function<void(RequestId, StreamRecord)> stream_done;
    std::function<void(Result<HttpAnswer>)> http_done;
  };
  struct Deadline {
    MonoNs at;
    Transfer* transfer;
    bool operator>(const Deadline& o) const { return at > o.at; }
  };
  /// What epoll knows about a file descriptor.
  struct Watch {
    unsigned registered = 0;  // epoll events; 0 = not in the set
    bool wanted = false;      // curl wants to hear of it
    bool ours = false;        // opened for a connection, so its end is told to close_cb
  };

  void send(Order order);
  void wake();
  void run();
  int wait_ms(MonoNs now);
  void fetch_orders();
  void obey();
  void parse_some(bool at_once);
  void begin(Order order);
  template <class Tell>
  void release(Transfer& t, const Tell& tell);
  void finish(Transfer& t, CURLcode rc);
  void collect();
  void stop_transfer(Transfer& t, Transfer::Stop why);
  void check_deadlines(MonoNs now);
  void schedule(Transfer& t, MonoNs now);
  void watch(curl_socket_t fd, int what, Transfer* t);
  Watch& watch_of(int fd);
  void opened(int fd);
  static int socket_cb(CURL* easy, curl_socket_t fd, int what, void* self, void*);
  static int timer_cb(CURLM*, long timeout_ms, void* self);
  static int close_cb(void* self, curl_socket_t fd);
  friend struct Transfer;

  Client::Options options_;
  wire::JsonScratch scratch_;
  CURLM* multi_ = nullptr;
  int epoll_ = -1, event_ = -1;
  SpareSockets spares_;
  std::vector<std::unique_ptr<Transfer>> all_;
  std::vector<Transfer*> free_;
  std::unordered_map<RequestId, Transfer*> by_id_;
  std::priority_queue<Deadline, std::vector<Deadline>, std::greater<>> deadlines_;
  std::vector<Transfer*> lingering_;
  // Streams with bytes to parse, or ended; oldest first. A list through the streams themselves: an event allocates nothing.
  Transfer *later_first_ = nullptr, *later_last_ = nullptr;
  std::deque<Order> waiting_orders_; // not yet obeyed; oldest first
  std::vector<Watch> watches_;
  MonoNs curl_timer_ = 0;  // 0 = none
  bool stopping_ = false;
  MonoNs read_at_ = 0;
  unsigned read_pieces_ = 0;   // since the socket became readable
  bool own_orders_ = false;    // orders given by callbacks on the I/O thread: no need to wake it

  std::mutex mutex_;
  std::vector<Order> orders_;
  std::atomic<bool> woken_{false};
  std::atomic<int> active_streams_{0};
  std::atomic<RequestId> next_id_{1};
  std::atomic<MonoNs> longest_turn_{0};
  std::thread thread_;  // last: runs when all else is ready
};

}  // namespace kvcliff::net
