// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "emulator/api.h"
#include "emulator/engine.h"
#include "emulator/launch_log.h"

namespace kvcliff::emulator {

class Session;

/// The HTTP side: routes, life of the process, start and stop as vLLM does them. One I/O thread.
class Server {
 public:
  Server(boost::asio::io_context& io, const Options& options, const Setup& setup, CacheModel& cache, TimeModel& time, Metrics& metrics, Log& log);
  ~Server();

  /// Binds without listening. Errors: the errno of bind.
  boost::system::error_code bind();
  /// Goes through the start-up and then serves; returns from io.run() when the process should end.
  void start();
  int exit_code() const { return exit_code_; }
  int port() const { return port_; }
  /// Process id of the second process, 0: none.
  void watch_core(long pid) { core_pid_ = pid; }

  // For the sessions.
  Engine& engine() { return engine_; }
  const Options& options() const { return options_; }
  const Setup& setup() const { return setup_; }
  Metrics& metrics() { return metrics_; }
  std::string metrics_text();
  void access(const std::string& peer, const std::string& method, const std::string& target, int status);
  void stream_opened() { ++streams_; }
  void stream_closed();
  void add(const std::shared_ptr<Session>& s) { sessions_.insert(s); }
  void remove(const std::shared_ptr<Session>& s) { sessions_.erase(s); }
  bool stopping() const { return stopping_; }
  std::int64_t created() const { return created_; }
  TimeModel& time() { return time_; }
  Log& log() { return log_; }

 private:
  void startup(int part);
  void accept();
  void on_signal(int number);
  void wait_signal();
  void begin_exit();
  void leave(int code);
  void periodic();
  void after(TimeModel::Duration d, std::function<void()> then);

  boost::asio::io_context& io_;
  const Options& options_;
  const Setup& setup_;
  TimeModel& time_;
  Metrics& metrics_;
  Log& log_;
  Engine engine_;
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::signal_set signals_;
  std::set<std::shared_ptr<Session>> sessions_;
  int port_ = 0, exit_code_ = 0, streams_ = 0, signals_seen_ = 0;
  long core_pid_ = 0;
  bool stopping_ = false, leaving_ = false, draining_ = false, ready_ = false;
  std::int64_t created_ = 0;
  double last_prompt_ = 0, last_generation_ = 0;
};

}  // namespace kvcliff::emulator
