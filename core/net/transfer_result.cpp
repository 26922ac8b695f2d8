// SPDX-License-Identifier: GPL-3.0-or-later
// What a finished request says: the record of a stream, the answer of a plain request.
#include <fmt/format.h>

#include "base/boot_clock.h"
#include "base/text.h"
#include "net/io_loop.h"
#include "net/transfer.h"
#include "wire/recording.h"

namespace kvcliff::net {
namespace {

constexpr MonoNs lag_limit = 5'000'000;  // a turn of the I/O thread longer than this may shift a time stamp

std::string seconds(std::chrono::milliseconds d) { return fmt::format("{:g} s", static_cast<double>(d.count()) * 1e-3); }

bool never_connected(CURLcode rc) {
  return rc == CURLE_COULDNT_CONNECT || rc == CURLE_COULDNT_RESOLVE_HOST || rc == CURLE_COULDNT_RESOLVE_PROXY ||
         rc == CURLE_OPERATION_TIMEDOUT || rc == CURLE_SSL_CONNECT_ERROR;
}

std::string next_step(CURLcode rc) {
  switch (rc) {
    case CURLE_COULDNT_CONNECT: return "Check that the server runs and listens there";
    case CURLE_COULDNT_RESOLVE_HOST: return "Check the host in the URL";
    case CURLE_OPERATION_TIMEDOUT: return "Check host, port and firewall, or allow more time to connect";
    case CURLE_UNSUPPORTED_PROTOCOL: return "What listens there does not speak HTTP/1.1: check the port";
    default: return "Look at the server's log";
  }
}

}  // namespace

StreamRecord Transfer::stream_record(CURLcode rc) {
  using wire::StreamEnd;
  const std::string said = bad_data ? data_fault : error_text[0] ? to_valid_utf8(error_text) : curl_easy_strerror(rc);
  StreamEnd end = StreamEnd::unknown;
  std::string detail;
  if (inflate) reader.warn("The server sent a compressed stream although an uncompressed one was asked for");
  switch (stop) {
    case Stop::cancelled: end = StreamEnd::cancelled; break;
    case Stop::idle:
      end = StreamEnd::idle_timeout;
      detail = "limit " + seconds(stream.timeouts.idle);
      break;
    case Stop::total:
      end = StreamEnd::total_timeout;
      detail = "limit " + seconds(stream.timeouts.total);
      break;
    case Stop::linger: reader.warn("The server kept the connection open after [DONE]"); break;
    case Stop::none:
      if (rc == CURLE_OK) {
        end = framed ? StreamEnd::clean : StreamEnd::unknown;
      } else if (never_connected(rc) && times.t0 == 0) {
        end = StreamEnd::no_answer;
        detail = fmt::format("The server at {} cannot be reached: {}. {}", url.server(), said, next_step(rc));
      } else if (rc == CURLE_UNSUPPORTED_PROTOCOL || rc == CURLE_WEIRD_SERVER_REPLY) {
        end = StreamEnd::no_answer;
        detail = fmt::format("{} did not answer with HTTP: {}. {}", url.server(), said, next_step(rc));
      } else {
        end = StreamEnd::cut;
        detail = said;
      }
  }
  StreamRecord r = reader.finish(end, ended ? ended_at : mono_now(), detail);
  r.times.queued = times.queued;
  r.times.connected = times.connected;
  r.times.t0 = times.t0;
  r.times.request_written = times.request_written;
  r.times.header = times.header;
  r.http_status = status;
  if (times.t0 && boot_at_t0)
    if (auto mark = wire::sleep_mark(mono_now() - times.t0, boot_now() - boot_at_t0)) r.warnings.push_back(*std::move(mark));
  if (r.request_id.empty()) r.request_id = to_valid_utf8(request_id);
  if (stop == Stop::linger) r.transport_clean = false;
  if (auto mark = wire::one_piece_mark(r, inflate)) r.warnings.push_back(*std::move(mark));
  if (sends > 1 + redirects)
    r.warnings.push_back("The request was sent again on a fresh connection, because a kept one had been closed");
  if (redirects > 0) r.warnings.push_back("The server redirected the request to " + url.whole);
  if (lag > lag_limit)
    r.warnings.push_back(fmt::format("The client's I/O thread was busy for {:.1f} ms at once: times may be late by as much",
                                     static_cast<double>(lag) * 1e-6));
  return r;
}

Result<HttpAnswer> Transfer::http_answer(CURLcode rc) {
  const std::string said = bad_data ? data_fault : error_text[0] ? to_valid_utf8(error_text) : curl_easy_strerror(rc);
  switch (stop) {
    case Stop::cancelled: return fail(ErrorCode::interrupted, "The request was cancelled", url.whole);
    case Stop::idle:
      return fail(ErrorCode::timeout, "The server went silent", url.whole, "no byte for " + seconds(http.timeouts.idle), "Look at the server's log");
    case Stop::total:
      return fail(ErrorCode::timeout, "The server took too long to answer", url.whole, "limit " + seconds(http.timeouts.total), "Look at the server's log");
    default: break;
  }
  if (rc == CURLE_OPERATION_TIMEDOUT)
    return fail(ErrorCode::timeout, "The server cannot be reached in time", url.server(), said, next_step(rc));
  if (never_connected(rc)) return fail(ErrorCode::io, "The server cannot be reached", url.server(), said, next_step(rc));
  if (rc == CURLE_PARTIAL_FILE || rc == CURLE_RECV_ERROR || rc == CURLE_GOT_NOTHING)
    return fail(ErrorCode::io, "The answer was cut off", url.whole, said, next_step(rc));
  if (rc != CURLE_OK) return fail(ErrorCode::io, "The request failed", url.whole, said, next_step(rc));
  HttpAnswer a;
  a.status = status;
  a.content_type = content_type;
  a.effective_url = url.whole;
  a.body = std::move(body);
  a.sent = times.t0;
  a.received = last_byte;
  a.redirects = redirects;
  a.headers = std::move(answer_headers);
  return a;
}

}  // namespace kvcliff::net
