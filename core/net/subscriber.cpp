// SPDX-License-Identifier: GPL-3.0-or-later
#include "net/subscriber.h"

#include <atomic>
#include <thread>
#include <zmq.hpp>

namespace kvcliff::net {
namespace {

using namespace std::chrono_literals;

// An engine publishes at most a few messages a step; so many wait here while the writer is busy.
constexpr int most_waiting = 1'000'000;

class ZmqSubscriber final : public Subscriber {
 public:
  explicit ZmqSubscriber(OnMessage message) : message_(std::move(message)), socket_(context_, zmq::socket_type::sub) {
    socket_.set(zmq::sockopt::rcvhwm, most_waiting);
    socket_.set(zmq::sockopt::linger, 0);
    socket_.set(zmq::sockopt::subscribe, "");
    socket_.bind("tcp://127.0.0.1:*");
    endpoint_ = socket_.get(zmq::sockopt::last_endpoint);
    last_ = mono_now();
    thread_ = std::thread([this] { listen_on(); });
  }
  ~ZmqSubscriber() override { end(); }

  std::string endpoint() const override { return endpoint_; }
  std::int64_t malformed() const override { return malformed_; }
  void drain(std::chrono::milliseconds quiet, std::chrono::milliseconds limit) override {
    const MonoNs began = mono_now();
    const auto ns = [](std::chrono::milliseconds d) { return std::chrono::nanoseconds(d).count(); };
    while (mono_now() - std::max<MonoNs>(last_, began) < ns(quiet) && mono_now() - began < ns(limit)) std::this_thread::sleep_for(5ms);
    end();
  }

 private:
  void end() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }
  // The socket belongs to this thread; it looks up 20 times a second whether it is to end.
  void listen_on() {
    zmq::pollitem_t item{socket_.handle(), 0, ZMQ_POLLIN, 0};
    while (!stop_) {
      try {
        if (zmq::poll(&item, 1, 50ms) > 0) receive();
      } catch (const zmq::error_t&) {  // interrupted by a signal: look again
      }
    }
  }
  void receive() {
    zmq::message_t parts[3], part;
    std::size_t n = 0;
    for (bool more = true; more; ++n) {
      zmq::message_t& to = n < 3 ? parts[n] : part;
      if (!socket_.recv(to, zmq::recv_flags::none)) return;
      more = to.more();
    }
    last_ = mono_now();
    if (n != 3 || parts[1].size() != 8) {
      ++malformed_;
      return;
    }
    std::uint64_t sequence = 0;
    for (int i = 0; i < 8; ++i) sequence = sequence << 8 | static_cast<const std::uint8_t*>(parts[1].data())[i];
    message_(SystemClock().now(), sequence, std::string(static_cast<const char*>(parts[2].data()), parts[2].size()));
  }

  OnMessage message_;
  zmq::context_t context_;
  zmq::socket_t socket_;
  std::string endpoint_;
  std::atomic<bool> stop_{false};
  std::atomic<MonoNs> last_{0};
  std::atomic<std::int64_t> malformed_{0};
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<Subscriber>> Subscriber::listen(OnMessage message) {
  try {
    return std::make_unique<ZmqSubscriber>(std::move(message));
  } catch (const zmq::error_t& e) {
    return fail(ErrorCode::io, "KV events cannot be listened for", "a free port of 127.0.0.1", e.what());
  }
}

}  // namespace kvcliff::net
