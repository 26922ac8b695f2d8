// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "record/check.h"
#include "reconcile/input.h"

namespace kvcliff::reconcile {

/// Typical TTFT of a prompt length by how it was served, from the requests of the run; for R21.
struct LatencyLine {
  std::int64_t prompt_tokens = 0;
  int computed_count = 0, cached_count = 0;
  double computed_ms = 0, cached_ms = 0;         ///< medians
  double computed_sd = 0, cached_sd = 0;         ///< robust, ms
  /// Requests (warm-up included) of at most a tenth of this length: what a prompt costs that has next to nothing to compute.
  int short_count = 0;
  double short_ms = 0, short_sd = 0;
};
using LatencyLines = std::map<std::int64_t, LatencyLine>;

struct RequestContext {
  const ExperimentInput& experiment;
  const SessionInput& session;
  const RequestRecord& request;
  const LatencyLines& lines;
  bool session_reports_cached_tokens = false;  ///< some answer of this session held cached_tokens
};

/// One check: what it is, what it needs, and the functions that do it on each kind of subject it has.
struct CheckInfo {
  std::string_view id;
  std::string_view title;
  std::string_view unit;       ///< of the residual
  std::string_view needs;      ///< what the engine must report
  bool flag = false;           ///< seen, but never a gate and never part of "reconciled"
  bool counts_for_reconciled = true;
  CheckResult (*request)(const RequestContext&) = nullptr;
  CheckResult (*session)(const ExperimentInput&, const SessionInput&) = nullptr;
  /// All subjects at once (pairs), or one result for the experiment.
  std::vector<CheckResult> (*pairs)(const ExperimentInput&) = nullptr;
  CheckResult (*experiment)(const ExperimentInput&) = nullptr;
};

/// R1 to R21 in order. A new check is one file and one row here.
std::span<const CheckInfo> check_table();
const CheckInfo* find_check(std::string_view id);

}  // namespace kvcliff::reconcile
