// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kvcliff::engine::vllm {

/// The parts of one line of vLLM's log: "(EngineCore_DP0 pid=7) ERROR 12-01 09:00:01 [core.py:9] text". Every part but
/// the text may be missing. Only the first 16 KiB of a line are looked at.
struct LogHead {
  std::string_view process;  ///< "EngineCore_DP0", "Worker_TP1", "APIServer"; the innermost one; empty without prefix
  std::string_view level;    ///< INFO, WARNING, ERROR, DEBUG, CRITICAL; empty without
  std::string_view text;     ///< after time and [file:line], leading blanks kept
  bool engine_side() const;  ///< EngineCore or a worker
};
LogHead split_log_line(std::string_view line);

/// "ValueError: ...", "torch.OutOfMemoryError: ...", a bare "AssertionError": the last line of a Python trace.
bool is_exception_line(std::string_view text);

/// The number that follows `key` in `text` (thousands separators and decimals allowed; blanks, quotes, '=' and ':' between
/// them are skipped). nullopt when the key is not there or no number follows.
std::optional<double> number_after(std::string_view text, std::string_view key);
/// The same as an integer; nullopt also when it has decimals or does not fit.
std::optional<std::int64_t> integer_after(std::string_view text, std::string_view key);
/// The word (letters, digits, . _ + - /) after `key`, same skipping.
std::string_view word_after(std::string_view text, std::string_view key);

bool contains(std::string_view text, std::string_view part);

}  // namespace kvcliff::engine::vllm
