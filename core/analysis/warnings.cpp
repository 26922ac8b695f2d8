// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "analysis/decision.h"
#include "analysis/rates.h"
#include "reconcile/latency.h"
#include "record/sleep.h"

namespace kvcliff::analysis {

std::vector<std::string> run_warnings(const reconcile::ExperimentInput& input) {
  std::vector<std::string> out;
  for (const auto& s : input.sessions) {
    std::vector<double> cold;
    int lengths = 0, asleep = 0;
    double worst = 0;
    for (const auto& r : s.requests) {
      if (r.plan.warmup) continue;
      asleep += slept(r.stream);
      // First visits only: revisits are served from elsewhere and say nothing about warm-up.
      if (r.plan.round <= 1 && times_count(r.stream))
        if (const auto t = r.stream.ttft()) cold.push_back(static_cast<double>(*t) / 1e6);
      const auto counter = r.delta.value("prompt_tokens");
      const auto length = prompt_length(r.plan.prompt_tokens, r.stream.usage.prompt_tokens,
                                        counter ? std::optional(static_cast<std::int64_t>(*counter)) : std::nullopt);
      if (length.warning) {
        ++lengths;
        worst = std::abs(length.off_percent) > std::abs(worst) ? length.off_percent : worst;
      }
    }
    const std::string where = fmt::format("Session {} ({}): ", s.record.ordinal + 1, s.record.arm);
    if (const auto f = first_request(cold); f.suspicious) out.push_back(where + f.warning);
    // Above 5 ms the client itself is part of what it measures.
    if (const auto lags = reconcile::client_lags_ms(s); !lags.empty())
      if (const double p99 = reconcile::percentile(lags, 0.99); p99 > 5)
        out.push_back(where + fmt::format("the client was late by {:.1f} ms (p99)", p99));
    if (asleep > 0) out.push_back(where + fmt::format("the machine slept during {} request(s), which are left out of the statistics", asleep));
    if (lengths > 0) out.push_back(where + fmt::format("{} prompt(s) were counted up to {:+.1f} % off the length asked for", lengths, worst));
  }
  // A note that several sessions left stands once, with how often.
  std::vector<std::pair<std::string, int>> notices;
  for (const auto& n : input.notices) {
    if (n.severity == "info") continue;
    const auto same = std::find_if(notices.begin(), notices.end(), [&](const auto& p) { return p.first == n.text; });
    if (same == notices.end()) notices.emplace_back(n.text, 1);
    else ++same->second;
  }
  for (const auto& [text, times] : notices) out.push_back(times == 1 ? text : fmt::format("{} ({} times)", text, times));
  return out;
}

}  // namespace kvcliff::analysis
