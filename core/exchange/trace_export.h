// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "record/request.h"
#include "record/session.h"

namespace kvcliff::exchange {

struct TraceOrder {
  /// Mixed into every id. Empty: 32 bytes from the system that nobody keeps, so that no one, its writer included, can tell
  /// later which prompt an id came from. Given: traces with the same salt name the same blocks alike.
  std::string salt;
  bool measured_only = false;          ///< without warm-up; the caches of a replay then start empty
  std::optional<int> session;          ///< place in the schedule, from 0; absent: the first finished one that counts
};

struct ExportedTrace {
  std::string text;                    ///< JSON lines
  std::int64_t requests = 0, warmup = 0;   ///< lines, and how many of them are warm-up
  std::int64_t distinct_blocks = 0;
  std::int64_t block_size = 0;         ///< tokens of one id
  int session = 0;                     ///< place in the schedule, from 0
  std::string arm;
};

/// Requests of one session as a trace that tells which blocks were shared and nothing else: Mooncake's JSON lines
/// (timestamp in ms from the first request, input_length, output_length, hash_ids of the full blocks) with block_size, as
/// the ids stand for the engine's blocks. No text, no token ids; an id is 52 bits of a salted SHA-256 of our block hash.
/// The lines are in the order of sending. Errors: bad_usage (a request without block hashes: imported from another tool).
Result<ExportedTrace> trace_of(std::span<const RequestRecord> requests, std::int64_t block_size, const TraceOrder& order);

/// The same of a session in a journal, written to `target`, which must not exist yet. `experiment`: see Reader::experiment.
/// Errors: those of the reader; not_found (no such session, or none finished), io, and those of trace_of.
Result<ExportedTrace> export_trace(const std::string& journal, const std::string& experiment, const std::string& target, const TraceOrder& order);

}  // namespace kvcliff::exchange
