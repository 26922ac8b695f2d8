// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "record/request.h"
#include "record/session.h"

namespace kvcliff::journal {

/// One experiment as the journal's list shows it.
struct ExperimentRecord {
  std::int64_t id = 0;            ///< row
  std::string uid;                ///< run id on every export, 16 hex digits
  std::string name;
  std::string plan_text;          ///< canonical JSON of the plan
  std::string plan_hash;          ///< SHA-256 hex of it
  Json schedule;                  ///< [{"ordinal","arm","conditioning","pair"}], fixed before the first launch
  std::string method_version;
  std::string program_version;
  Json host;                      ///< facts of the machine that measured
  bool simulated = false;
  std::string engine, model;      ///< words of the plan, for lists and filters
  WallNs created = 0;             ///< UTC
  std::optional<WallNs> ended;    ///< UTC; absent while running or after a crash
  std::string state = "running";  ///< running | finished | failed | stopped_by_user
  std::string why;
  std::vector<std::string> tags;
  std::string note;
};

/// Something the user must be able to read later: a pause, a warning, a failed identity.
struct Notice {
  std::int64_t experiment = 0;
  std::int64_t session = 0;       ///< 0: of the experiment
  Instant at;
  std::string severity = "info";  ///< info | warning | error
  std::string text;
};

/// The columns of a request that charts and lists draw; absent values are -1 (times and counts are never negative).
struct ChartRow {
  std::int64_t session = 0;
  std::int32_t ordinal = 0, document = -1, round = -1;
  bool warmup = false;
  Outcome outcome = Outcome::interrupted;
  std::int64_t prompt_tokens = -1, computed = -1, gpu_hit = -1, host_loaded = -1, unknown = -1;
  std::int64_t loaded_bytes = -1, stored_bytes = -1, cached_tokens = -1, output_tokens = -1;
  std::int64_t ttft_ns = -1, total_ns = -1;
  double predicted_computed = -1, predicted_gpu_hit = -1, predicted_host_loaded = -1;
  WallNs sent = 0;
};

/// A verdict sealed with the method that produced it.
struct SealedResult {
  std::int64_t experiment = 0;
  std::string method_version;
  WallNs at = 0;
  Json document;
};

/// Row id of a request: the session in the upper, the ordinal in the lower 32 bits.
constexpr std::int64_t request_id(std::int64_t session, std::int64_t ordinal) { return (session << 32) | ordinal; }

}  // namespace kvcliff::journal
