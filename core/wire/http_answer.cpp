// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/http_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace kvcliff::wire {
namespace {

constexpr std::uint64_t head_limit = 1 << 20;   // bytes of head, or of one chunk-size line
constexpr std::uint64_t body_limit = std::uint64_t{1} << 40;

bool same_word(std::string_view a, std::string_view b) { return a.size() == b.size() && starts_with_ci(a, b); }

/// The last of a comma-separated list: the outermost coding.
std::string_view last_word(std::string_view list) {
  const auto comma = list.rfind(',');
  return trim(comma == std::string_view::npos ? list : list.substr(comma + 1));
}

}  // namespace

bool looks_like_http(std::string_view bytes) { return bytes.starts_with("HTTP/1.") || bytes.starts_with("HTTP/2"); }

bool can_unpack_encoding(std::string_view e) {
  e = trim(e);
  return same_word(e, "gzip") || same_word(e, "x-gzip") || same_word(e, "deflate");
}

bool is_packed_encoding(std::string_view e) {
  e = trim(e);
  return !e.empty() && !same_word(e, "identity");
}

std::optional<std::string_view> HttpHead::header(std::string_view name) const {
  for (const auto& [key, value] : headers)
    if (same_word(key, name)) return value;
  return std::nullopt;
}

void HttpAnswerReader::broken(std::string why) {
  state_ = State::broken;
  fault_ = std::move(why);
}

std::string HttpAnswerReader::fault() const {
  if (!fault_.empty()) return fault_;
  if (state_ == State::head) return "the answer ends inside its head";
  if (state_ != State::body || framing_ == Framing::connection) return {};
  if (framing_ == Framing::length) return fmt::format("{} bytes of the stated Content-Length are missing", left_);
  return "the last chunk is missing";
}

/// Moves bytes into line_ until its end; true with the line (without CR LF) once it is whole.
bool HttpAnswerReader::take_line(std::string_view& bytes, std::string& line) {
  const auto end = bytes.find('\n');
  line_.append(bytes.substr(0, end));
  if (line_.size() > head_limit) {
    broken("a line of the head or of the chunk framing is too long");
    return false;
  }
  if (end == std::string_view::npos) {
    bytes = {};
    return false;
  }
  bytes.remove_prefix(end + 1);
  if (line_.ends_with('\r')) line_.pop_back();
  line.swap(line_);
  line_.clear();
  return true;
}

void HttpAnswerReader::head_line(const std::string& line) {
  head_bytes_ += line.size();
  if (head_bytes_ > head_limit) return broken("the head is too long");
  if (first_line_) {
    if (line.empty()) return;  // blank lines in front are to be ignored
    first_line_ = false;
    const std::string_view text = line;
    const auto space = text.find(' ');
    const auto code = space == std::string_view::npos ? std::nullopt : parse_int(text.substr(space + 1, 3));
    if (!looks_like_http(text) || !code || *code < 100 || *code > 999) return broken("the status line is not HTTP/1");
    head_.version = text.substr(0, space);
    head_.status = static_cast<int>(*code);
    head_.reason = trim(text.substr(std::min(text.size(), space + 4)));
    return;
  }
  if (line.empty()) return end_of_head();
  const auto colon = line.find(':');
  if (colon == std::string::npos || colon == 0) return;  // folded or broken header lines carry nothing we need
  head_.headers.emplace_back(line.substr(0, colon), std::string(trim(std::string_view(line).substr(colon + 1))));
}

void HttpAnswerReader::end_of_head() {
  if (head_.status < 200) {  // 100 Continue and its kind come before the answer
    head_ = HttpHead();
    first_line_ = true;
    return;
  }
  state_ = State::body;
  head_whole_ = true;
  if (const auto coding = head_.header("content-encoding"); coding && is_packed_encoding(*coding)) {
    if (!can_unpack_encoding(*coding)) return broken(fmt::format("the content encoding \"{}\" cannot be unpacked", *coding));
    inflate_ = true;
    inflater_ = std::make_shared<Inflater>();
  }
  if (head_.status == 204 || head_.status == 304) {
    framing_ = Framing::length;
    state_ = State::done;
  } else if (const auto coding = head_.header("transfer-encoding"); coding && same_word(last_word(*coding), "chunked")) {
    framing_ = Framing::chunked;
  } else if (const auto length = head_.header("content-length")) {
    const auto n = parse_int(*length);
    if (!n || *n < 0) return broken("the Content-Length is not a number");
    framing_ = Framing::length;
    left_ = static_cast<std::uint64_t>(*n);
    if (left_ == 0) state_ = State::done;
  } else {
    framing_ = Framing::connection;
  }
}

void HttpAnswerReader::deliver(std::string_view bytes, const ByteSink& body) {
  if (bytes.empty()) return;
  if (!inflate_) return body(bytes);
  if (!inflater_->push(bytes, body)) broken("the compressed body is broken");
}

void HttpAnswerReader::chunked(std::string_view& bytes, const ByteSink& body) {
  std::string line;
  if (chunk_ == Chunk::data) {
    const std::string_view part = bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size())));
    bytes.remove_prefix(part.size());
    left_ -= part.size();
    if (left_ == 0) chunk_ = Chunk::data_end;
    return deliver(part, body);
  }
  if (!take_line(bytes, line)) return;
  if (chunk_ == Chunk::data_end) {
    if (!line.empty()) return broken("a chunk is longer than its stated size");
    chunk_ = Chunk::size;
  } else if (chunk_ == Chunk::size) {
    const std::string_view size = trim(std::string_view(line).substr(0, line.find(';')));
    std::uint64_t n = 0;
    const auto [end, ec] = std::from_chars(size.data(), size.data() + size.size(), n, 16);
    if (size.empty() || ec != std::errc() || end != size.data() + size.size() || n > body_limit)
      return broken("a chunk size is not a hexadecimal number");
    left_ = n;
    chunk_ = n == 0 ? Chunk::trailer : Chunk::data;
  } else if (line.empty()) {
    state_ = State::done;
  }
}

void HttpAnswerReader::push(std::string_view bytes, const ByteSink& body) {
  std::string line;
  while (!bytes.empty()) {
    if (state_ == State::head) {
      if (take_line(bytes, line)) head_line(line);
    } else if (state_ == State::body && framing_ == Framing::chunked) {
      chunked(bytes, body);
    } else if (state_ == State::body && framing_ == Framing::length) {
      const std::string_view part = bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size())));
      bytes.remove_prefix(part.size());
      left_ -= part.size();
      if (left_ == 0) state_ = State::done;
      deliver(part, body);
    } else if (state_ == State::body) {
      deliver(bytes, body);
      return;
    } else {
      extra_ += bytes.size();
      return;
    }
  }
}

}  // namespace kvcliff::wire
