// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/counters.h"
#include "record/sources.h"
#include "record/stream.h"

namespace kvcliff {

/// One request of a session as planned: what is sent, and what is expected.
struct PlannedRequest {
  int ordinal = 0;               ///< within the session, warm-up included, from 0
  int document = -1;             ///< -1: none (warm-up, trace request without one)
  int round = -1;                ///< from 1; -1: none
  bool warmup = false;
  std::int64_t output_tokens = 0;
  std::int64_t prompt_tokens = 0;             ///< length asked for; known also where the ids below are not loaded
  std::vector<std::int32_t> prompt;           ///< token ids; empty when read from a journal (the seed rebuilds them)
  std::string prompt_hash;                    ///< SHA-256 hex over the ids as little-endian int32
  std::vector<std::uint64_t> block_hashes;    ///< chained, full blocks only (our own hash)
  MonoNs planned_send = 0;                    ///< offset from the start of the measuring phase (open loop); 0 = when free
  std::int64_t revisit_distance = -1;         ///< distinct blocks since the last visit, itself included; -1: first visit
  PredictedSources predicted;
};

/// What the counters did during a window, by meaning: after - before. Absent = not reported in both.
struct CounterDelta {
  std::map<std::string, double> values;                             ///< meaning -> delta
  std::map<std::string, std::map<std::string, double>> by_label;    ///< meaning -> label -> delta
  std::set<std::string> first_seen;   ///< absent before, present after, same process: before was 0
  std::vector<std::string> decreased; ///< meanings that went down: a reset or another process
  std::vector<std::string> vanished;  ///< reported before, absent after: a cut page or another process
  bool same_process = true;
  std::optional<double> value(const std::string& name) const;
  std::optional<double> value(const std::string& name, const std::string& label) const;
};

/// One finished request with everything measured about it.
struct RequestRecord {
  std::int64_t id = 0;           ///< journal row
  std::int64_t session = 0;      ///< journal row of the session
  PlannedRequest plan;
  Instant sent;                  ///< when t0 was taken, both clocks
  StreamRecord stream;
  std::int64_t scrape_before = 0, scrape_after = 0;  ///< journal rows; 0 = none
  bool settled = false;
  std::string not_settled_why;
  int settle_polls = 0;
  MonoNs settle_ns = 0;          ///< last byte to settled
  CounterDelta delta;            ///< of the window; empty under concurrency
  TokenSources sources;
  std::optional<Bytes> loaded_bytes, stored_bytes;
  std::string bytes_from;        ///< counter name, or the reason for absence
};

}  // namespace kvcliff
