// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "emulator/server.h"

namespace kvcliff::emulator {

/// One connection: reads requests one after the other, answers whole or as an event stream.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(boost::asio::ip::tcp::socket socket, Server& server);
  void read();
  /// Closes without ceremony.
  void close();
  bool streaming() const { return streaming_; }

 private:
  using Request = boost::beast::http::request<boost::beast::http::string_body>;
  void on_header(boost::beast::error_code ec);
  void on_request(boost::beast::error_code ec);
  void route();
  void answer(int status, std::string body, const char* type = "application/json");
  void complete(bool chat);
  void begin_stream();
  void send(std::string event);
  void pump();
  void watch();
  void gone();
  void end_stream();
  void on_delta(const Job::Delta& delta);
  void usage_and_done();
  std::string request_id();

  boost::beast::tcp_stream stream_;
  Server& server_;
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
  Request request_;
  std::string peer_, target_, id_header_;
  std::shared_ptr<Job> job_;
  std::optional<ApiRequest> api_;
  std::optional<Answer> answer_;
  std::deque<std::string> queue_;
  std::string writing_, text_;
  std::vector<std::int32_t> ids_;
  std::int64_t sent_ = 0;
  bool streaming_ = false, busy_ = false, last_ = false, stalled_ = false, cut_ = false, first_ = true, closed_ = false;
};

}  // namespace kvcliff::emulator
