// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kvcliff::analysis {

/// Tokens that arrived together, at a time counted from the first token event.
struct TokenArrival {
  double at_ms = 0;
  std::int64_t tokens = 0;
};

/// Output rates count tokens, never events. The average leaves out the tokens of the first event, which belong to the
/// prefill. A stream shorter than the window has no peak.
struct OutputRate {
  std::int64_t output_tokens = 0;
  double span_s = 0;
  std::optional<double> average_tokens_per_s;
  double window_s = 1;
  std::optional<double> peak_tokens_per_s;   ///< largest over any window of window_s
  std::string why;                           ///< when a rate is absent
};
/// `stated_tokens`: usage's count where known. Where it differs from the events' sum, each event is given its share.
OutputRate output_rate(std::vector<TokenArrival> arrivals, std::optional<std::int64_t> stated_tokens, double window_s = 1);

/// Is the first measured time out of line? Compared with the median of the others.
struct FirstRequest {
  double factor = 0;         ///< first / median of the others
  bool suspicious = false;   ///< more than 3 times
  std::string warning;       ///< finished sentence when suspicious
};
FirstRequest first_request(const std::vector<double>& ttft_ms);

/// Prompt length wished against what the server counted (usage, else its counter, marked so).
struct PromptLength {
  std::optional<std::int64_t> tokens;
  bool from_counter = false;
  double off_percent = 0;
  bool warning = false;      ///< off by more than 1 %
};
PromptLength prompt_length(std::int64_t wished, std::optional<std::int64_t> usage, std::optional<std::int64_t> counter);

/// What reuse saved, with its sign: cold - warm. Negative where loading takes longer than computing.
struct Saving {
  double ms = 0;
  double percent = 0;        ///< of the cold time
  std::optional<double> load_bytes_per_s;
};
Saving saving(double cold_ms, double warm_ms, std::optional<double> bytes = std::nullopt, std::optional<double> load_s = std::nullopt);

}  // namespace kvcliff::analysis
