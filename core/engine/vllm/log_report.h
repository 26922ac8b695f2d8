// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "base/json.h"
#include "record/session.h"

namespace kvcliff::engine::vllm {

/// What `inspect log` prints (shape: command line contract): the facts of a start-up log, the cause of a failure, lines
/// that repeat. Facts that the log does not state are null.
OrderedJson log_report(const std::vector<LogLine>& log);

}  // namespace kvcliff::engine::vllm
