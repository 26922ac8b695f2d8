// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "cache/config.h"
#include "emulator/options.h"

namespace kvcliff::emulator {

/// The server as it will run: capacities resolved, or the reason why a real one would not start.
struct Setup {
  cache::Config cache;
  std::int64_t gpu_blocks = 0;           ///< null block included, as reported
  std::int64_t kv_bytes_per_token = 0;   ///< all layers, all ranks
  std::int64_t layers = 0;
  std::int64_t vocabulary = 0;
  std::int64_t max_model_len = 0;
  std::int64_t host_bytes = 0;           ///< as asked; 0: no tier
  std::int64_t pinned_bytes = 0;         ///< one tensor per layer, each rounded up to a power of two
  bool tier = false;                     ///< a connector is configured (and shown)
  std::string connector;                 ///< "OffloadingConnector", "SimpleCPUOffloadConnector"
  double kv_offloading_gib = 0;          ///< shown in cache_config_info; 0: "None"
  std::string failure;                   ///< root cause as the engine core logs it; empty: starts
  bool failure_before_engine = false;    ///< raised by the API server itself
};
Setup make_setup(const Options& options);

}  // namespace kvcliff::emulator
