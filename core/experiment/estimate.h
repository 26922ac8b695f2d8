// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "plan/plan.h"

namespace kvcliff::experiment {

/// What one request costs an engine whose speed is known, ms.
struct RequestCost {
  std::function<double(double tokens)> whole_prompt_ms;   ///< TTFT of a prompt that is computed whole
  double decode_ms = 0;                                   ///< per output token
};
/// By the name of an emulator's preset ("" = its default); nullopt for a name it does not have.
using PresetCost = std::function<std::optional<RequestCost>(const std::string& preset)>;

/// A time, or why there is none.
struct Estimate {
  std::optional<double> seconds;
  std::string why;
};

/// Time of one session, launch included, as if every prompt were computed whole: what it takes at most where nothing goes
/// wrong. `arm_plan` as plan::for_arm gives it. Only an emulated engine's speed is known before the first run.
Estimate session_time(const plan::Plan& arm_plan, const PresetCost& cost);
/// Of all sessions of the schedule.
Estimate run_time(const plan::Plan& plan, const PresetCost& cost);

/// Value of a flag in the engine's extra arguments, in either spelling ("--a b", "--a=b"); empty: not there.
std::string extra_argument(const plan::Plan& plan, const std::string& flag);

}  // namespace kvcliff::experiment
