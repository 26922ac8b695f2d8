// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ostream>
#include <streambuf>
#include <string_view>

#include "base/printable.h"

namespace kvcliff::cli {

/// Lets words through to another stream, less what could steer a terminal (base/printable.h).
class PrintableBuffer final : public std::streambuf {
 public:
  explicit PrintableBuffer(std::ostream& to) : to_(to) {}
  /// As it is; false when the stream behind takes no more.
  bool pass(std::string_view text);

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* s, std::streamsize n) override;
  int sync() override;

 private:
  std::ostream& to_;
  PrintableFilter filter_;
};

/// A stream of words to a terminal or a file.
class PrintableStream final : public std::ostream {
 public:
  explicit PrintableStream(std::ostream& to) : std::ostream(nullptr), buffer_(to) { rdbuf(&buffer_); }
  ~PrintableStream() override { buffer_.pubsync(); }
  PrintableStream(const PrintableStream&) = delete;
  PrintableStream& operator=(const PrintableStream&) = delete;

  /// As it is: JSON, which has escapes of its own, and the program's own cursor movements.
  void raw(std::string_view text);

 private:
  PrintableBuffer buffer_;
};

/// Writes `text` as it is where `out` is a PrintableStream, and as any text elsewhere.
void write_raw(std::ostream& out, std::string_view text);

}  // namespace kvcliff::cli
