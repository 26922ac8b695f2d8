// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace kvcliff::wire {

/// One dispatched event. The views live only during the call.
struct SseFrame {
  std::string_view data;    ///< the data lines joined by LF; never empty
  std::string_view event;   ///< name of the event; empty = "message"
  std::uint32_t bytes = 0;  ///< length on the wire, line ends included
};

class SseSink {
 public:
  virtual ~SseSink() = default;
  virtual void on_frame(const SseFrame& frame) = 0;
  /// A line that begins with a colon (keep-alive).
  virtual void on_comment(std::uint32_t bytes) = 0;
  /// A line longer than the limit: its event was dropped.
  virtual void on_overlong(std::uint64_t bytes) = 0;
};

/// Incremental reader of text/event-stream (WHATWG HTML, section 9.2): lines end in LF, CR or CR LF; one byte order
/// mark at the start is dropped; at most one blank after the colon is dropped; an event without data is none. Cuts may
/// fall anywhere: work is on bytes, so a character or escape is never split. Nothing is allocated per event once the
/// buffers have grown: an event that lies whole in one piece is not even copied. One field more than the rules know is
/// read: "error: text" (llama.cpp up to autumn 2025) is an event named "error" with that text as its data.
class SseParser {
 public:
  explicit SseParser(std::size_t max_event_bytes = std::size_t{64} << 20) : limit_(max_event_bytes) {}
  void reset();
  void push(std::string_view bytes, SseSink& sink);

  /// The body has ended. The rules drop an event that has no blank line after it. With `whole_lines` an event whose
  /// lines all have their ends is given all the same (servers that end with "data: [DONE]" and one LF); returns true
  /// when that happened.
  bool finish(bool whole_lines, SseSink& sink);
  /// Bytes since the last blank line: not zero at the end of a stream that was cut inside an event.
  std::uint64_t pending_bytes() const { return frame_bytes_ + partial_.size(); }
  std::string_view pending_line() const { return partial_; }
  std::string_view last_event_id() const { return id_; }

 private:
  void line(std::string_view text, std::uint32_t bytes, SseSink& sink);
  void dispatch(SseSink& sink);
  void field(std::string_view name, std::string_view value);
  void own_data();

  std::size_t limit_;
  std::string partial_;      // bytes of the line that has no end yet
  std::string_view single_;  // the only data line so far, in the piece being read
  std::string data_;         // data lines once they must be kept or joined
  std::string event_;
  std::string id_;
  std::uint64_t frame_bytes_ = 0;
  std::uint64_t overlong_ = 0;  // > 0: skipping the rest of a line that is too long
  bool has_single_ = false;
  bool has_data_ = false;       // data_ is in use
  bool after_cr_ = false;
  bool drop_event_ = false;     // the event lost a line
  std::uint8_t bom_ = 0;        // bytes of the mark matched; 3 = past it
};

}  // namespace kvcliff::wire
