// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kvcliff {

/// A text in pieces of whole lines, so that a file of any length is read in bounded memory. gzip and zstd are unpacked on
/// the way; a byte order mark at the start is left out. A line longer than a piece makes that piece longer.
class TextBlocks {
 public:
  static constexpr std::size_t piece = std::size_t{1} << 18;         ///< bytes; stays in a core's second cache
  static constexpr std::size_t head_size = std::size_t{1} << 22;     ///< bytes that head() looks at
  static constexpr std::size_t longest_line = std::size_t{1} << 30;  ///< bytes; more is no text

  /// Errors: not_found, io, bad_usage (a folder).
  static Result<TextBlocks> open(const std::filesystem::path& path);
  /// `text` must outlive the object.
  static TextBlocks of(std::string_view text);
  TextBlocks(TextBlocks&&) noexcept;
  TextBlocks& operator=(TextBlocks&&) noexcept;
  ~TextBlocks();

  /// The first lines, up to head_size, without taking them. Call it before next. Errors: as next.
  Result<std::string_view> head();
  /// The next lines; of the last one in the file the line end may be missing. Empty: the end. The view is into `buffer`,
  /// or into the text in memory. Errors: io, corrupt (packed data), bad_usage (a line too long).
  Result<std::string_view> next(std::string& buffer);
  /// Bytes of the text: as counted, or the file's size where it is not packed; 0 = not known.
  std::size_t size_hint() const { return size_hint_; }

 private:
  struct Bytes;
  TextBlocks();
  Result<void> fill(std::string& to, std::size_t wanted);

  std::string_view memory_;          // what is left of a text in memory
  std::unique_ptr<Bytes> bytes_;     // of a file; nullptr: memory
  std::string pending_;              // read and not handed out, from taken_ on
  std::size_t taken_ = 0;
  bool ended_ = false;
  std::string where_;
  std::size_t size_hint_ = 0;
};

}  // namespace kvcliff
