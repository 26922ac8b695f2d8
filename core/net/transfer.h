// SPDX-License-Identifier: GPL-3.0-or-later
// Private to net: one request on its way. Objects are pooled; all members belong to the I/O thread.
#pragma once
#include <curl/curl.h>

#include <functional>
#include <string>
#include <vector>

#include "net/client.h"
#include "net/url.h"
#include "wire/http_answer.h"
#include "wire/openai_stream.h"

namespace kvcliff::net {

class IoLoop;

struct Transfer final : public wire::StreamHooks {
  enum class Kind { stream, http };
  enum class Stop { none, idle, total, cancelled, linger };

  Transfer(IoLoop& owner, wire::JsonScratch& scratch);
  ~Transfer() override;
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  /// Makes the handle ready for curl. Errors: bad_usage (URL).
  Result<void> prepare();
  /// The same request again at a place a redirect named.
  void redo(const Url& next);
  void clear();
  /// When this transfer must be looked at again, by its own limits; 0 = never.
  MonoNs look_at(MonoNs now) const;
  /// Parses the bytes that were read and set aside. Sets bad_data where they cannot be unpacked.
  void parse_set_aside();
  /// When the oldest of them was read; 0 = there are none.
  MonoNs set_aside_since() const { return pieces_.empty() ? 0 : pieces_.front().at; }
  /// The limit that has passed.
  Stop due(MonoNs now) const;
  StreamRecord stream_record(CURLcode rc);
  Result<HttpAnswer> http_answer(CURLcode rc);
  /// The answer is a redirect that may be followed by this method.
  bool redirected() const;

  void on_event(const StreamEvent& event) override;
  void on_text(std::string_view text) override;

  IoLoop& loop;
  CURL* easy = nullptr;
  curl_slist* headers = nullptr;
  char error_text[CURL_ERROR_SIZE] = {};

  RequestId id = 0;
  Kind kind = Kind::stream;
  bool active = false;
  StreamRequest stream;
  HttpRequest http;
  std::function<void(RequestId, StreamRecord)> stream_done;
  std::function<void(Result<HttpAnswer>)> http_done;
  Url url;

  wire::OpenAiStream reader;
  wire::Inflater inflater;
  bool inflate = false;
  bool bad_data = false;
  std::string data_fault;

  // the answer
  int status = 0;
  std::string content_type, location, request_id;
  std::vector<std::pair<std::string, std::string>> answer_headers;  // plain requests only
  bool framed = false;          // chunked or with Content-Length: its end is known
  std::string body;             // plain requests only

  // times
  StreamTimes times;
  MonoNs last_byte = 0, done_at = 0;
  MonoNs heap_at = 0;           // time of this slot's entry in the loop's list of deadlines
  Stop stop = Stop::none;
  MonoNs boot_at_t0 = 0;        // the clock that goes on while the machine sleeps
  MonoNs lag = 0;               // longest turn of the I/O thread while this ran
  int sends = 0;                // how often the request went out (curl repeats on a connection that was just closed)
  int redirects = 0;
  int spare_fd = -1;

  // the loop's: what is left to do for this slot once nothing more is to be read
  bool queued = false;          // it is in the loop's list; outlives the request
  Transfer* next_later = nullptr;  // in that list
  bool ended = false;           // curl is through with it
  CURLcode result = CURLE_OK;   // how, once it ended
  MonoNs ended_at = 0;          // when, once it ended

 private:
  struct Piece {
    MonoNs at;           // when these bytes were read
    std::size_t bytes;
  };
  std::string url_text_;     // the text `url` and the handle were set from
  std::string set_aside_;    // read, not yet parsed, in the lengths and with the times of pieces_
  std::vector<Piece> pieces_;
  int header_kind_ = -1;     // which fixed set `headers` is; -1 = with the caller's own
  void build_headers();
  static std::size_t write_cb(char* data, std::size_t size, std::size_t n, void* self);
  static std::size_t header_cb(char* data, std::size_t size, std::size_t n, void* self);
  static int prereq_cb(void* self, char*, char*, int, int);
  static curl_socket_t open_cb(void* self, curlsocktype purpose, curl_sockaddr* address);
  static int sockopt_cb(void* self, curl_socket_t fd, curlsocktype purpose);
  void header_line(std::string_view line);
  void unpack(std::string_view bytes, MonoNs at);
  void take(std::string_view bytes, MonoNs at);
};

}  // namespace kvcliff::net
