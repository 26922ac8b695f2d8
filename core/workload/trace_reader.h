// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_blocks.h"
#include "workload/trace.h"

namespace kvcliff::workload {

/// A prompt longer than this is taken for a damaged line: no model has such a context.
inline constexpr std::int64_t longest_prompt = std::int64_t{1} << 27;

/// One usable line of a trace, as its format's reader gives it.
struct TraceItem {
  TraceRequest request;                              ///< without ids and conversation
  std::optional<std::int64_t> chat, parent_chat;     ///< as the file numbers them
  std::string_view session;                          ///< name of the session; empty: none
  bool lengths_only = false;                         ///< which blocks are shared follows from the prefix model
  std::span<const std::uint64_t> raws;               ///< ids of the blocks, else
};

/// Where the readers put what they read.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  /// Before the first line. `ids`: how many ids may come, by the size of the file; 0 = not known.
  virtual void begin(TraceFormat format, std::int64_t block_tokens, std::size_t ids) = 0;
  virtual void fault(std::size_t line, std::string why) = 0;
  /// False: no more is wanted.
  virtual bool add(const TraceItem& item) = 0;
};

/// Bad lines, counted; the first ones with their reason.
struct TraceFaults {
  explicit TraceFaults(const TraceOptions& o) : options(&o) {}
  void add(std::size_t line, std::string why);
  /// The error that names them, when they are not to be skipped or nothing is left. `requests`: usable ones.
  std::optional<Error> error(std::size_t requests, const std::string& where, const std::string& hint) const;

  const TraceOptions* options;
  std::vector<TraceFault> first;
  std::size_t count = 0;
};

/// Reads every line into `sink`. Returns a hint for whoever meets bad lines; may be empty. Errors: those of TextBlocks,
/// bad_usage (no known format, a block size out of range).
Result<std::string> read_lines(TextBlocks& blocks, const std::string& where, const TraceOptions& options, TraceSink& sink);

/// Why ids of `from` tokens cannot be had as blocks of `size`.
Error cannot_cut(std::int64_t from, std::int64_t size);

/// Calls `each(line, number)` for every line that is not blank, until it returns false. Line ends are \n or \r\n. Returns
/// the number of lines, blank ones included.
template <class Each>
std::size_t for_lines(std::string_view text, Each each) {
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t found = text.find('\n', begin);
    const std::size_t end = found == std::string_view::npos ? text.size() : found;
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    if (!each(line, number)) break;
  }
  return number;
}

Result<std::string> read_json_lines(TextBlocks& blocks, TraceFormat format, const TraceOptions& options, TraceSink& sink);
Result<std::string> read_csv_lines(TextBlocks& blocks, TraceFormat format, const TraceOptions& options, TraceSink& sink);
/// Whether a CSV header is that of a known format.
std::optional<TraceFormat> csv_format(std::string_view header);

}  // namespace kvcliff::workload
