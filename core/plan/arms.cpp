// SPDX-License-Identifier: GPL-3.0-or-later
// Faults of arms and schedule, and what is likely not meant.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "plan/internal.h"
#include "plan/reader.h"

namespace kvcliff::plan {
namespace {

using Kind = workload::Spec::Kind;

void add(std::vector<Finding>& out, const std::string& field, std::string what, std::string next = {}, std::vector<std::string> also = {}) {
  also.push_back(field);
  out.push_back({{field, std::move(what), std::move(next)}, std::move(also)});
}

bool is_offload_field(const std::string& path) {
  return path == "capacity.host_bytes" || path == "capacity.offload" || path.rfind("capacity.offload.", 0) == 0;
}

/// Overrides of one arm: places, types, ranges, and the contradictions that appear only in this arm.
void check_overrides(const Plan& plan, std::size_t index, const std::vector<Finding>& plan_wide, std::vector<Finding>& out) {
  const Arm& arm = plan.arms[index];
  const std::string place = fmt::format("arms[{}].overrides", index);
  static const std::vector<std::string> parts{"capacity", "workload", "model", "engine", "load"};
  bool good = true;
  for (const auto& [path, value] : arm.overrides) {
    const std::string head = path.substr(0, path.find('.'));
    if (path.find('.') == std::string::npos || std::find(parts.begin(), parts.end(), head) == parts.end()) {
      add(out, place + "." + path, fmt::format("Arm \"{}\" overrides \"{}\", which is no member of {}", arm.name, path, fmt::join(parts, ", ")),
          "Write a dotted path such as \"capacity.gpu_blocks\"");
      good = false;
      continue;
    }
    Plan one = plan;  // each override alone, so that every wrong one is named
    one.arms = {{.name = "x", .overrides = {{path, value}}}};
    if (const auto seen = for_arm(one, "x"); !seen) {
      std::string what = seen.error().what;
      const std::string mine = "Arm \"x\": ";
      if (what.rfind(mine, 0) == 0) what = what.substr(mine.size());
      else what = fmt::format("{} names no value of a plan", path);
      add(out, place + "." + path, fmt::format("Arm \"{}\": {}", arm.name, what), seen.error().next);
      good = false;
    }
  }
  if (!good || arm.overrides.empty()) return;
  const auto seen = for_arm(plan, arm.name);
  if (!seen) return;
  for (auto& f : find_value_faults(*seen)) {
    const bool known = std::any_of(plan_wide.begin(), plan_wide.end(), [&](const Finding& o) { return o.fault.what == f.fault.what; });
    if (known) continue;
    f.fault.what = fmt::format("Arm \"{}\": {}", arm.name, f.fault.what);
    f.fault.field = place + "." + f.fault.field;
    out.push_back(std::move(f));
  }
}

void check_compared(const Plan& plan, std::vector<Finding>& out) {
  if (plan.schedule.pairs < 1) return;
  const std::string why = "the pairs of sessions compare arm \"off\" (no tier) with arm \"on\" (with it)";
  for (const bool offload : {false, true}) {
    const std::string name = offload ? "on" : "off";
    const Arm* arm = find_arm(plan, name);
    if (!arm) {
      add(out, "arms", fmt::format("There is no arm \"{}\": {}", name, why), fmt::format("Add {{\"name\": \"{}\", \"offload\": {}}}", name, offload));
      continue;
    }
    const std::string place = fmt::format("arms[{}]", arm - plan.arms.data());
    if (arm->offload != offload)
      add(out, place + ".offload", fmt::format("Arm \"{}\" says offload {}: {}", name, arm->offload, why));
  }
  const Arm* off = find_arm(plan, "off");
  const Arm* on = find_arm(plan, "on");
  if (!off || !on) return;
  for (const Arm* arm : {off, on})
    for (const auto& [path, value] : arm->overrides) {
      const auto& others = (arm == off ? on : off)->overrides;
      const auto it = others.find(path);
      if (is_offload_field(path) || (it != others.end() && it->second == value)) continue;
      add(out, fmt::format("arms[{}].overrides.{}", arm - plan.arms.data(), path),
          fmt::format("Arm \"{}\" changes {} and the arm it is compared with does not: the difference would not be the tier's", arm->name, path),
          "Change it in the plan, in both arms, or in an arm of its own");
    }
}

void check_tier(const Plan& plan, std::vector<Finding>& out) {
  for (std::size_t i = 0; i < plan.arms.size(); ++i) {
    const Arm& arm = plan.arms[i];
    if (!arm.offload || plan.engine.adapter == "attach") continue;
    const auto it = arm.overrides.find("capacity.host_bytes");
    const auto own = it != arm.overrides.end() && it->second.is_number_integer() ? it->second.get<std::int64_t>() : plan.capacity.host_bytes;
    if (own == 0)
      add(out, "capacity.host_bytes", fmt::format("Arm \"{}\" has a host tier, and its size capacity.host_bytes is 0", arm.name),
          "Give the tier's size in bytes, all ranks together", {fmt::format("arms[{}].overrides", i)});
  }
}

void check_control(const Plan& plan, std::vector<Finding>& out) {
  const Arm* arm = find_arm(plan, "control");
  const auto& used = plan.schedule.controls;
  if (!arm || std::find(used.begin(), used.end(), "control") == used.end()) return;
  const std::string place = fmt::format("arms[{}]", arm - plan.arms.data());
  if (arm->offload)
    add(out, place + ".offload", "The control measures what a GPU hit costs, and has the host tier switched on", "Set its offload to false");
  const auto seen = for_arm(plan, "control");
  if (!seen) return;
  for (const auto& f : find_value_faults(*seen))
    if (rests_on(f, {"capacity", "workload"})) return;  // sizes out of range are named already
  const auto set = working_set(*seen);
  const std::int64_t usable = seen->capacity.gpu_blocks - 1;
  if (set && set->v > usable)
    add(out, place + ".overrides",
        fmt::format("The control does not fit: {} documents keep {} blocks, and the GPU cache has {} usable ones, so that nothing would be hit", grouped(seen->workload.documents), grouped(set->v), grouped(usable)),
        "Give it fewer documents (\"workload.documents\") or more blocks (\"capacity.gpu_blocks\")",
        {"capacity.gpu_blocks", "capacity.block_size", "workload.documents", "workload.tokens", "workload.output_tokens"});
  if (seen->workload.kind != Kind::trace && seen->workload.rounds < 2)
    add(out, place + ".overrides", "The control sends each document once: nothing can be hit", "Give it two or more rounds", {"workload.rounds"});
}

void check_schedule(const Plan& plan, std::vector<Finding>& out) {
  const auto& s = plan.schedule;
  const auto bounded = [&](const std::string& field, int value, int high) {
    if (value < 0 || value > high) add(out, field, fmt::format("{} must lie in 0 to {}, and is {}", field, high, value));
  };
  bounded("schedule.pairs", s.pairs, 1000);
  bounded("schedule.conditioning", s.conditioning, 100);
  if (s.first != "off" && s.first != "on") add(out, "schedule.first", fmt::format("schedule.first must be off or on, and is \"{}\"", s.first));
  if (s.server != "fresh" && s.server != "kept")
    add(out, "schedule.server", fmt::format("schedule.server must be fresh or kept, and is \"{}\"", s.server));
  if (s.server == "kept" && s.pairs > 0)
    add(out, "schedule.server", "Compared pairs need a fresh server each, and this plan keeps servers over several sessions",
        "Take \"fresh\", or no pairs: a kept server is for the points of a sweep", {"schedule.pairs"});
  std::vector<std::string> names;
  for (const auto& a : plan.arms) names.push_back(a.name);
  const auto known = [&](const std::string& field, const std::string& name) {
    if (find_arm(plan, name)) return;
    const auto close = nearest(name, names);
    add(out, field, fmt::format("{} names arm \"{}\", which the plan does not have", field, name),
        close.empty() ? fmt::format("Its arms: {}", fmt::join(names, ", ")) : fmt::format("Did you mean \"{}\"?", close), {"arms"});
  };
  for (std::size_t i = 0; i < s.controls.size(); ++i) known(fmt::format("schedule.controls[{}]", i), s.controls[i]);
  if (!s.calibration.empty()) known("schedule.calibration", s.calibration);
  if (s.pairs == 0 && s.controls.empty() && s.calibration.empty())
    add(out, "schedule.pairs", "The schedule has no session: no pair, no control, no calibration", {}, {"schedule.controls", "schedule.calibration"});
}

}  // namespace

std::vector<Finding> find_faults(const Plan& plan) {
  std::vector<Finding> out = find_value_faults(plan);
  if (trim(plan.name).empty()) add(out, "name", "The plan has no name", "Give it one: exports are named after it");
  if (plan.arms.empty()) add(out, "arms", "The plan has no arm");
  std::set<std::string> seen;
  for (std::size_t i = 0; i < plan.arms.size(); ++i) {
    const auto& name = plan.arms[i].name;
    const std::string place = fmt::format("arms[{}].name", i);
    if (trim(name).empty()) add(out, place, fmt::format("arms[{}] has no name", i));
    else if (!seen.insert(name).second) add(out, place, fmt::format("Two arms are called \"{}\"", name), "Give each its own name");
  }
  const auto plan_wide = out;
  for (std::size_t i = 0; i < plan.arms.size(); ++i) check_overrides(plan, i, plan_wide, out);
  check_compared(plan, out);
  check_tier(plan, out);
  check_schedule(plan, out);
  check_control(plan, out);
  return out;
}

}  // namespace kvcliff::plan
