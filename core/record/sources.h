// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/units.h"

namespace kvcliff {

/// Where a prompt token came from. Order = stacking order of charts from the axis up.
enum class Source { gpu_hit, host_loaded, computed, unknown };
inline constexpr std::array<Source, 4> all_sources{Source::gpu_hit, Source::host_loaded, Source::computed,
                                                   Source::unknown};
std::string_view to_string(Source s);

/// How a number was obtained.
enum class Provenance {
  counter,  ///< difference of an engine counter over a window of ours
  body,     ///< stated by the engine in the answer
  derived,  ///< computed from other measured numbers; the sibling text says from which
  none,     ///< not available; the sibling text says why
};
std::string_view to_string(Provenance p);

/// One measured count: absent (with the reason in `from`) is not zero.
struct MeasuredTokens {
  std::optional<Tokens> value;
  Provenance provenance = Provenance::none;
  std::string from;  ///< counter name, body field, or "prompt - hits"; the reason when absent
  bool reported = false;  ///< absent values only: the engine reports it, but it cannot be attributed ("unknown")
  bool operator==(const MeasuredTokens&) const = default;
};

/// The prompt tokens of one request by source, in the engine's own counting (see R1 in experiment notes: after a full
/// host hit some generations book 0 computed although one token runs).
struct TokenSources {
  MeasuredTokens computed;
  MeasuredTokens gpu_hit;
  MeasuredTokens host_loaded;
  MeasuredTokens unknown;  ///< reported, but attributable to no source

  /// Sum of what is known; nullopt when computed, gpu_hit or host_loaded is absent.
  std::optional<Tokens> sum() const;
  bool operator==(const TokenSources&) const = default;
};

void to_json(Json& j, const MeasuredTokens& m);
void from_json(const Json& j, MeasuredTokens& m);
void to_json(Json& j, const TokenSources& s);
void from_json(const Json& j, TokenSources& s);

/// A predicted count: exact when min == max; otherwise the engine's own order is random and `why` says so.
struct PredictedCount {
  std::int64_t min = 0;
  std::int64_t max = 0;
  double mean = 0;
  std::string why;

  static PredictedCount exact(std::int64_t v) { return {v, v, static_cast<double>(v), {}}; }
  bool is_exact() const { return min == max; }
  bool contains(std::int64_t v) const { return min <= v && v <= max; }
  bool operator==(const PredictedCount&) const = default;
};

/// Prediction for one request, in real terms: `computed` counts tokens really run, at least 1.
struct PredictedSources {
  PredictedCount computed;
  PredictedCount gpu_hit;
  PredictedCount host_loaded;
  PredictedCount stored_blocks;  ///< host entries (chunks) newly stored
  bool operator==(const PredictedSources&) const = default;
};

/// An integer, or {"min","max","mean","why"}.
void to_json(Json& j, const PredictedCount& c);
void from_json(const Json& j, PredictedCount& c);
void to_json(Json& j, const PredictedSources& s);
void from_json(const Json& j, PredictedSources& s);

}  // namespace kvcliff
