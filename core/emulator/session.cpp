// SPDX-License-Identifier: GPL-3.0-or-later
#include "emulator/session.h"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <ctime>

#include "base/hash.h"

namespace kvcliff::emulator {
namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::beast::error_code;
using tcp = asio::ip::tcp;

namespace {
std::string http_date() {
  const std::time_t t = std::time(nullptr);
  std::tm tm{};
  gmtime_r(&t, &tm);
  char out[64];
  std::strftime(out, sizeof out, "%a, %d %b %Y %H:%M:%S GMT", &tm);
  return out;
}
}  // namespace

Session::Session(tcp::socket socket, Server& server) : stream_(std::move(socket)), server_(server) {
  error_code ec;
  stream_.socket().set_option(tcp::no_delay(true), ec);
  const auto remote = stream_.socket().remote_endpoint(ec);
  if (!ec) peer_ = remote.address().to_string() + ":" + std::to_string(remote.port());
}

void Session::read() {
  job_.reset();
  answer_.reset();
  api_.reset();
  streaming_ = last_ = stalled_ = cut_ = false;
  first_ = true;
  sent_ = 0;
  text_.clear();
  ids_.clear();
  parser_.emplace();
  parser_->body_limit(std::uint64_t{256} << 20);
  http::async_read_header(stream_, buffer_, *parser_, [self = shared_from_this()](error_code ec, std::size_t) { self->on_header(ec); });
}

void Session::on_header(error_code ec) {
  if (ec) return gone();
  const auto read_body = [self = shared_from_this()] {
    http::async_read(self->stream_, self->buffer_, *self->parser_, [self](error_code e, std::size_t) { self->on_request(e); });
  };
  if (parser_->get()[http::field::expect] != "100-continue") return read_body();
  auto go_on = std::make_shared<http::response<http::empty_body>>(http::status::continue_, 11);
  http::async_write(stream_, *go_on, [go_on, read_body](error_code e, std::size_t) {
    if (!e) read_body();
  });
}

void Session::on_request(error_code ec) {
  if (ec == http::error::body_limit) return answer(413, "{\"detail\":\"Request body too large\"}");
  if (ec) return gone();
  request_ = parser_->release();
  route();
}

void Session::close() {
  if (closed_) return;
  error_code ec;
  stream_.socket().shutdown(tcp::socket::shutdown_both, ec);
  stream_.close();
}

void Session::gone() {
  if (closed_) return;
  closed_ = true;
  if (job_) server_.engine().abort(job_);
  if (streaming_) server_.stream_closed();
  streaming_ = false;
  close();
  stream_.close();
  server_.remove(shared_from_this());
}

std::string Session::request_id() {
  const auto given = request_.find("X-Request-Id");
  if (given != request_.end() && !given->value().empty()) return std::string(given->value());
  const std::uint64_t n = server_.engine().next_id() + static_cast<std::uint64_t>(server_.created()) * 1000003u;
  return fmt::format("{:016x}", hash64(&n, sizeof n));
}

void Session::answer(int status, std::string body, const char* type) {
  auto res = std::make_shared<http::response<http::string_body>>(http::int_to_status(static_cast<unsigned>(status)), 11);
  res->insert("date", http_date());
  res->insert("server", "uvicorn");
  res->insert("content-length", std::to_string(body.size()));
  if (!body.empty()) res->insert("content-type", type);
  if (!id_header_.empty()) res->insert("x-request-id", id_header_);
  const bool keep = request_.keep_alive() && !server_.stopping();
  if (!keep) res->insert("connection", "close");
  res->body() = std::move(body);
  id_header_.clear();
  server_.access(peer_, std::string(request_.method_string()), target_, status);
  http::async_write(stream_, *res, [self = shared_from_this(), res, keep](error_code ec, std::size_t) {
    if (ec || !keep) return self->gone();
    self->read();
  });
}

void Session::route() {
  target_ = std::string(request_.target());
  const std::string path = target_.substr(0, target_.find('?')), query = target_.find('?') == target_.npos ? "" : target_.substr(target_.find('?') + 1);
  const bool get = request_.method() == http::verb::get, post = request_.method() == http::verb::post;
  const Options& o = server_.options();
  const auto is = [&](const char* p, bool method) { return path == p && method; };
  const auto asked = [&](const std::string& key) {
    const auto at = query.find(key + "=");
    return at != query.npos && (query.compare(at + key.size() + 1, 4, "true") == 0 || query.compare(at + key.size() + 1, 1, "1") == 0);
  };
  if (is("/health", get)) return answer(server_.engine().dead() || o.fault == Fault::unready_health ? 503 : 200, "");
  if (is("/ping", get) || is("/ping", post)) return answer(200, "");
  if (is("/version", get)) return answer(200, Json{{"version", o.generation.version + "+simulated"}}.dump());
  if (is("/v1/models", get)) return answer(200, models_body(o, server_.setup(), server_.created()));
  if (is("/metrics", get) || is("/metrics/", get)) {
    if (o.fault == Fault::metrics_500) return answer(500, "Internal Server Error", "text/plain; charset=utf-8");
    const char* type = "text/plain; version=1.0.0; charset=utf-8";
    if (o.fault != Fault::slow_metrics) return answer(200, server_.metrics_text(), type);
    auto timer = std::make_shared<asio::steady_timer>(stream_.get_executor(), server_.time().scaled(5000));
    return timer->async_wait([self = shared_from_this(), timer, type](error_code ec) {
      if (!ec) self->answer(200, self->server_.metrics_text(), type);
    });
  }
  if (o.dev_mode && is("/reset_prefix_cache", post)) {
    server_.log().api("INFO", "api_router.py:39", "Resetting prefix cache...");
    const bool done = server_.engine().reset(asked("reset_external"), asked("reset_running_requests"));
    return answer(200, done ? "{\"success\":true}" : "{\"success\":false}");
  }
  if (o.dev_mode && is("/server_info", get)) return answer(200, server_info_body(o, server_.setup()));
  if (is("/v1/completions", post)) return complete(false);
  if (is("/v1/chat/completions", post)) return complete(true);
  for (const char* known : {"/health", "/version", "/v1/models", "/metrics", "/v1/completions", "/v1/chat/completions"})
    if (path == known) return answer(405, "{\"detail\":\"Method Not Allowed\"}");
  answer(404, "{\"detail\":\"Not Found\"}");
}

void Session::complete(bool chat) {
  const Options& o = server_.options();
  const std::string id = request_id();
  if (o.request_id_headers) id_header_ = id;
  auto parsed = parse_request(request_.body(), chat, o, server_.setup());
  if (auto* e = std::get_if<ApiError>(&parsed)) return answer(e->status, std::move(e->body));
  if (server_.engine().dead()) {
    const auto e = api_error(500, "EngineCore encountered an issue. See stack trace (above) for the root cause.", "InternalServerError", "");
    return answer(500, e.body);
  }
  request_.body().clear();
  api_ = std::move(std::get<ApiRequest>(parsed));
  answer_.emplace(o, server_.setup(), *api_, id, static_cast<std::int64_t>(std::time(nullptr)));
  job_ = std::make_shared<Job>();
  job_->id = server_.engine().next_id();
  job_->ordinal = server_.engine().next_ordinal();
  job_->tokens = api_->prompt;
  job_->prompt = static_cast<std::int64_t>(api_->prompt.size());
  job_->max_tokens = api_->max_tokens;
  job_->salt = api_->salt;
  job_->skip_reading = api_->prompt_logprobs;
  std::weak_ptr<Session> weak = weak_from_this();
  job_->on_delta = [weak](const Job::Delta& d) {
    if (auto self = weak.lock()) self->on_delta(d);
  };
  job_->on_dead = [weak] {
    const auto self = weak.lock();
    if (!self) return;
    if (!self->streaming_) {
      self->job_.reset();
      const auto e = api_error(500, "EngineCore encountered an issue. See stack trace (above) for the root cause.", "InternalServerError", "");
      return self->answer(500, e.body);
    }
    self->send(Answer::dead_event());
    self->send(Answer::done_event());
    self->end_stream();
  };
  if (api_->stream) begin_stream();
  watch();
  server_.engine().submit(job_);
}

void Session::begin_stream() {
  streaming_ = true;
  server_.stream_opened();
  http::response<http::empty_body> res(http::status::ok, 11);
  res.insert("date", http_date());
  res.insert("server", "uvicorn");
  res.insert("content-type", "text/event-stream; charset=utf-8");
  if (!id_header_.empty()) res.insert("x-request-id", id_header_);
  if (!request_.keep_alive()) res.insert("connection", "close");
  res.insert("transfer-encoding", "chunked");
  id_header_.clear();
  server_.access(peer_, "POST", target_, 200);
  std::ostringstream head;
  head << res.base();
  queue_.push_back(head.str());
  const Options& o = server_.options();
  if (o.lies.on(Lie::role_only_first, job_->ordinal)) {
    send(api_->chat ? answer_->role_event() : answer_->empty_event());
  }
  if (o.lies.on(Lie::empty_tokens, job_->ordinal)) {
    send(answer_->empty_event());
    send(answer_->empty_event());
  }
  pump();
}

void Session::on_delta(const Job::Delta& delta) {
  const Options& o = server_.options();
  if (!streaming_) {
    for (const auto id : delta.ids) {
      text_ += " w" + fmt::format("{:04d}", id);
      ids_.push_back(id);
    }
    if (delta.finish.empty()) return;
    const auto job = std::move(job_);
    job_.reset();
    return answer(200, answer_->body(*job, text_, ids_, delta.finish));
  }
  if (stalled_ || cut_) return;
  if (first_ && api_->chat && !o.lies.on(Lie::role_only_first, job_->ordinal)) send(answer_->role_event());
  send(answer_->token_event(delta, *job_, first_));
  first_ = false;
  ++sent_;
  if (sent_ == 4 && o.lies.on(Lie::stream_stall, job_->ordinal)) stalled_ = true;
  if (sent_ == 3 && o.lies.on(Lie::stream_cut, job_->ordinal)) {
    cut_ = true;
    return pump();
  }
  if (stalled_ || delta.finish.empty()) return;
  usage_and_done();
}

void Session::usage_and_done() {
  const Options& o = server_.options();
  const auto lie = [&](Lie l) { return o.lies.on(l, job_->ordinal); };
  if (!lie(Lie::usage_missing)) {
    const std::string usage = answer_->usage_event(*job_, lie(Lie::usage_wrong) ? 1 : 0);
    if (!usage.empty()) send(usage);
    if (!usage.empty() && lie(Lie::usage_duplicate)) send(answer_->usage_event(*job_, 1));
  }
  send(Answer::done_event());
  end_stream();
}

void Session::send(std::string event) {
  // One event, one chunk.
  queue_.push_back(fmt::format("{:x}\r\n", event.size()) + event + "\r\n");
  pump();
}

void Session::end_stream() {
  last_ = true;
  queue_.push_back("0\r\n\r\n");
  pump();
}

void Session::pump() {
  if (busy_ || closed_) return;
  if (queue_.empty()) {
    if (cut_) return gone();
    if (!last_) return;
    job_.reset();
    if (streaming_) server_.stream_closed();
    streaming_ = false;
    last_ = false;
    if (!request_.keep_alive() || server_.stopping() || server_.engine().dead()) return gone();
    return read();
  }
  busy_ = true;
  writing_.clear();
  for (auto& s : queue_) writing_ += s;
  queue_.clear();
  asio::async_write(stream_, asio::buffer(writing_), [self = shared_from_this()](error_code ec, std::size_t) {
    self->busy_ = false;
    if (ec) return self->gone();
    self->pump();
  });
}

// Notices that the client closed while it waits for tokens.
void Session::watch() {
  stream_.socket().async_wait(tcp::socket::wait_read, [self = shared_from_this(), job = job_](error_code ec) {
    if (ec || self->closed_ || self->job_ != job || !job) return;
    char byte = 0;
    error_code peek;
    self->stream_.socket().non_blocking(true, peek);
    const std::size_t n = self->stream_.socket().receive(asio::buffer(&byte, 1), tcp::socket::message_peek, peek);
    if (peek == asio::error::would_block) return self->watch();
    if (peek || n == 0) self->gone();
  });
}

}  // namespace kvcliff::emulator
