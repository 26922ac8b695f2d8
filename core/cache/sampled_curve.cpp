// SPDX-License-Identifier: GPL-3.0-or-later
#include "cache/sampled_curve.h"

#include <algorithm>
#include <cmath>

#include "base/hash.h"

namespace kvcliff::cache {
namespace {
constexpr double student_95 = 2.131;  // t quantile for 15 degrees of freedom
std::uint64_t mix(std::uint64_t x) {  // finaliser of splitmix64: keys may be small numbers
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}
}  // namespace

SampledCurve::SampledCurve(double rate, std::size_t most_blocks)
    : most_(std::max<std::size_t>(most_blocks, 64)),
      threshold_(static_cast<std::uint64_t>(std::clamp(rate, 1e-9, 1.0) * 4294967296.0)) {}

double SampledCurve::rate() const { return static_cast<double>(threshold_) / 4294967296.0; }

// Each block is followed by itself with a chance of rate().
double SampledCurve::distinct_error() const { return 1.96 * std::sqrt(static_cast<double>(ids_.size()) * (1 - rate())) / rate(); }

std::size_t SampledCurve::bin_of(double distance) {
  int exponent = 0;
  const double m = std::frexp(std::max(1.0, distance), &exponent);  // [0.5, 1) x 2^exponent
  return (static_cast<std::size_t>(exponent - 1) << mantissa_bits) + static_cast<std::size_t>((m - 0.5) * 2 * (1 << mantissa_bits));
}

double SampledCurve::end_of(std::size_t bin) {
  const double m = 0.5 + (static_cast<double>(bin & ((1 << mantissa_bits) - 1)) + 1) / (2 * (1 << mantissa_bits));
  return std::ldexp(m, static_cast<int>(bin >> mantissa_bits) + 1);
}

// Follows half as many blocks: those left keep their order of use.
void SampledCurve::halve() {
  while (ids_.size() > most_ && threshold_ > 1) {
    threshold_ /= 2;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> left;  // last use, key
    for (const auto& [key, id] : ids_)
      if (mix(key) >> 32 < threshold_) left.emplace_back(last_[id], key);
    std::sort(left.rbegin(), left.rend());
    ids_.clear();
    last_.clear();
    stack_ = StackDistances(FreeOrder::none);
    scratch_.clear();
    for (const auto& [when, key] : left) {
      const auto id = static_cast<std::uint32_t>(ids_.size());
      ids_.emplace(key, id);
      last_.push_back(when);
      scratch_.push_back(id);
    }
    host_.resize(scratch_.size());
    gpu_.resize(scratch_.size());
    stack_.request(scratch_, false, host_, gpu_);
  }
}

void SampledCurve::request(std::span<const std::uint64_t> keys, std::size_t countable) {
  references_ += static_cast<std::int64_t>(keys.size());
  countable_ += static_cast<std::int64_t>(std::min(keys.size(), countable));
  clock_ += keys.size();
  scratch_.clear();
  counts_.clear();
  group_.clear();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::uint64_t h = mix(keys[i]);
    if (h >> 32 >= threshold_) continue;
    const auto [it, fresh] = ids_.try_emplace(keys[i], static_cast<std::uint32_t>(ids_.size()));
    if (fresh) last_.push_back(0);
    last_[it->second] = clock_ - i;  // the first block of a request is its most recent
    scratch_.push_back(it->second);
    counts_.push_back(i < countable);
    group_.push_back(static_cast<std::uint8_t>(h % groups));
  }
  if (scratch_.empty()) return;
  host_.resize(scratch_.size());
  gpu_.resize(scratch_.size());
  stack_.request(scratch_, false, host_, gpu_);
  const double weight = 1 / rate();
  for (std::size_t k = 0; k < scratch_.size(); ++k) {
    if (!counts_[k]) continue;
    seen_[group_[k]] += weight;
    if (host_[k] == StackDistances::never) continue;
    // The k-th followed block stands for 1 / rate blocks; itself included.
    const std::size_t bin = bin_of(host_[k] == 1 && rate() < 1 ? 0.5 * weight : static_cast<double>(host_[k]) * weight);
    auto& bins = hits_[group_[k]];
    if (bin >= bins.size()) bins.resize(bin + 1, 0);
    bins[bin] += weight;
  }
  if (ids_.size() > most_) halve();
}

SampledCurve::Estimate SampledCurve::at(std::int64_t blocks) const {
  if (blocks <= 0 || countable_ == 0) return {};
  std::array<double, groups> per{};
  double all = 0, seen = 0;
  for (std::size_t g = 0; g < groups; ++g) {
    for (std::size_t b = 0; b < hits_[g].size() && end_of(b) <= static_cast<double>(blocks) + 1; ++b) per[g] += hits_[g][b];
    all += per[g];
    seen += seen_[g];
  }
  // The adjustment of SHARDS: references that sampling counted too few or too many belong to the hottest blocks.
  const double missing = static_cast<double>(countable_) - seen;
  Estimate out;
  out.hits = std::clamp(all + missing, 0.0, static_cast<double>(countable_));
  // Each group, adjusted alike, is an estimate of its own of one sixteenth.
  double mean = 0, square = 0;
  for (std::size_t g = 0; g < groups; ++g) {
    const double e = per[g] + (static_cast<double>(countable_) / groups - seen_[g]);
    mean += e / groups;
    square += e * e / groups;
  }
  const double variance = std::max(0.0, square - mean * mean) * groups / (groups - 1);
  // With every block followed there is nothing left to chance; in between the finite population counts.
  out.error = student_95 * std::sqrt(variance * groups * std::max(0.0, 1 - rate()));
  return out;
}

SampledCurve::Estimate SampledCurve::ratio_at(std::int64_t blocks) const {
  Estimate e = at(blocks);
  const double n = static_cast<double>(std::max<std::int64_t>(1, references_));
  e.hits /= n;
  e.error /= n;
  return e;
}

}  // namespace kvcliff::cache
