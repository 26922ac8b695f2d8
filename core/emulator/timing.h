// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/hash.h"

namespace kvcliff::emulator {

/// How long things take. Times in milliseconds, lengths in thousands of tokens, rates in bytes per second.
struct Timing {
  std::string_view name;
  std::string_view origin;       ///< measured on what, or assumed
  double base = 0;               ///< front end and sampling of one request
  double front = 0;              ///< per thousand prompt tokens, wherever they come from
  double step_floor = 0;         ///< a step cannot be shorter (weights are read once)
  double linear = 0;             ///< per thousand computed tokens
  double quadratic = 0;          ///< times c * (s + c/2): c computed, s in front of them
  double load_latency = 0;       ///< one more scheduler step and the start of the copy
  double load_rate = 0, store_rate = 0;
  double decode = 0;             ///< step that only decodes
  double decode_per_request = 0; ///< more for each further request in the step
  double noise = 0;              ///< SD of the log of one step
  double load_noise = 0;         ///< SD of the log of one load
  double store_contention = 0;   ///< a step is this share longer while a store runs
};

std::span<const Timing> timing_presets();
const Timing* find_preset(std::string_view name);
/// TTFT that a preset gives without noise, ms, of a request alone on its engine: `computed` tokens after `before` tokens
/// that were hit or loaded, and `bytes` loaded from the host.
double expected_ttft_ms(const Timing& t, double computed, double before, double bytes);

/// The timing model of one server: preset, noise, drift and session effect, scaled.
class TimeModel {
 public:
  struct Settings {
    Timing timing;
    double scale = 1;            ///< 0.01: a hundred times faster
    double noise = 1;            ///< multiplies the preset's noise; 0: none
    double factor = 1;           ///< of this session on everything (drift, slow first server)
    double load_factor = 1;      ///< of this session on loads
    double drift_per_request = 0;
    std::uint64_t seed = 1;
  };
  explicit TimeModel(const Settings& s) : s_(s), rng_(s.seed) {}

  using Duration = std::chrono::nanoseconds;
  /// From arrival of the request until the scheduler sees it.
  Duration front_end(std::int64_t prompt_tokens);
  struct Part { std::int64_t computed = 0, before = 0; };
  /// One engine step: prefill parts and decoding requests together.
  Duration step(std::span<const Part> prefills, std::int64_t decoding, bool storing);
  Duration load(std::int64_t bytes);
  Duration store(std::int64_t bytes);
  /// A fixed time, scaled only.
  Duration scaled(double ms) const;
  void next_request() { ++requests_; }

 private:
  Duration ms(double value, double sd);
  Settings s_;
  Rng rng_;
  std::int64_t requests_ = 0;
};

}  // namespace kvcliff::emulator
