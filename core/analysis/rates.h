// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kvcliff::analysis {

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
