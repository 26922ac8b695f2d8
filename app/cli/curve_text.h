// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "cache/axis.h"
#include "cache/statistics.h"

namespace kvcliff::cli {

/// What `curve` found, before it is written as JSON or words.
struct CurveAnswer {
  std::string format;                       ///< of the trace; "plan"
  cache::Config rules;
  bool with_output = false, listed = false;
  std::vector<cache::RulePoint> points;
  std::vector<cache::Axis> axes;            ///< without lists: `points` are theirs, one after the other
  cache::Statistics statistics;
  std::optional<cache::CapacityCliff> gpu_cliff, host_cliff;
  std::string host_cliff_note;              ///< when it is a bound
  std::vector<std::int64_t> optimal_at, optimal;
  std::optional<cache::ReverseProbe> probe;
  std::optional<std::int64_t> bytes_per_block;
  std::string why_no_bytes;
  std::vector<std::string> warnings;
  std::string prefix_model;
};

OrderedJson curve_json(const CurveAnswer& answer);
std::string curve_text(const CurveAnswer& answer);

}  // namespace kvcliff::cli
