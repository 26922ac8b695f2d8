// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "reconcile/check_table.h"

namespace kvcliff::reconcile {

/// Builders of results; `id` and `unit` are filled in from the table afterwards.
CheckResult passed(std::string note = {});
CheckResult failed(double residual, std::string why);
CheckResult not_possible(std::string why);
CheckResult not_settled(std::string why);
CheckResult not_applicable(std::string why);

/// Why this request's own counters say nothing exact: not settled, or windows shared under concurrency. Nullopt: they do.
std::optional<CheckResult> counters_unusable(const RequestContext& c);

/// Labels of prompt_tokens_by_source.
inline constexpr const char* by_source = "prompt_tokens_by_source";
inline constexpr const char* source_computed = "local_compute";
inline constexpr const char* source_gpu = "local_cache_hit";
inline constexpr const char* source_host = "external_kv_transfer";

/// Tokens that really came over the link, before any correction for the recomputed last token: the source counter
/// where it is exported, else the attributed value.
std::optional<std::int64_t> transferred_tokens(const RequestRecord& r);
/// Sum of GPU hits and host loads as attributed; nullopt when one is not known.
std::optional<std::int64_t> hit_tokens(const RequestRecord& r);
/// Prompt length that counts: the engine's usage, else its counter, else what was sent.
std::int64_t prompt_of(const RequestRecord& r);
/// Requests whose streams we ended ourselves.
bool cancelled_by_us(const RequestRecord& r);
/// The engine says so, or an earlier request of the process was booked this way: cached+1 tokens with one taken back.
bool recomputed_term(const RequestRecord& r);
/// A prediction was made before the run (a real one computes at least 1 token).
bool has_prediction(const RequestRecord& r);

/// "0.27.1", "v0.32.0+cpu (simulated)" against major.minor; nullopt when the text holds no version.
std::optional<bool> version_at_least(std::string_view text, int major, int minor);

std::string tokens_text(std::int64_t n);  ///< "1 token", "2,000 tokens"

}  // namespace kvcliff::reconcile
