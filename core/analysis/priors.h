// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "analysis/ttft_model.h"

namespace kvcliff::analysis {

/// What one class of GPU does for prefill, as a guess to begin with. Nothing of it was measured in the user's run.
struct GpuClass {
  std::string_view id, name;
  double tflops;            ///< effective 16-bit matrix rate in prefill (half of the peak, or less)
  double memory_gb_s;       ///< reading weights
  double link_gb_s;         ///< host to GPU as TTFT sees it
  double fixed_ms;          ///< scheduling, launch, sampling, HTTP
  std::string_view basis;   ///< which public or recorded figure it rests on
};
std::span<const GpuClass> gpu_classes();
/// By id, or by the name that a driver reports ("NVIDIA H200", "NVIDIA GeForce RTX 4090"). nullptr when unknown.
const GpuClass* gpu_class(std::string_view name);

/// The numbers of a model that prefill time depends on.
struct PrefillShape {
  double linear_parameters = 0;    ///< weights that one token passes, without embedding and head
  double layers = 0, heads = 0, head_dim = 0;
  double weight_bytes = 0;         ///< read once per step; 0 = 2 bytes x linear_parameters
};

/// TTFT terms from FLOP counts: a1 = 2 P / F, a2 = 4 layers heads head_dim / F, floor = weights / bandwidth,
/// d = 1 / link, with tag "guess". Eager mode has a larger fixed cost, which no shape tells.
TtftModel a_priori(const PrefillShape& shape, const GpuClass& gpu);

}  // namespace kvcliff::analysis
