// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/warmup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kvcliff::experiment {

Warmup::Warmup(const plan::WarmupSpec& spec, std::vector<std::int64_t> lengths) : spec_(spec), lengths_(std::move(lengths)) {
  std::sort(lengths_.begin(), lengths_.end());
  lengths_.erase(std::unique(lengths_.begin(), lengths_.end()), lengths_.end());
  // A trace has as many lengths as requests: evenly spaced ones stand for all, the longest always among them.
  const auto most = static_cast<std::size_t>(std::max(1, spec_.max_requests));
  if (lengths_.size() > most) {
    std::vector<std::int64_t> thin;
    for (std::size_t i = 1; i <= most; ++i) thin.push_back(lengths_[i * lengths_.size() / most - 1]);
    lengths_ = std::move(thin);
  }
}

std::optional<std::int64_t> Warmup::next() const {
  if (lengths_.empty() || spec_.max_requests <= 0) return std::nullopt;
  const bool each_length = round_ >= static_cast<std::size_t>(std::max(1, spec_.min_requests));
  if (!each_length) {
    if (sent_ >= std::max<int>(spec_.max_requests, static_cast<int>(lengths_.size()))) return std::nullopt;
    return lengths_[at_];
  }
  if (steady() || sent_ >= spec_.max_requests) return std::nullopt;
  return lengths_.back();
}

void Warmup::done(std::int64_t length, std::optional<MonoNs> ttft) {
  ++sent_;
  if (!lengths_.empty() && length == lengths_.back() && ttft) longest_.push_back(*ttft);
  if (round_ < static_cast<std::size_t>(std::max(1, spec_.min_requests)) && ++at_ >= lengths_.size()) {
    at_ = 0;
    ++round_;
  }
}

bool Warmup::steady() const {
  if (longest_.size() < 2) return false;
  const double a = static_cast<double>(longest_[longest_.size() - 2]), b = static_cast<double>(longest_.back());
  return std::abs(a - b) <= spec_.steady_ratio * std::max(a, b);
}

std::optional<double> median_of(std::vector<double> v) {
  if (v.empty()) return std::nullopt;
  std::sort(v.begin(), v.end());
  const std::size_t n = v.size();
  return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

std::optional<std::string> slow_first_request(std::span<const double> ttft) {
  if (ttft.size() < 3) return std::nullopt;
  const auto rest = median_of({ttft.begin() + 1, ttft.end()});
  if (!rest || *rest <= 0 || ttft.front() <= 3 * *rest) return std::nullopt;
  return fmt::format("first request took {:.1f} times the median of the others", ttft.front() / *rest);
}

}  // namespace kvcliff::experiment
