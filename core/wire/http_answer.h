// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kvcliff::wire {

using ByteSink = std::function<void(std::string_view)>;

/// Unpacks gzip (of any number of members) or zlib data as it comes: what a piece holds is given at once.
class Inflater {
 public:
  Inflater();
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  void reset();
  /// False when the data is broken; nothing more comes then. `limit` bounds the whole output (bytes).
  bool push(std::string_view bytes, const ByteSink& sink, std::uint64_t limit = std::uint64_t{1} << 32);
  /// The compressed data came to its own end.
  bool ended() const;

 private:
  bool next_member(std::string_view& bytes);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// "gzip", "x-gzip" and "deflate" can be unpacked; "" and "identity" need not.
bool is_packed_encoding(std::string_view content_encoding);
bool can_unpack_encoding(std::string_view content_encoding);

struct HttpHead {
  int status = 0;
  std::string version;                                        ///< "HTTP/1.1"
  std::string reason;
  std::vector<std::pair<std::string, std::string>> headers;   ///< as sent, in order
  /// The first header of that name, any case.
  std::optional<std::string_view> header(std::string_view name) const;
};

/// A raw HTTP/1.x answer, head and body framing included, however it is cut. Lines may end in CR LF or LF. Chunked,
/// Content-Length and connection-delimited bodies; gzip and deflate are unpacked step by step. 1xx heads are skipped.
class HttpAnswerReader {
 public:
  enum class State { head, body, done, broken };
  /// How the body is delimited.
  enum class Framing { none, chunked, length, connection };

  void push(std::string_view bytes, const ByteSink& body);
  State state() const { return state_; }
  Framing framing() const { return framing_; }
  const HttpHead& head() const { return head_; }
  /// The head is whole, whatever became of the body.
  bool head_done() const { return head_whole_; }
  /// The last chunk or the full Content-Length was seen.
  bool whole() const { return state_ == State::done; }
  bool compressed() const { return inflate_; }
  /// The body is not compressed, or its compressed data came to their own end.
  bool unpacked_whole() const { return !inflater_ || inflater_->ended(); }
  /// What is wrong (broken), or missing at the end (cut); empty when whole.
  std::string fault() const;
  /// Bytes after the end of the answer.
  std::uint64_t extra_bytes() const { return extra_; }

 private:
  enum class Chunk { size, data, data_end, trailer };
  bool take_line(std::string_view& bytes, std::string& line);
  void head_line(const std::string& line);
  void end_of_head();
  void chunked(std::string_view& bytes, const ByteSink& body);
  void deliver(std::string_view bytes, const ByteSink& body);
  void broken(std::string why);

  State state_ = State::head;
  Framing framing_ = Framing::none;
  Chunk chunk_ = Chunk::size;
  HttpHead head_;
  std::string line_, fault_;
  std::uint64_t left_ = 0;   // bytes of the chunk or body still to come
  std::uint64_t extra_ = 0;
  std::uint64_t head_bytes_ = 0;
  bool first_line_ = true;
  bool head_whole_ = false;
  bool inflate_ = false;
  std::shared_ptr<Inflater> inflater_;
};

/// The bytes begin like an HTTP answer.
bool looks_like_http(std::string_view bytes);

}  // namespace kvcliff::wire
