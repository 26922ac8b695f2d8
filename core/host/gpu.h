// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace kvcliff::host {

struct Gpu {
  int index = 0;
  std::string name, uuid, driver, bus, compute_capability;
  std::optional<std::int64_t> total, free;   ///< bytes
  std::optional<int> pcie_generation, pcie_width;
  std::optional<double> utilisation;         ///< percent
};
struct Gpus {
  std::vector<Gpu> list;
  std::string why;      ///< reason when none could be read: no driver, no nvidia-smi, its own message
  std::string from;     ///< "nvidia-smi", "/proc/driver/nvidia"
};
/// Fields asked of nvidia-smi, in order.
extern const char* const gpu_query;
/// Its CSV answer (noheader, nounits; MiB). "[N/A]" and "[Not Supported]" stay unknown. Errors: corrupt.
Result<std::vector<Gpu>> parse_gpus(std::string_view csv);
Gpus read_gpus(const std::function<bool()>& go_on = {});
Json to_json(const Gpu& gpu);

}  // namespace kvcliff::host
