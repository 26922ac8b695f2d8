// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "record/stream.h"
#include "wire/event_template.h"
#include "wire/sse.h"

namespace kvcliff::wire {

/// How the bytes of an answer came to their end.
enum class StreamEnd {
  clean,          ///< known to be whole: last chunk, or full Content-Length
  cut,            ///< the connection ended before that
  unknown,        ///< a body without framing (a bare file, an answer that ends with the connection)
  idle_timeout,
  total_timeout,
  cancelled,
  no_answer,      ///< no connection, or none that answered
};

/// Buffers and parser for the JSON of events; one per thread, shared by its streams.
class JsonScratch {
 public:
  JsonScratch();
  ~JsonScratch();
  JsonScratch(const JsonScratch&) = delete;
  JsonScratch& operator=(const JsonScratch&) = delete;

 private:
  friend class OpenAiStream;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Sees events while a stream runs. Must not block.
class StreamHooks {
 public:
  virtual ~StreamHooks() = default;
  virtual void on_event(const StreamEvent& event) = 0;
  virtual void on_text(std::string_view text) = 0;
};

/// The body of one streamed answer (vLLM, OpenAI, SGLang, llama.cpp dialects) -> a StreamRecord. The caller takes the
/// time before it hands the bytes over. An object is reused for many streams: begin, [status], body..., finish.
///
/// First token: the first event that holds a non-empty token, by token ids where the server returns them, else by
/// content, reasoning text or a tool call. Role-only events, empty deltas, usage and comments never are one.
class OpenAiStream final : private SseSink {
 public:
  explicit OpenAiStream(JsonScratch& scratch);

  struct Options {
    bool expect_token_ids = false;
    bool keep_raw = false;
    StreamHooks* hooks = nullptr;
  };
  void begin(Options options);
  void begin() { begin(Options{}); }
  /// Status line seen. With a status other than 2xx, or a JSON content type, the body is kept as an error text.
  void status(int code, std::string_view content_type);
  void body(std::string_view bytes, MonoNs at);
  bool saw_done() const { return record_.saw_done; }
  /// The record, with outcome and reason. Times that only the transport knows (t0, header, ...) are the caller's to set.
  /// `detail`: what the transport said about the end, for the reason.
  StreamRecord finish(StreamEnd end, MonoNs at, const std::string& detail = {});
  void warn(std::string text) { record_.warnings.push_back(std::move(text)); }
  /// Frames that were JSON but no object (null, a number, a list): skipped.
  int odd_frames() const { return odd_frames_; }

 private:
  struct Choice {
    std::int64_t index = 0;
    bool finished = false;
  };
  struct Piece;  // what one event held
  void on_frame(const SseFrame& frame) override;
  void on_comment(std::uint32_t bytes) override;
  void on_overlong(std::uint64_t bytes) override;
  void add(EventKind kind, std::uint32_t bytes, std::uint16_t tokens);
  bool quick_token(const SseFrame& frame);
  void read_object(const void* element, Piece& piece);
  void read_choice(const void* element, Piece& piece);
  void read_usage(const void* element);
  void read_meta(const void* element);
  static void read_tiers(const void* element, Usage& usage);
  std::string usage_text();
  void read_error(const void* element);
  void read_error_words(std::string_view text);
  /// Null, false, 0, empty, or made of nothing else: what some servers send as "error" with every good event.
  static bool says_nothing(const void* element);
  /// An object without choices and usage has the shape of an error: an empty "error", FastAPI's "detail", or a message
  /// with a code, a param or a type that says so.
  static bool is_bare_error(const void* element);
  void read_error_body(StreamRecord& record);
  void judge(StreamRecord& record, StreamEnd end, const std::string& detail) const;

  JsonScratch& scratch_;
  Options options_;
  SseParser parser_;
  StreamRecord record_;                // everything but the growing parts below, which keep their capacity
  std::vector<StreamEvent> events_;
  std::vector<std::int32_t> ids_;
  std::string text_, reasoning_, raw_;
  std::string usage_frame_;            // the last event with usage, whole; its usage is printed once, at the end
  std::string native_text_;            // SGLang's own endpoint sends the whole text each time
  std::vector<Choice> choices_;
  EventTemplate template_;
  std::string first_parse_error_;
  MonoNs now_ = 0;
  std::uint64_t body_bytes_ = 0;
  int odd_frames_ = 0;
  int repaired_ = 0;
  int negative_cached_ = 0;
  bool body_is_error_ = false;
  bool json_body_ = false;
  bool after_done_ = false;
  bool error_event_ = false;
  bool failed_ = false;                // a finish reason "error"
};

/// `{"message": ...}` shapes of error bodies -> message and code; the text itself when it is no JSON.
struct ErrorText {
  std::string message;
  int code = 0;
  bool valid_json = false;
};
ErrorText read_error_text(std::string_view body);

/// JSON as servers send it though they must not: bytes that are not UTF-8, lone surrogate escapes, NaN and Infinity.
/// Each becomes U+FFFD or null.
std::string repair_json(std::string_view text);

}  // namespace kvcliff::wire
