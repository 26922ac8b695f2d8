// SPDX-License-Identifier: GPL-3.0-or-later
#include "emulator/timing.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kvcliff::emulator {
namespace {

// rtx5070 is assumed, not measured: Qwen3-0.6B (0.44 G parameters without embeddings, 0.88 GFLOP a token, 229 kFLOP per
// pair of tokens in attention) at 28 TFLOP/s effective gives 31 ms per thousand tokens and 8.2 ms per squared thousand;
// 672 GB/s read 1.2 GB of weights in 1.8 ms; PCIe 5 x8 gives about 22 GB/s pinned.
// h200-8b: fits of the fastest run, Qwen3-8B shape, vLLM 0.26.0, CUDA graphs: computed 12.9 + 23.3 n + 0.477 n^2 ms,
// GPU hit 17.7 + 1.37 n, host 20.2 + 4.84 n; decode 4.8 ms (within-session SD of log TTFT 0.011-0.018 off, 0.06-0.12 on).
// h200-0.6b-eager: medians of the 0.6B shape in eager mode; the floor of Python hides the gain up to about 6,000 tokens.
constexpr std::array presets{
    Timing{"rtx5070", "assumed: RTX 5070-like, Qwen3-0.6B", 6.0, 1.0, 2.0, 31.0, 8.2, 2.0, 22e9, 20e9, 3.6, 0.05, 0.015, 0.03, 0.05},
    Timing{"h200-8b", "measured: H200, Qwen3-8B shape, vLLM 0.26.0, CUDA graphs", 12.9, 1.37, 4.8, 21.93, 0.954, 2.5, 42.5e9, 55e9, 4.8, 0.03, 0.012, 0.08, 0.02},
    Timing{"h200-0.6b-eager", "measured: H200, Qwen3-0.6B shape, vLLM 0.26.0, eager mode", 35.0, 1.4, 5.0, 3.63, 0.484, 18.0, 50e9, 35e9, 14.5, 0.05, 0.12, 0.15, 0.05},
};

}  // namespace

std::span<const Timing> timing_presets() { return presets; }

const Timing* find_preset(std::string_view name) {
  for (const Timing& t : presets)
    if (t.name == name) return &t;
  return nullptr;
}

double expected_ttft_ms(const Timing& t, double computed, double before, double bytes) {
  const double c = computed / 1e3, s = before / 1e3;
  const double load = bytes > 0 ? t.load_latency + bytes / t.load_rate * 1e3 : 0;
  return t.base + t.front * (c + s) + std::max(t.step_floor, t.linear * c + t.quadratic * c * (s + c / 2)) + load;
}

TimeModel::Duration TimeModel::scaled(double value) const {
  return Duration(static_cast<std::int64_t>(std::max(0.0, value * s_.scale) * 1e6));
}

TimeModel::Duration TimeModel::ms(double value, double sd) {
  const double noise = s_.noise > 0 ? std::exp(rng_.normal() * sd * s_.noise) : 1.0;
  return scaled(value * noise * s_.factor * (1 + s_.drift_per_request * static_cast<double>(requests_)));
}

TimeModel::Duration TimeModel::front_end(std::int64_t prompt_tokens) {
  const Timing& t = s_.timing;
  return ms(t.base + t.front * static_cast<double>(prompt_tokens) / 1e3, t.noise);
}

TimeModel::Duration TimeModel::step(std::span<const Part> prefills, std::int64_t decoding, bool storing) {
  const Timing& t = s_.timing;
  double compute = 0;
  for (const Part& p : prefills) {
    const double c = static_cast<double>(p.computed) / 1e3, s = static_cast<double>(p.before) / 1e3;
    compute += t.linear * c + t.quadratic * c * (s + c / 2);
  }
  double value = prefills.empty() ? t.decode : std::max(t.step_floor, compute);
  value += t.decode_per_request * static_cast<double>(std::max<std::int64_t>(0, decoding - (prefills.empty() ? 1 : 0)));
  if (storing) value *= 1 + t.store_contention;
  return ms(value, t.noise);
}

TimeModel::Duration TimeModel::load(std::int64_t bytes) {
  const Timing& t = s_.timing;
  return ms((t.load_latency + static_cast<double>(bytes) / t.load_rate * 1e3) * s_.load_factor, t.load_noise);
}

TimeModel::Duration TimeModel::store(std::int64_t bytes) {
  return ms(static_cast<double>(bytes) / s_.timing.store_rate * 1e3, s_.timing.load_noise);
}

}  // namespace kvcliff::emulator
