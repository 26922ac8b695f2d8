// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kvcliff::workload {

/// One line of a JSON-lines trace: the fields that traces have, unknown ones checked and passed over. One object is
/// reused for all lines, so that nothing is allocated per line once warm.
struct TraceLine {
  std::optional<double> timestamp;          ///< timestamp, or arrival_time (s), or arrival_time_ns
  std::optional<std::int64_t> input, output, block_size, turn;
  std::optional<std::int64_t> chat, parent_chat;
  bool has_hashes = false, has_tokens = false, has_sizes = false;
  bool seconds = false;                     ///< the timestamp is in seconds
  bool nanoseconds = false;
  bool servingsim = false;                  ///< input_toks was there
  std::vector<std::uint64_t> hashes;        ///< hash_ids; words by their 64-bit hash
  std::vector<std::int64_t> tokens;         ///< input_tok_ids
  std::vector<std::int64_t> sizes;          ///< block_tokens

  /// Reads one line (no line end). False: `fault` says what is wrong and at which column (from 1).
  bool read(std::string_view line, std::string& fault);
};

}  // namespace kvcliff::workload
