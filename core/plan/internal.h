// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "plan/plan.h"

namespace kvcliff::plan {

/// A fault with the fields whose values it compares (its own field included).
struct Finding {
  Fault fault;
  std::vector<std::string> fields;
  bool of_launch = false;  ///< about what would be started: no reason not to read a run that is over
};

/// Names and types only; values out of range are left for find_faults.
Plan read_structure(const Json& json, std::vector<Fault>& faults);
/// Ranges and contradictions of a whole plan, its arms included.
std::vector<Finding> find_faults(const Plan& plan);
/// Ranges and contradictions of the values that an arm sees (arms and schedule not looked at).
std::vector<Finding> find_value_faults(const Plan& plan);
/// Words that a program would take for something else than the plan means: launcher options, further arguments.
std::vector<Finding> find_launch_faults(const Plan& plan);
bool rests_on(const Finding& finding, const std::vector<std::string>& fields);

}  // namespace kvcliff::plan
