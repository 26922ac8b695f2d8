// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "base/json.h"
#include "cache/config.h"

namespace kvcliff::test {

/// One scenario of prediction-scenarios.json or recorded-scenarios.json, read for the tests' own models (core/cache
/// has a reader of its own). `reset` before a request empties the GPU cache only.
struct ScenarioRequest {
  cache::Request request;
  bool reset_before = false;
};
struct Scenario {
  std::string id;
  cache::Config config;                         ///< switches set to the first listed rule
  std::vector<cache::FreeOrder> free_orders;
  std::vector<cache::HostTouch> host_touches;
  std::vector<ScenarioRequest> requests;
  std::vector<std::vector<std::int64_t>> expect;  ///< computed, GPU, host, stored chunks
  std::vector<bool> order_dependent;
};
std::vector<Scenario> read_scenarios(const std::string& file);
Scenario read_scenario(const Json& json, std::int64_t default_block_size);

}  // namespace kvcliff::test
