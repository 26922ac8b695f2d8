// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "record/session.h"

namespace kvcliff::engine::vllm {

/// One row of a log view: a line, or several in a row that are equal apart from their time. Folding is a view; the stored
/// log stays whole.
struct LogRow {
  std::size_t first = 0;        ///< index of the first line
  std::size_t count = 1;
  std::string first_time, last_time;  ///< as the engine wrote them; empty without
};
std::vector<LogRow> fold(const std::vector<LogLine>& log);

/// The time in front of a line, with its date, fraction and zone: "12-01 09:30:00.012" of vLLM, and the forms of ISO 8601,
/// glog, syslog, a time alone, and seconds since 1970. Empty when there is none. A view into `line`.
std::string_view time_in_line(std::string_view line);

}  // namespace kvcliff::engine::vllm
