// SPDX-License-Identifier: GPL-3.0-or-later
#include "emulator/metronome.h"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <sstream>

#include "base/text.h"

namespace kvcliff::emulator {
namespace {
namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::beast::error_code;
using tcp = asio::ip::tcp;
using Moment = std::chrono::steady_clock::time_point;

struct Beat {
  int port = 0;
  std::chrono::nanoseconds first{std::chrono::milliseconds(100)}, gap{std::chrono::milliseconds(10)};
  std::int64_t tokens = 200;
};

/// One connection; requests follow each other on it.
class Line : public std::enable_shared_from_this<Line> {
 public:
  Line(tcp::socket socket, const Beat& beat) : socket_(std::move(socket)), timer_(socket_.get_executor()), beat_(beat) {
    error_code ec;
    socket_.set_option(tcp::no_delay(true), ec);
  }

  void read() {
    parser_.emplace();
    parser_->body_limit(std::uint64_t{256} << 20);
    http::async_read(socket_, buffer_, *parser_, [self = shared_from_this()](error_code ec, std::size_t) {
      if (!ec) self->answer(std::chrono::steady_clock::now());
    });
  }

 private:
  void answer(Moment arrived) {
    if (parser_->get().method() != http::verb::post)
      return write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", [self = shared_from_this()] { self->read(); });
    arrived_ = arrived;
    sent_ = 0;
    http::response<http::empty_body> head(http::status::ok, 11);
    head.set(http::field::content_type, "text/event-stream; charset=utf-8");
    head.chunked(true);
    write(head_text(head), [self = shared_from_this()] { self->next(); });
  }

  static std::string event(std::string_view choices_and_more) {
    return fmt::format("data: {{\"id\":\"cmpl-metronome\",\"object\":\"text_completion\",\"model\":\"metronome\",{}}}\n\n", choices_and_more);
  }

  void next() {
    if (sent_ == beat_.tokens) {
      const std::string usage = event(fmt::format(R"("choices":[],"usage":{{"prompt_tokens":1,"completion_tokens":{0},"total_tokens":{1}}})", beat_.tokens, beat_.tokens + 1));
      return write(framed(usage) + framed("data: [DONE]\n\n") + "0\r\n\r\n", [self = shared_from_this()] { self->read(); });
    }
    timer_.expires_at(arrived_ + beat_.first + sent_ * beat_.gap);
    timer_.async_wait([self = shared_from_this()](error_code ec) {
      if (ec) return;
      const bool last = ++self->sent_ == self->beat_.tokens;
      self->write(framed(event(fmt::format(R"("choices":[{{"index":0,"text":" t","token_ids":[258],"finish_reason":{}}}])", last ? "\"length\"" : "null"))),
                  [self] { self->next(); });
    });
  }

  static std::string to_text(const auto& buffers) {
    std::string out;
    for (auto at = asio::buffer_sequence_begin(buffers); at != asio::buffer_sequence_end(buffers); ++at)
      out.append(static_cast<const char*>((*at).data()), (*at).size());
    return out;
  }
  static std::string framed(const std::string& bytes) { return to_text(http::make_chunk(asio::buffer(bytes))); }

  /// Writes all of it, then goes on; a peer that is gone ends the line.
  void write(std::string bytes, std::function<void()> then) {
    auto held = std::make_shared<std::string>(std::move(bytes));
    asio::async_write(socket_, asio::buffer(*held), [held, self = shared_from_this(), then = std::move(then)](error_code ec, std::size_t) {
      if (!ec) then();
    });
  }

  static std::string head_text(const http::response<http::empty_body>& head) {
    std::ostringstream s;
    s << head.base();
    return s.str();
  }

  tcp::socket socket_;
  asio::steady_timer timer_;
  boost::beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  const Beat& beat_;
  Moment arrived_;
  std::int64_t sent_ = 0;
};

void accept(tcp::acceptor& acceptor, const Beat& beat) {
  acceptor.async_accept([&](error_code ec, tcp::socket socket) {
    if (!acceptor.is_open()) return;
    if (!ec) std::make_shared<Line>(std::move(socket), beat)->read();
    accept(acceptor, beat);
  });
}

/// Reads the flags; the text says what is wrong with them.
std::string read_flags(const std::vector<std::string>& args, Beat& beat) {
  for (std::size_t i = 0; i < args.size(); i += 2) {
    const auto value = i + 1 < args.size() ? parse_double(args[i + 1]) : std::nullopt;
    if (!value || !(*value >= 0 && *value <= 1e6)) return fmt::format("{} needs a number from 0 to 1,000,000", args[i]);
    const std::chrono::nanoseconds time(static_cast<std::int64_t>(*value * 1e6));
    if (args[i] == "--port") beat.port = static_cast<int>(*value);
    else if (args[i] == "--first-token-ms") beat.first = time;
    else if (args[i] == "--gap-ms") beat.gap = time;
    else if (args[i] == "--tokens") beat.tokens = std::max<std::int64_t>(1, static_cast<std::int64_t>(*value));
    else return "unknown flag " + args[i];
  }
  return beat.port > 65535 ? "--port ends at 65535" : "";
}

}  // namespace

int metronome(const std::vector<std::string>& args, std::ostream& out, std::ostream& err) {
  const char* usage = "usage: kvcliff-emulator metronome --port N [--first-token-ms 100] [--gap-ms 10] [--tokens 200]\n";
  for (const auto& a : args)
    if (a == "--help" || a == "-h") {
      out << usage << "A server that answers every POST with a stream of tokens at fixed moments, to test a client against.\n" << std::flush;
      return 0;
    }
  Beat beat;
  if (const auto wrong = read_flags(args, beat); !wrong.empty()) {
    err << "metronome: " << wrong << "\n" << usage;
    return 2;
  }
  asio::io_context io(1);
  error_code ec;
  tcp::acceptor acceptor(io);
  const tcp::endpoint at(asio::ip::address_v4::loopback(), static_cast<unsigned short>(beat.port));
  acceptor.open(at.protocol(), ec);
  acceptor.set_option(asio::socket_base::reuse_address(true), ec);
  acceptor.bind(at, ec);
  if (!ec) acceptor.listen(1024, ec);
  if (ec) {
    err << "metronome: port " << beat.port << ": " << ec.message() << "\n";
    return 1;
  }
  out << fmt::format("metronome: listening on http://127.0.0.1:{}, simulated times: first token {} ms, then one every {} ms\n",
                     acceptor.local_endpoint(ec).port(), static_cast<double>(beat.first.count()) / 1e6, static_cast<double>(beat.gap.count()) / 1e6)
      << std::flush;
  asio::signal_set signals(io, SIGTERM, SIGINT);
  signals.async_wait([&](error_code, int) { io.stop(); });
  accept(acceptor, beat);
  io.run();
  return 0;
}

}  // namespace kvcliff::emulator
