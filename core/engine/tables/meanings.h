// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <span>
#include <string_view>

namespace kvcliff::engine::tables {

/// What a quantity is, which decides how its samples join and whether a difference of it means anything.
enum class Kind {
  counter,      ///< grows; summed over engines; differences mean something
  gauge_sum,    ///< a count of now (requests running); summed over engines
  gauge_max,    ///< a share; never summed, the largest engine is the headline
  histogram,    ///< read as two counters, NAME_sum and NAME_count
  info,         ///< labels are the content
};

/// One name under which an engine exports a quantity. Names stand without "_total": both spellings are accepted.
struct SeriesName {
  std::string_view name;
  std::string_view generation;                ///< where this name belongs, for evidence: "0.11+", "0.15+ (A)"
  std::string_view only_label, only_value;    ///< takes samples with this label value only; empty = all
  constexpr bool empty() const { return name.empty(); }
};

/// A quantity by meaning. `series` is ordered: the first one that a page declares is read, and no other, because two
/// generations of one quantity count the same events.
struct Meaning {
  std::string_view name;    ///< newest generation's name without prefix and "_total"
  Kind kind = Kind::counter;
  std::string_view unit;    ///< tokens, bytes, s, requests, events, share, ...
  std::string_view split;   ///< label whose values are kept apart; empty = none
  std::array<SeriesName, 3> series{};
};

/// All quantities of vLLM's /metrics that this program reads. Sources: engine notes 1.3 and the live recordings
/// (0.26.0 on a GPU, 0.32.0 on a CPU).
std::span<const Meaning> meanings();
/// nullptr when the name is not in the table. A histogram is found under its own name, and under NAME_sum, NAME_count.
const Meaning* meaning_named(std::string_view name);
/// True for names whose difference over a window means something (counters, histogram sums and counts).
bool is_counter(std::string_view name);

/// Quantities that betray requests of another model on the same server. A page of several models holds them under
/// other_models_prefix + name, split by model_name; they are no counters of the model that was read.
std::span<const std::string_view> traffic_names();
inline constexpr std::string_view other_models_prefix = "other_models.";

/// Labels of prompt_tokens_by_source.
inline constexpr std::string_view source_computed = "local_compute";
inline constexpr std::string_view source_gpu = "local_cache_hit";
inline constexpr std::string_view source_host = "external_kv_transfer";

}  // namespace kvcliff::engine::tables
