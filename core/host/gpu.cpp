// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gpu.h"

#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "host/capture.h"

namespace kvcliff::host {
namespace fs = std::filesystem;

const char* const gpu_query =
    "index,name,uuid,driver_version,pci.bus_id,compute_cap,memory.total,memory.free,pcie.link.gen.max,pcie.link.width.max,"
    "utilization.gpu";

Result<std::vector<Gpu>> parse_gpus(std::string_view csv) {
  std::vector<Gpu> out;
  for (const auto raw : split(csv, '\n')) {
    const auto line = trim(raw);
    if (line.empty()) continue;
    std::vector<std::string_view> f;
    for (const auto part : split(line, ',')) f.push_back(trim(part));
    const auto index = f.empty() ? std::nullopt : parse_int(f[0]);
    if (f.size() != 11 || !index)
      return fail(ErrorCode::corrupt, "The answer of nvidia-smi cannot be read", std::string(line.substr(0, 200)), {}, "Run nvidia-smi in a terminal");
    const auto known = [](std::string_view v) { return !v.empty() && v[0] != '[' && v != "N/A"; };
    const auto text = [&](std::string_view v) { return known(v) ? std::string(v) : std::string(); };
    const auto mib = [](std::string_view v) -> std::optional<std::int64_t> {
      const auto n = parse_int(v);
      return n ? std::optional(*n * 1024 * 1024) : std::nullopt;
    };
    const auto small = [](std::string_view v) -> std::optional<int> {
      const auto n = parse_int(v);
      return n ? std::optional(static_cast<int>(*n)) : std::nullopt;
    };
    Gpu g;
    g.index = static_cast<int>(*index);
    g.name = text(f[1]);
    g.uuid = text(f[2]);
    g.driver = text(f[3]);
    g.bus = text(f[4]);
    g.compute_capability = text(f[5]);
    g.total = mib(f[6]);
    g.free = mib(f[7]);
    g.pcie_generation = small(f[8]);
    g.pcie_width = small(f[9]);
    g.utilisation = parse_double(f[10]);
    out.push_back(std::move(g));
  }
  return out;
}

Gpus read_gpus(const std::function<bool()>& go_on) {
  Gpus g;
  const auto answer = capture({"nvidia-smi", std::string("--query-gpu=") + gpu_query, "--format=csv,noheader,nounits"}, std::chrono::seconds(20), {}, go_on);
  if (answer && answer->code == 0) {
    auto list = parse_gpus(answer->out);
    if (list) {
      g.list = std::move(*list);
      g.from = "nvidia-smi";
      if (g.list.empty()) g.why = "nvidia-smi lists no GPU";
      return g;
    }
    g.why = list.error().sentence();
  } else if (answer) {
    const auto said = trim(answer->out.empty() ? answer->err : answer->out);
    g.why = "nvidia-smi failed: " + to_valid_utf8(said.substr(0, 200));
  } else {
    g.why = answer.error().code == ErrorCode::not_found ? "nvidia-smi is not installed" : answer.error().sentence();
  }
  // Without nvidia-smi the driver still names its cards, though not their memory.
  std::error_code ec;
  for (const auto& card : fs::directory_iterator("/proc/driver/nvidia/gpus", ec)) {
    std::ifstream in(card.path() / "information");
    Gpu gpu;
    gpu.index = static_cast<int>(g.list.size());
    gpu.bus = card.path().filename();
    for (std::string line; std::getline(in, line);)
      if (line.rfind("Model:", 0) == 0) gpu.name = trim(std::string_view(line).substr(6));
    g.list.push_back(std::move(gpu));
    g.from = "/proc/driver/nvidia";
  }
  if (g.list.empty() && !fs::exists("/proc/driver/nvidia/version", ec)) g.why += "; no NVIDIA driver is loaded";
  return g;
}

Json to_json(const Gpu& g) {
  return Json{{"index", g.index}, {"name", g.name}, {"uuid", g.uuid}, {"driver", g.driver}, {"bus", g.bus},
              {"compute_capability", g.compute_capability}, {"memory_total_bytes", optional_json(g.total)},
              {"memory_free_bytes", optional_json(g.free)}, {"pcie_generation", optional_json(g.pcie_generation)},
              {"pcie_width", optional_json(g.pcie_width)}, {"utilisation_percent", optional_json(g.utilisation)}};
}

}  // namespace kvcliff::host
