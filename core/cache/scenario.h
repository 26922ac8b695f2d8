// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "cache/config.h"
#include "cache/predict.h"

namespace kvcliff::cache {

/// One scenario of a prediction file: a configuration and requests made of parts of named documents.
/// Token i of a document is the same token wherever it appears; output tokens continue the last document.
struct Scenario {
  std::string id;
  Config config;                          ///< with the first of the rules below
  std::vector<FreeOrder> free_orders;     ///< rules under which `expect` holds
  std::vector<HostTouch> host_touches;
  std::vector<Input> inputs;
  std::vector<std::string> names;         ///< of the inputs
  std::vector<std::vector<std::uint64_t>> tokens;  ///< prompt of each input, as numbers that are equal for equal tokens
  /// [computed, gpu_hit, host_loaded, stored chunks] per request, where the file gives them.
  std::vector<std::array<std::int64_t, 4>> expect;
  std::vector<std::size_t> order_dependent;  ///< inputs whose host part is random (HostTouch::unordered)
};

struct ScenarioFile {
  std::vector<Scenario> scenarios;
  bool single = false;                    ///< the file is one scenario object
  std::vector<std::string> warnings;      ///< members that were not understood
};

/// Reads a scenario file: {"block_size"?, "scenarios":[...]} or one scenario object.
/// Errors: bad_usage, naming the scenario and the field.
Result<ScenarioFile> read_scenarios(const Json& json, const std::string& where);
Result<ScenarioFile> read_scenario_file(const std::string& path);

Result<FreeOrder> free_order_from(const std::string& word);
Result<HostTouch> host_touch_from(const std::string& word);
std::string_view to_string(FreeOrder o);
std::string_view to_string(HostTouch t);

}  // namespace kvcliff::cache
