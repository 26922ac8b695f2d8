// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"

namespace kvcliff {

/// One quantity of a metrics page, by meaning. `name` of the map below is the newest generation's name without prefix
/// and "_total", e.g. "prompt_tokens", "kv_offload_load_bytes".
struct CounterReading {
  double value = 0;                            ///< summed over `engine`; integers are exact below 2^53
  std::map<std::string, double> by_label;      ///< split by the meaningful label (source, finished_reason, ...)
  std::map<std::string, double> by_engine;     ///< the same value per engine
  std::string series;                          ///< name as exported by this engine, for evidence
  std::string unit;                            ///< tokens, blocks (old look-up counters), bytes, s, requests, ...
  bool operator==(const CounterReading&) const = default;
};

/// One reading of an engine's /metrics, already mapped to meanings.
struct CounterSnapshot {
  MonoNs sent = 0;                 ///< request written
  MonoNs received = 0;             ///< last byte of the answer
  WallNs wall = 0;
  int http_status = 0;             ///< 0: no answer
  std::string error;               ///< why there are no readings; empty when good
  std::string engine;              ///< "vllm", ...; empty when not recognised
  std::string generation;          ///< words of the adapter's table, e.g. "0.32+"
  std::string model;               ///< model_name that was read; empty when the page names none
  std::optional<double> process_start;  ///< process_start_time_seconds
  std::map<std::string, CounterReading> readings;
  /// Meanings whose family is declared (# TYPE) but has no sample yet: zero, not absent.
  std::set<std::string> declared;
  std::map<std::string, std::string> unavailable;  ///< meanings whose value cannot be used (NaN, ...) -> reason
  std::map<std::string, double> created;           ///< birth times where exported, per set of labels; a change = a restart
  std::map<std::string, std::map<std::string, std::string>> info;  ///< info metrics: name -> labels
  std::vector<std::string> other_models;                           ///< model_name values that were left out
  int parse_errors = 0;
  std::vector<std::string> warnings;
  std::shared_ptr<const std::string> raw;  ///< the page as received

  bool good() const { return error.empty(); }
  /// The value; 0 for a declared family without samples; nullopt when not reported.
  std::optional<double> value(const std::string& name) const;
  std::optional<double> value(const std::string& name, const std::string& label) const;
};

}  // namespace kvcliff
