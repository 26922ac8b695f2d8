// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "analysis/effect.h"

namespace kvcliff::test {

/// One line of tests/data/vllm-gpu/requests.csv.
struct GpuRow {
  std::string session, model, document, phase;
  int index = 0;
  std::int64_t prompt_tokens = 0, computed = 0, gpu_hit = 0, host_loaded = 0, load_bytes = 0;
  double ttft_ms = 0;
};
std::vector<GpuRow> gpu_rows();
std::vector<GpuRow> gpu_rows(const std::string& session);

/// Sessions as compared: those named, in this order; a name that ends in B (or starts with B) ran with the tier.
std::vector<analysis::ComparedSession> gpu_sessions(const std::vector<std::string>& names);

}  // namespace kvcliff::test
