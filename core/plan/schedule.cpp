// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <filesystem>

#include "base/text.h"
#include "plan/internal.h"

namespace kvcliff::plan {

std::vector<SessionPlan> schedule(const Plan& plan) {
  std::vector<SessionPlan> out;
  const auto add = [&](const std::string& arm, bool conditioning, int pair) {
    out.push_back({static_cast<int>(out.size()), arm, conditioning, pair});
  };
  const std::string first = plan.schedule.first;
  const std::string second = first == "off" ? "on" : "off";
  for (int i = 0; i < plan.schedule.conditioning; ++i) add(first, true, -1);
  // AB BA | BA AB: within four sessions a linear drift, within eight a quadratic one weighs on both arms alike.
  for (int pair = 0; pair < plan.schedule.pairs; ++pair) {
    const bool straight = pair % 4 == 0 || pair % 4 == 3;
    add(straight ? first : second, false, pair);
    add(straight ? second : first, false, pair);
  }
  for (const auto& arm : plan.schedule.controls) add(arm, false, -1);
  if (!plan.schedule.calibration.empty()) add(plan.schedule.calibration, false, -1);
  return out;
}

const Arm* find_arm(const Plan& plan, const std::string& name) {
  for (const auto& arm : plan.arms)
    if (arm.name == name) return &arm;
  return nullptr;
}

Result<Plan> for_arm(const Plan& plan, const std::string& name) {
  const Arm* arm = find_arm(plan, name);
  if (!arm) {
    std::string known;
    for (const auto& a : plan.arms) known += (known.empty() ? "" : ", ") + a.name;
    return fail(ErrorCode::bad_usage, fmt::format("The plan has no arm \"{}\"", name), plan.name, {}, "Its arms: " + known);
  }
  if (arm->overrides.empty()) return plan;
  Json json = to_json(plan);
  for (const auto& [path, value] : arm->overrides) {
    Json* at = &json;
    const auto parts = split(path, '.');
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::string part(parts[i]);
      const bool last = i + 1 == parts.size();
      if (!at->is_object() || part.empty() || (!last && !at->contains(part)))
        return fail(ErrorCode::bad_usage, fmt::format("The override \"{}\" of arm \"{}\" names no value of a plan", path, name));
      at = &(*at)[part];
      if (last) *at = value;
    }
  }
  std::vector<Fault> faults;
  Plan out = read_structure(json, faults);
  if (!faults.empty())
    return fail(ErrorCode::bad_usage, fmt::format("Arm \"{}\": {}", name, faults.front().what), faults.front().field, {},
                faults.front().next);
  out.arms = plan.arms;
  out.schedule = plan.schedule;
  return out;
}

Plan with_paths_from(Plan plan, const std::string& folder) {
  const auto resolve = [&](std::string& path) {
    const std::filesystem::path p(path);
    if (!path.empty() && p.is_relative()) path = (std::filesystem::path(folder) / p).lexically_normal().string();
  };
  resolve(plan.model.config);
  resolve(plan.workload.trace);
  return plan;
}

std::optional<std::int64_t> request_count(const Plan& plan) {
  const auto& w = plan.workload;
  if (w.kind == workload::Spec::Kind::trace)
    return w.trace_requests > 0 ? std::optional(w.trace_requests) : std::nullopt;
  return w.documents * w.rounds;
}

std::optional<Blocks> working_set(const Plan& plan) {
  const auto& w = plan.workload;
  const std::int64_t bs = plan.capacity.block_size;
  if (w.kind == workload::Spec::Kind::trace || bs <= 0) return std::nullopt;
  // The last token of an answer is never written to the cache: it is sampled and not run.
  const std::int64_t kept = w.kind == workload::Spec::Kind::sessions ? w.tokens + (w.rounds - 1) * w.turn_tokens : w.tokens;
  const auto whole = full_blocks(Tokens(kept + w.output_tokens - 1), bs);
  const auto shared = full_blocks(Tokens(w.shared_prefix_tokens), bs);
  return shared + Blocks((whole.v - shared.v) * w.documents);
}

}  // namespace kvcliff::plan
