// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

#include "workload/trace.h"
#include "workload/trace_chain.h"

namespace kvcliff::workload {

/// A prompt longer than this is taken for a damaged line: no model has such a context.
inline constexpr std::int64_t longest_prompt = std::int64_t{1} << 27;

/// What the readers of the formats share: the lines, the faults, the result.
class TraceBuilder {
 public:
  TraceBuilder(TraceFormat format, const TraceOptions& options) : options_(options) { trace_.format = format; }

  void fault(std::size_t line, std::string why);
  /// Adds a request; its ids were appended to trace().ids from `first` on.
  void add(TraceRequest r, std::size_t first);
  bool full() const {
    return options_.first_requests > 0 && trace_.requests.size() >= static_cast<std::size_t>(options_.first_requests);
  }
  Trace& trace() { return trace_; }
  const TraceOptions& options() const { return options_; }
  /// The trace, or one error that names the bad lines. `hint` says what may help.
  Result<Trace> finish(const std::string& where, const std::string& hint);

 private:
  Trace trace_;
  TraceOptions options_;
};

/// Calls `each(line, number)` for every line that is not blank, until it returns false. Line ends are \n or \r\n.
template <class Each>
void for_lines(std::string_view text, Each each) {
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t found = text.find('\n', begin);
    const std::size_t end = found == std::string_view::npos ? text.size() : found;
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    if (!each(line, number)) return;
  }
}

/// Blocks of prompts whose lengths alone are known, by a prefix model.
class LengthBlocks {
 public:
  LengthBlocks(Trace& trace, const PrefixModel& model);
  ~LengthBlocks();
  LengthBlocks(const LengthBlocks&) = delete;
  LengthBlocks& operator=(const LengthBlocks&) = delete;
  /// Appends the full blocks of the next prompt to the trace's ids. `session`: -1 when the file names none.
  void append(std::int64_t input, std::int64_t output, std::int64_t session);

 private:
  struct Open;
  Trace& trace_;
  PrefixModel model_;
  std::vector<std::uint32_t> shared_;
  Open* open_;
};

Result<Trace> parse_json_trace(std::string_view text, const std::string& where, TraceFormat format, const TraceOptions& options);
Result<Trace> parse_csv_trace(std::string_view text, const std::string& where, TraceFormat format, const TraceOptions& options);
/// Whether a CSV header is that of a known format.
std::optional<TraceFormat> csv_format(std::string_view header);

}  // namespace kvcliff::workload
