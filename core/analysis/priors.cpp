// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/priors.h"

#include <fmt/format.h>

#include <array>

#include "base/text.h"

namespace kvcliff::analysis {
namespace {
constexpr std::array classes{
    GpuClass{"h200", "H200", 560, 4800, 42, 16, "recorded: Qwen3-8B shape with graphs, 256 to 32,003 tokens"},
    GpuClass{"h100", "H100", 500, 3350, 45, 16, "half of the bf16 peak; copies of about 50 GB/s in public measurements"},
    GpuClass{"a100", "A100", 205, 2000, 22, 18, "public profile: Llama-3-8B linear layers at 14,900 tokens/s; PCIe 4"},
    GpuClass{"rtxpro6000", "RTX PRO 6000", 190, 1790, 40, 18, "public timings: Llama-3.1-8B, 2,358 tokens in 170 ms; PCIe 5"},
    GpuClass{"rtx5090", "RTX 5090", 170, 1790, 40, 18, "by its peak against the RTX PRO 6000"},
    GpuClass{"rtx4090", "RTX 4090", 130, 1000, 20, 18, "half of the bf16 peak; PCIe 4"},
    GpuClass{"rtx5070", "RTX 5070", 50, 670, 30, 20, "half of the bf16 peak; PCIe 5"},
    GpuClass{"l40s", "L40S", 150, 864, 20, 18, "less than half of the bf16 peak; PCIe 4"},
    GpuClass{"l4", "L4", 45, 300, 12, 20, "less than half of the bf16 peak; PCIe 4, 16 lanes shared"},
};

std::string letters(std::string_view s) {
  std::string out;
  for (const char c : s)
    if (std::isalnum(static_cast<unsigned char>(c))) out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}
}  // namespace

std::span<const GpuClass> gpu_classes() { return classes; }

const GpuClass* gpu_class(std::string_view name) {
  const std::string wanted = letters(name);
  const GpuClass* best = nullptr;
  for (const auto& c : classes) {
    const std::string id = letters(c.id);
    const auto at = wanted.find(id);
    if (at == std::string::npos) continue;
    // "L4" must not answer for "L40S" or "L4x": what follows the id may not go on with a letter or digit of the model.
    const auto rest = std::string_view(wanted).substr(at + id.size());
    if (!rest.empty() && id == "l4" && std::isdigit(static_cast<unsigned char>(rest[0]))) continue;
    if (!best || id.size() > letters(best->id).size()) best = &c;
  }
  return best;
}

TtftModel a_priori(const PrefillShape& s, const GpuClass& g) {
  TtftModel m;
  m.tag = "guess";
  m.origin = fmt::format("a guess for {}: {:g} TFLOP/s, {:g} GB/s memory, {:g} GB/s link ({})", g.name, g.tflops, g.memory_gb_s, g.link_gb_s, g.basis);
  const auto set = [&](Term t, double v) {
    auto& c = m.terms[static_cast<std::size_t>(t)];
    // A guess is good to a factor of two, not better; its interval says so.
    c = {v, v / 2, v * 2, true, {}};
  };
  const double flop_per_ms = g.tflops * 1e9;
  set(Term::a0, g.fixed_ms);
  set(Term::a1, 2 * s.linear_parameters / flop_per_ms);
  set(Term::a2, 4 * s.layers * s.heads * s.head_dim / flop_per_ms);
  set(Term::h, 0.0014);
  set(Term::d, 1 / (g.link_gb_s * 1e6));
  set(Term::e, 3);
  const double weights = s.weight_bytes > 0 ? s.weight_bytes : 2 * s.linear_parameters;
  set(Term::w, weights / (g.memory_gb_s * 1e6));
  for (std::size_t i = 0; i < term_count; ++i) m.covariance[i][i] = m.terms[i].value * m.terms[i].value / 9;
  m.has_load = true;
  m.computed_high = m.before_high = 131'072;
  m.bytes_high = 1e12;
  return m;
}

}  // namespace kvcliff::analysis
