// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kvcliff::workload {
class LineScanner;

/// One line of a JSON-lines trace: the fields that traces have, unknown ones checked and passed over. One object is
/// reused for all lines, so that nothing is allocated per line once warm.
class TraceLine {
 public:
  std::optional<double> timestamp;          ///< timestamp, or arrival_time (s), or arrival_time_ns
  std::optional<std::int64_t> input, output, block_size, turn;
  std::optional<std::int64_t> chat, parent_chat;
  bool has_hashes = false, has_tokens = false, has_sizes = false;
  bool seconds = false;                     ///< the timestamp is in seconds
  bool nanoseconds = false;
  bool servingsim = false;                  ///< input_toks was there
  std::vector<std::int64_t> tokens;         ///< input_tok_ids
  std::vector<std::int64_t> sizes;          ///< block_tokens

  /// Reads one line (no line end). False: `fault` says what is wrong and at which column (from 1).
  bool read(std::string_view line, std::string& fault);
  /// hash_ids; words by their 64-bit hash. Valid until the next read.
  std::span<const std::uint64_t> hashes() const { return {ids_.data(), count_}; }

  enum class Field { other, hashes, input, input_toks, output, timestamp, seconds, nanoseconds, block_size, sizes, tokens, chat, parent_chat, turn };

 private:
  struct Piece {
    Field field = Field::other;
    std::size_t from = 0, length = 0;       // of what stands before the value, in frame_
    std::size_t key = 0, key_length = 0;    // the key in it
  };
  bool value(LineScanner& s, Field field, std::string_view key, std::string& fault);
  bool read_like_before(std::string_view line, std::string& fault);
  void clear();

  std::vector<std::uint64_t> ids_;          // of hash_ids, the first count_
  std::size_t count_ = 0;
  std::vector<Piece> pieces_;               // of the line before; none when it was not read
  std::string frame_;
  std::size_t frame_end_ = 0;               // where what follows the last value begins in frame_
};

}  // namespace kvcliff::workload
