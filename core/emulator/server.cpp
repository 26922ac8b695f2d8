// SPDX-License-Identifier: GPL-3.0-or-later
#include "emulator/server.h"

#include <sys/wait.h>

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <ctime>

#include "emulator/session.h"

namespace kvcliff::emulator {
namespace asio = boost::asio;
using tcp = asio::ip::tcp;
using boost::system::error_code;

Server::Server(asio::io_context& io, const Options& options, const Setup& setup, CacheModel& cache, TimeModel& time, Metrics& metrics, Log& log)
    : io_(io), options_(options), setup_(setup), time_(time), metrics_(metrics), log_(log), engine_(io, options, setup, cache, time, metrics), acceptor_(io),
      signals_(io, SIGTERM, SIGINT, SIGCHLD) {
  created_ = std::time(nullptr);
}
Server::~Server() = default;

error_code Server::bind() {
  error_code ec;
  const auto address = asio::ip::make_address(options_.host == "localhost" ? "127.0.0.1" : options_.host, ec);
  if (ec) return ec;
  const tcp::endpoint at(address, static_cast<unsigned short>(options_.port));
  if (acceptor_.open(at.protocol(), ec)) return ec;
  acceptor_.set_option(asio::socket_base::reuse_address(true), ec);
  if (acceptor_.bind(at, ec)) return ec;
  port_ = acceptor_.local_endpoint(ec).port();
  return ec;
}

void Server::after(TimeModel::Duration d, std::function<void()> then) {
  auto timer = std::make_shared<asio::steady_timer>(io_, d);
  timer->async_wait([timer, then = std::move(then)](error_code ec) {
    if (!ec) then();
  });
}

void Server::start() {
  wait_signal();
  startup(0);
}

// Three parts with a pause each, as the real start has three processes that import one after the other.
void Server::startup(int part) {
  const auto pause = time_.scaled(options_.startup_s * 1e3 / 3);
  if (stopping_) return;
  if (part == 0) {
    log_banner(log_, options_, setup_);
    return after(pause, [this] { startup(1); });
  }
  if (part == 1) {
    log_engine_start(log_, options_, setup_);
    if (options_.fault == Fault::hang_start) return;
    return after(pause, [this] { startup(2); });
  }
  if (part == 2) {
    std::vector<std::string> cause;
    if (options_.fault == Fault::die_loading)
      cause = {"OSError: Error while deserializing header: incomplete metadata, file not fully covered"};
    if (options_.fault == Fault::oom)
      cause = {"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 11.94 GiB of which 512.00 MiB is free. "
               "Including non-PyTorch memory, this process has 11.42 GiB memory in use."};
    if (!setup_.failure.empty()) cause = {setup_.failure};
    if (!cause.empty()) {
      log_core_failure(log_, cause);
      return leave(1);
    }
    log_capacity(log_, options_, setup_);
    return after(pause, [this] { startup(3); });
  }
  log_listening(log_, options_, port_);
  log_.uvicorn("Started server process [" + std::to_string(getpid()) + "]");
  log_.uvicorn("Waiting for application startup.");
  log_.uvicorn("Application startup complete.");
  error_code ec;
  acceptor_.listen(1024, ec);
  if (ec) {
    if (ec == asio::error::address_in_use) log_port_in_use(log_);
    return leave(1);
  }
  ready_ = true;
  engine_.on_death = [this] {
    if (!stopping_) log_.api("WARNING", "core_client.py:817", "[shutdown] MPClient: engine core exited unexpectedly; starting cleanup");
    log_core_death(log_);
    if (!stopping_) after(time_.scaled(4000), [this] {
      log_.uvicorn("Shutting down");
      log_.uvicorn("Application shutdown complete.");
      leave(0);  // also after a crash
    });
  };
  engine_.on_idle = [this] {
    if (draining_) begin_exit();
  };
  accept();
  periodic();
}

void Server::accept() {
  acceptor_.async_accept([this](error_code ec, tcp::socket socket) {
    if (ec == asio::error::operation_aborted || !acceptor_.is_open()) return;
    if (!ec) {
      auto session = std::make_shared<Session>(std::move(socket), *this);
      add(session);
      session->read();
    }
    accept();
  });
}

void Server::access(const std::string& peer, const std::string& method, const std::string& target, int status) {
  const std::string path = target.substr(0, target.find('?'));
  if (path != "/metrics" && path != "/health") metrics_.http[path + "|" + method + "|" + std::to_string(status / 100) + "xx"] += 1;
  if (!options_.access_log) return;
  const char* word = status == 200 ? "OK" : status == 400 ? "Bad Request" : status == 404 ? "Not Found" : status == 405 ? "Method Not Allowed"
                     : status == 503 ? "Service Unavailable" : "Internal Server Error";
  log_.uvicorn(fmt::format("{} - \"{} {} HTTP/1.1\" {} {}", peer, method, target, status, word));
}

std::string Server::metrics_text() {
  // The ordinal of the last request decides whether a lie about the whole page is on.
  if (options_.lies.has(Lie::aliased_metrics)) {
    static constexpr double day = 86400;
    const std::int64_t last = static_cast<std::int64_t>(metrics_.success.at("length")) - 1;
    if (options_.lies.on(Lie::aliased_metrics, last)) {
      Metrics other(setup_.max_model_len);
      other.start_time = metrics_.start_time - day;
      other.created = metrics_.created - day;
      other.prompt = other.computed = 123456;
      return metrics_page(other, options_, setup_);
    }
  }
  return metrics_page(metrics_, options_, setup_);
}

void Server::wait_signal() {
  signals_.async_wait([this](error_code ec, int number) {
    if (ec) return;
    if (number == SIGCHLD) {
      int status = 0;
      if (core_pid_ > 0 && waitpid(static_cast<pid_t>(core_pid_), &status, WNOHANG) == core_pid_) {
        core_pid_ = 0;
        // A signal to the group ends the core too: a server that hangs in its stop does not leave because of that.
        const bool hangs = options_.fault == Fault::hang_stop && signals_seen_ > 0;
        if (!stopping_ && !hangs) engine_.die();
      }
    } else {
      on_signal(number);
    }
    if (!leaving_) wait_signal();
  });
}

void Server::on_signal(int) {
  ++signals_seen_;
  if (options_.fault == Fault::hang_stop) {
    log_.api("INFO", "launcher.py:254", "[shutdown] API server: shutdown triggered");
    return;
  }
  if (stopping_) {
    if (streams_ > 0 || draining_) {  // a second signal closes what is open
      for (const auto& s : std::set<std::shared_ptr<Session>>(sessions_)) s->close();
      begin_exit();
    }
    return;
  }
  stopping_ = true;
  if (!ready_) return leave(0);
  const bool drain = options_.shutdown_timeout_s > 0;
  log_.api("INFO", "launcher.py:254", "[shutdown] API server: shutdown triggered");
  log_.api("INFO", "launcher.py:270", fmt::format("[shutdown] API server: stopping engine client mode={} timeout={}s", drain ? "drain" : "abort", options_.shutdown_timeout_s));
  error_code ec;
  acceptor_.close(ec);
  // Idle connections are closed; those with an answer under way are waited for.
  for (const auto& s : std::set<std::shared_ptr<Session>>(sessions_))
    if (!s->streaming() && engine_.open() == 0) s->close();
  if (drain) {
    log_.core("INFO", "core.py:1655", fmt::format("[shutdown] EngineCore: draining in-flight requests count={} timeout={}s", engine_.open(), options_.shutdown_timeout_s));
    draining_ = true;
    if (engine_.open() == 0) return begin_exit();
    return after(time_.scaled(options_.shutdown_timeout_s * 1e3), [this] {
      if (engine_.open() > 0) engine_.die();
      begin_exit();
    });
  }
  engine_.fall_silent();
  log_.core("INFO", "core.py:1454", "[shutdown] EngineCore: trigger received signal=SIGTERM");
  log_.api("WARNING", "utils.py:648", "[shutdown] Process manager: force killing remaining processes count=1");
  log_core_death(log_);
  log_.uvicorn("Shutting down");
  if (streams_ > 0) return log_.uvicorn("Waiting for connections to close. (CTRL+C to force quit)");
  begin_exit();
}

void Server::stream_closed() {
  --streams_;
  if (stopping_ && !draining_ && streams_ == 0) begin_exit();
}

void Server::begin_exit() {
  if (leaving_) return;
  leaving_ = true;
  // 0.4 s, and more for pinned memory (0.17 s per GiB, live).
  const double gib = double(setup_.pinned_bytes) / double(1 << 30);
  after(time_.scaled(400 + 170 * gib), [this] {
    log_.uvicorn("Waiting for application shutdown.");
    log_.uvicorn("Application shutdown complete.");
    leave(0);
  });
}

void Server::leave(int code) {
  leaving_ = true;
  exit_code_ = code;
  io_.stop();
}

void Server::periodic() {
  after(std::max(time_.scaled(10'000), TimeModel::Duration(std::chrono::milliseconds(200))), [this] {
    const double prompt = metrics_.computed - last_prompt_, generated = metrics_.generation - last_generation_;
    if (prompt > 0 || generated > 0 || metrics_.running > 0) {
      const auto rate = [](double hits, double queries) { return queries > 0 ? 100 * hits / queries : 0.0; };
      std::string text = fmt::format("Engine 000: Avg prompt throughput: {:.1f} tokens/s, Avg generation throughput: {:.1f} tokens/s, Running: {} reqs, Waiting: {} reqs, "
                                     "GPU KV cache usage: {:.1f}%, Prefix cache hit rate: {:.1f}%",
                                     prompt / 10, generated / 10, metrics_.running, metrics_.waiting, metrics_.gpu_usage * 100, rate(metrics_.hits, metrics_.queries));
      if (setup_.tier) text += fmt::format(", External prefix cache hit rate: {:.1f}%", rate(metrics_.external_hits, metrics_.external_queries));
      log_.api("INFO", "loggers.py:335", text);
    }
    last_prompt_ = metrics_.computed;
    last_generation_ = metrics_.generation;
    periodic();
  });
}

}  // namespace kvcliff::emulator
