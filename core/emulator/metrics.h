// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "emulator/options.h"
#include "emulator/setup.h"

namespace kvcliff::emulator {

struct Histogram {
  std::vector<double> bounds;           ///< upper, without +Inf
  std::vector<std::int64_t> counts;     ///< one more than bounds; not cumulative
  double sum = 0;
  std::int64_t count = 0;
  double created = 0;
  bool shown = true;                    ///< false: the child appears with its first sample
  Histogram() = default;
  explicit Histogram(std::vector<double> b, bool at_once = true) : bounds(std::move(b)), counts(bounds.size() + 1), shown(at_once) {}
  void observe(double v);
};

/// All counters and gauges of one server, in plain units (tokens, bytes, seconds).
struct Metrics {
  explicit Metrics(std::int64_t max_model_len);

  double start_time = 0, created = 0;   ///< Unix seconds
  // Prompt tokens: at the first token of a request.
  double prompt = 0, computed = 0, local = 0, external = 0, cached = 0, recomputed = 0;
  // Look-ups: at admission.
  double queries = 0, hits = 0, external_queries = 0, external_hits = 0, cached_device = 0, cached_host = 0;
  double generation = 0, preemptions = 0;
  std::map<std::string, double> success{{"stop", 0}, {"length", 0}, {"abort", 0}, {"error", 0}, {"repetition", 0}};
  // Transfers: when a job ends.
  double load_bytes = 0, store_bytes = 0, load_time = 0, store_time = 0;
  double old_load_bytes = 0, old_store_bytes = 0;       ///< generation A; the same unless the server lies
  double load_created = 0, store_created = 0;           ///< 0: no sample yet
  double allocation_failures = 0, stores_skipped = 0;
  double failures_created = 0, skipped_created = 0;
  // Gauges.
  double running = 0, waiting = 0, deferred = 0, loading = 0, gpu_usage = 0, pinned_read = 0, pinned_write = 0;
  bool pins_seen = false;
  std::map<std::string, double> http;                   ///< "handler|method|2xx" -> requests
  Histogram ttft, itl, tpot, e2e, queue, inference, prefill, decode, prompt_tokens, generation_tokens, iteration, max_generation,
      params_n, params_max, preempted, prefill_computed;
  Histogram load_size, store_size, old_load_size, old_store_size, allocation, lookup_delay;

  /// All counters to zero, as after a restart.
  void zero();
};

/// The page of /metrics as the Python client writes it, in the names of the release. `model` is the served name.
std::string metrics_page(const Metrics& m, const Options& options, const Setup& setup);
/// A number as the Python client prints it: 8105.0, 2.29376e+06, 1e+010, NaN, +Inf.
std::string metric_number(double v);

}  // namespace kvcliff::emulator
