// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace kvcliff::wire {

/// One line of a child's output, for showing and matching. The raw bytes are the capture's own business.
struct OutputLine {
  std::string text;          ///< valid UTF-8 without the line end; at most the limit in bytes, cut between characters
  std::uint64_t bytes = 0;   ///< length as received, without the line end
  bool truncated = false;    ///< longer than the limit; `bytes` says how long
  bool replaced = false;     ///< held bytes that are not UTF-8, now U+FFFD
  bool progress = false;     ///< ended by a bare CR: the next line is written over it on a terminal
  bool partial = false;      ///< the output ended without a line end
};

/// Bytes of one pipe -> lines, however they are cut. LF, CR LF and bare CR end a line; NUL does not. A bare CR in front
/// of a line (progress bars that write "\r 40%") yields no empty line. Memory is bounded by the limit.
class LineSplitter {
 public:
  using Sink = std::function<void(OutputLine)>;
  explicit LineSplitter(std::size_t limit = 64 * 1024) : limit_(limit) {}
  void push(std::string_view bytes, const Sink& sink);
  /// The pipe is closed: gives the last line when it had no line end.
  void finish(const Sink& sink);
  /// Bytes of the line that has no end yet, up to the limit (e.g. a prompt of a hanging child).
  std::string_view pending() const { return held_; }

 private:
  void take(std::string_view part);
  void emit(bool progress, bool partial, const Sink& sink);
  std::size_t limit_;
  std::string held_;
  std::uint64_t length_ = 0;
  bool after_cr_ = false;
};

/// Without terminal colour and cursor codes (ESC [ ... letter, ESC ] ... BEL).
std::string without_ansi(std::string_view text);

}  // namespace kvcliff::wire
