// SPDX-License-Identifier: GPL-3.0-or-later
#include "net/transfer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/boot_clock.h"
#include "base/text.h"
#include "net/io_loop.h"

namespace kvcliff::net {
namespace {

constexpr MonoNs linger_ns = 2'000'000'000;  // after [DONE] the connection may stay open this long
// Bytes of one stream that wait to be parsed, at most. Above it the stream comes in bulk, and waiting would only cost memory.
constexpr std::size_t set_aside_limit = 8 << 10;
constexpr long smallest_upload = 64 << 10, largest_upload = 2 << 20;  // bytes; curl's own bounds of its send buffer
constexpr std::size_t http_body_limit = std::size_t{256} << 20;

template <class T>
void set(CURL* easy, CURLoption option, T value) {
  curl_easy_setopt(easy, option, value);
}

bool same_word(std::string_view a, std::string_view b) { return a.size() == b.size() && starts_with_ci(a, b); }
MonoNs ns(std::chrono::milliseconds d) { return std::chrono::duration_cast<std::chrono::nanoseconds>(d).count(); }

}  // namespace

Transfer::Transfer(IoLoop& owner, wire::JsonScratch& scratch) : loop(owner), easy(curl_easy_init()), reader(scratch) {
  set(easy, CURLOPT_PRIVATE, this);
  set(easy, CURLOPT_NOSIGNAL, 1L);
  set(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));  // no upgrade is ever offered
  set(easy, CURLOPT_FOLLOWLOCATION, 0L);  // redirects are judged here first
  set(easy, CURLOPT_USERAGENT, "kvcliff/0.1");
  set(easy, CURLOPT_ERRORBUFFER, error_text);
  set(easy, CURLOPT_WRITEFUNCTION, &Transfer::write_cb);
  set(easy, CURLOPT_WRITEDATA, this);
  set(easy, CURLOPT_HEADERFUNCTION, &Transfer::header_cb);
  set(easy, CURLOPT_HEADERDATA, this);
  set(easy, CURLOPT_PREREQFUNCTION, &Transfer::prereq_cb);
  set(easy, CURLOPT_PREREQDATA, this);
  set(easy, CURLOPT_OPENSOCKETFUNCTION, &Transfer::open_cb);
  set(easy, CURLOPT_OPENSOCKETDATA, this);
  set(easy, CURLOPT_SOCKOPTFUNCTION, &Transfer::sockopt_cb);
  set(easy, CURLOPT_SOCKOPTDATA, this);
  set(easy, CURLOPT_CLOSESOCKETFUNCTION, &IoLoop::close_cb);
  set(easy, CURLOPT_CLOSESOCKETDATA, &owner);
  set(easy, CURLOPT_BUFFERSIZE, 65536L);
}

Transfer::~Transfer() {
  curl_easy_cleanup(easy);
  curl_slist_free_all(headers);
}

void Transfer::clear() {
  stream = StreamRequest();
  http = HttpRequest();
  stream_done = nullptr;
  http_done = nullptr;
  active = inflate = bad_data = framed = ended = false;
  result = CURLE_OK;
  set_aside_.clear();
  pieces_.clear();
  data_fault.clear();
  status = sends = redirects = 0;
  content_type.clear();
  location.clear();
  request_id.clear();
  answer_headers.clear();
  body = std::string();
  times = StreamTimes();
  last_byte = done_at = lag = boot_at_t0 = ended_at = 0;
  stop = Stop::none;
  spare_fd = -1;
  error_text[0] = '\0';
}

void Transfer::build_headers() {
  const auto& own = kind == Kind::stream ? stream.headers : http.headers;
  const int fixed = !own.empty() ? -1 : kind == Kind::stream ? 0 : http.body.empty() ? 1 : 2;
  if (fixed >= 0 && fixed == header_kind_) return;  // the same lines as last time
  header_kind_ = fixed;
  set(easy, CURLOPT_HTTPHEADER, static_cast<curl_slist*>(nullptr));
  curl_slist_free_all(headers);
  headers = nullptr;
  const auto given = [&](std::string_view name) {
    return std::any_of(own.begin(), own.end(), [&](const auto& h) { return same_word(h.first, name); });
  };
  const auto add = [&](const std::string& line) { headers = curl_slist_append(headers, line.c_str()); };
  const bool with_body = kind == Kind::stream || !http.body.empty();
  if (with_body && !given("Content-Type")) add("Content-Type: application/json");
  if (!given("Accept")) add(kind == Kind::stream ? "Accept: text/event-stream" : "Accept: */*");
  if (!given("Accept-Encoding")) add("Accept-Encoding: identity");
  if (!given("Expect")) add("Expect:");  // no wait for "100 Continue" before a large prompt
  for (const auto& [name, value] : own) add(value.empty() ? name + ";" : name + ": " + value);
  set(easy, CURLOPT_HTTPHEADER, headers);
}

Result<void> Transfer::prepare() {
  const std::string& text = kind == Kind::stream ? stream.url : http.url;
  const auto& own = kind == Kind::stream ? stream.headers : http.headers;
  const Timeouts& limits = kind == Kind::stream ? stream.timeouts : http.timeouts;
  for (const auto& [name, value] : own)
    if (name.empty() || (name + value).find_first_of("\r\n") != std::string::npos)
      return fail(ErrorCode::bad_usage, "A header cannot be sent", name, "It has no name or holds a line end");
  if (url_text_.empty() || text != url_text_) {
    auto parsed = parse_url(text);
    if (!parsed) return fail(parsed.error());
    url = *std::move(parsed);
    url_text_ = text;
    set(easy, CURLOPT_URL, url.whole.c_str());
    // Loopback never goes through a proxy; elsewhere the environment decides.
    set(easy, CURLOPT_PROXY, url.loopback() ? "" : static_cast<const char*>(nullptr));
  }
  build_headers();
  set(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(limits.connect.count()));
  const std::string& out = kind == Kind::stream ? stream.body : http.body;
  const std::string method = kind == Kind::stream ? "POST" : http.method;
  set(easy, CURLOPT_CUSTOMREQUEST, static_cast<const char*>(nullptr));
  set(easy, CURLOPT_NOBODY, 0L);
  if (method == "POST" || !out.empty()) {
    set(easy, CURLOPT_POST, 1L);
    set(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(out.size()));
    set(easy, CURLOPT_POSTFIELDS, out.data());  // not copied: lives in the request
    // A long prompt goes to the kernel whole, not in parts between which other streams are served.
    set(easy, CURLOPT_UPLOAD_BUFFERSIZE, std::clamp(static_cast<long>(out.size()), smallest_upload, largest_upload));
    if (method != "POST") set(easy, CURLOPT_CUSTOMREQUEST, method.c_str());
  } else {
    set(easy, CURLOPT_HTTPGET, 1L);
    if (method == "HEAD") set(easy, CURLOPT_NOBODY, 1L);
    else if (method != "GET") set(easy, CURLOPT_CUSTOMREQUEST, method.c_str());
  }
  inflater.reset();
  wire::OpenAiStream::Options options;
  options.expect_token_ids = stream.expect_token_ids;
  options.keep_raw = stream.keep_raw;
  options.hooks = loop.observer().event || loop.observer().text ? this : nullptr;
  if (kind == Kind::stream) reader.begin(options);
  return {};
}

void Transfer::redo(const Url& next) {
  ++redirects;
  url = next;
  url_text_.clear();
  set(easy, CURLOPT_URL, url.whole.c_str());
  location.clear();
  content_type.clear();
  answer_headers.clear();
  body.clear();
  set_aside_.clear();  // of the redirect's own page
  pieces_.clear();
  ended = false;
  status = 0;
  framed = inflate = false;
  inflater.reset();
  wire::OpenAiStream::Options options;
  options.expect_token_ids = stream.expect_token_ids;
  options.keep_raw = stream.keep_raw;
  options.hooks = loop.observer().event || loop.observer().text ? this : nullptr;
  if (kind == Kind::stream) reader.begin(options);
}

bool Transfer::redirected() const {
  if (location.empty()) return false;
  if (status == 307 || status == 308) return true;
  // Others turn a POST into a GET, which would no longer be our request.
  return kind == Kind::http && (http.method == "GET" || http.method == "HEAD") && status >= 301 && status <= 303;
}

MonoNs Transfer::look_at(MonoNs now) const {
  const Timeouts& limits = kind == Kind::stream ? stream.timeouts : http.timeouts;
  MonoNs at = 0;
  const auto earlier = [&](MonoNs t) { at = at == 0 ? t : std::min(at, t); };
  if (limits.total.count() > 0) earlier((times.t0 ? times.t0 : times.queued) + ns(limits.total));
  // Before the request is out there is no silence to measure (connecting has its own limit): look again later.
  if (limits.idle.count() > 0) earlier((times.t0 ? std::max({times.t0, times.request_written, last_byte}) : now) + ns(limits.idle));
  if (done_at) earlier(done_at + linger_ns);
  return at;
}

Transfer::Stop Transfer::due(MonoNs now) const {
  const Timeouts& limits = kind == Kind::stream ? stream.timeouts : http.timeouts;
  if (done_at && done_at + linger_ns <= now) return Stop::linger;
  if (limits.total.count() > 0 && (times.t0 ? times.t0 : times.queued) + ns(limits.total) <= now) return Stop::total;
  if (limits.idle.count() > 0 && times.t0 && std::max({times.t0, times.request_written, last_byte}) + ns(limits.idle) <= now)
    return Stop::idle;
  return Stop::none;
}

void Transfer::on_event(const StreamEvent& event) {
  if (loop.observer().event) loop.observer().event(id, event);
}
void Transfer::on_text(std::string_view text) {
  if (loop.observer().text) loop.observer().text(id, text);
}

void Transfer::take(std::string_view bytes, MonoNs at) {
  if (kind == Kind::stream) {
    reader.body(bytes, at);
    if (done_at == 0 && reader.saw_done()) {
      done_at = at;
      loop.linger(*this);
    }
  } else if (body.size() + bytes.size() > http_body_limit) {
    bad_data = true;
    data_fault = "the answer is larger than 256 MiB";
  } else {
    body.append(bytes);
  }
}

void Transfer::unpack(std::string_view bytes, MonoNs at) {
  if (!inflate) {
    take(bytes, at);
  } else if (!inflater.push(bytes, [this, at](std::string_view b) { take(b, at); })) {
    bad_data = true;
    data_fault = "the compressed body is broken";
  }
}

void Transfer::parse_set_aside() {
  std::string_view left = set_aside_;
  for (const Piece& p : pieces_) {
    if (!bad_data) unpack(left.substr(0, p.bytes), p.at);
    left.remove_prefix(p.bytes);
  }
  set_aside_.clear();
  pieces_.clear();
}

std::size_t Transfer::write_cb(char* data, std::size_t size, std::size_t n, void* self) {
  Transfer& t = *static_cast<Transfer*>(self);
  const MonoNs at = t.loop.read_time();  // before anything looks at the bytes
  t.last_byte = at;
  const std::string_view bytes(data, size * n);
  if (t.kind == Kind::http) {
    t.unpack(bytes, at);
  } else {
    // Reading comes first: other streams' bytes may lie ready, and their times must not wait for this one to be parsed.
    t.set_aside_.append(bytes);
    if (t.pieces_.empty() || t.pieces_.back().at != at) t.pieces_.push_back({at, 0});
    t.pieces_.back().bytes += bytes.size();
    if (t.set_aside_.size() > set_aside_limit)
      t.parse_set_aside();
    else
      t.loop.later(t);
  }
  return t.bad_data ? 0 : bytes.size();
}

std::size_t Transfer::header_cb(char* data, std::size_t size, std::size_t n, void* self) {
  Transfer& t = *static_cast<Transfer*>(self);
  t.header_line({data, size * n});
  return t.bad_data ? 0 : size * n;
}

void Transfer::header_line(std::string_view line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  if (line.starts_with("HTTP/")) {
    // curl says that it only waits to read after it has already read: an answer that comes at once is seen first. It
    // proves that the request was written, so this moment bounds that time from above.
    if (times.t0 != 0 && times.request_written == 0) times.request_written = mono_now();
    const auto space = line.find(' ');
    status = space == std::string_view::npos ? 0 : static_cast<int>(parse_int(line.substr(space + 1, 3)).value_or(0));
    content_type.clear();
    location.clear();
    answer_headers.clear();
    framed = inflate = false;
    return;
  }
  if (line.empty()) {
    last_byte = mono_now();
    if (status < 200) return;
    times.header = last_byte;
    if (kind == Kind::stream) reader.status(status, content_type);
    return;
  }
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string_view name = line.substr(0, colon), value = trim(line.substr(colon + 1));
  if (same_word(name, "content-type")) content_type = value;
  else if (same_word(name, "location")) location = value;
  else if (same_word(name, "x-request-id")) request_id = value;
  else if (same_word(name, "content-length")) framed = true;
  else if (same_word(name, "transfer-encoding")) framed = framed || value.ends_with("chunked");
  else if (same_word(name, "content-encoding") && wire::is_packed_encoding(value)) {
    inflate = wire::can_unpack_encoding(value);
    bad_data = !inflate;
    if (bad_data) data_fault = fmt::format("the content encoding \"{}\" cannot be unpacked", to_valid_utf8(value));
  }
  if (kind == Kind::http) answer_headers.emplace_back(name, value);
}

int Transfer::prereq_cb(void* self, char*, char*, int, int) {
  // curl calls this with the connection up and just before it writes the request to it.
  Transfer& t = *static_cast<Transfer*>(self);
  ++t.sends;
  t.times.request_written = t.times.header = 0;
  t.boot_at_t0 = boot_now();
  t.times.t0 = mono_now();
  t.times.connected = t.times.t0;
  return CURL_PREREQFUNC_OK;
}

curl_socket_t Transfer::open_cb(void* self, curlsocktype, curl_sockaddr* address) {
  Transfer& t = *static_cast<Transfer*>(self);
  int fd = t.loop.spares().take(&address->addr, static_cast<socklen_t>(address->addrlen));
  t.spare_fd = fd;
  if (fd < 0) fd = ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  if (fd >= 0) t.loop.opened(fd);
  return fd < 0 ? CURL_SOCKET_BAD : fd;
}

int Transfer::sockopt_cb(void* self, curl_socket_t fd, curlsocktype) {
  return static_cast<Transfer*>(self)->spare_fd == fd ? CURL_SOCKOPT_ALREADY_CONNECTED : CURL_SOCKOPT_OK;
}

}  // namespace kvcliff::net
