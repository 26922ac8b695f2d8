// SPDX-License-Identifier: GPL-3.0-or-later
#include "process/preflight.h"

#include <fmt/format.h>

#include "host/environments.h"
#include "process/ports.h"
#include "process/table.h"

namespace kvcliff::process {

using host::PreflightItem;
using State = PreflightItem::State;

host::Needs needs_of(const plan::Plan& plan, std::optional<std::int64_t> layers, int first_session) {
  host::Needs n;
  n.layers = layers;
  // The emulator pins nothing; its tier is counted, not kept.
  const bool real = plan.engine.adapter == "vllm";
  if (!real) n.layers.reset();
  n.ranks = plan.model.tp * plan.model.pp;
  for (const auto& arm : plan.arms) {
    const auto seen = plan::for_arm(plan, arm.name);
    if (!seen) continue;
    if (arm.offload && real) n.host_bytes = std::max(n.host_bytes, seen->capacity.host_bytes);
    n.gpus = std::max(n.gpus, real ? seen->model.tp * seen->model.pp : 0);
  }
  if (real) n.shm_bytes = std::int64_t{512} << 20;  // message queues of the engine's processes: 168 + 252 MB were seen
  if (n.gpus > 0 && host::runs_on_cpu_alone(plan.engine.environment)) n.gpus = 0;
  // Requests with their events, scrapes and raw bytes: 40 KiB each were ample for 16 output tokens.
  std::int64_t requests = 0;
  for (const auto& s : plan::schedule(plan))
    if (const auto seen = plan::for_arm(plan, s.arm); seen && s.ordinal >= first_session) requests += plan::request_count(*seen).value_or(1000) + plan.warmup.max_requests;
  n.journal_bytes = requests * ((plan.keep_raw ? 40'000 : 8'000) + plan.workload.output_tokens * 64);
  return n;
}

PreflightItem check_port(const std::string& host, int port) {
  PreflightItem i{.id = "port", .what = fmt::format("Port {} of {} is free", port, host), .numbers = {{"port", port}}};
  if (const auto free = port_free(host, port); !free) {
    i.state = State::fail;
    i.what = free.error().what;
    i.why = free.error().why;
    i.next = free.error().next;
  }
  return i;
}

PreflightItem check_earlier_processes() {
  PreflightItem i{.id = "earlier_processes", .what = "No process of an earlier session is left"};
  const auto left = orphans_of_dead_workbenches();
  i.numbers = {{"processes", static_cast<std::int64_t>(left.size())}};
  if (left.empty()) return i;
  std::string names;
  for (std::size_t k = 0; k < left.size() && k < 5; ++k) names += fmt::format("{}{} {}", k ? ", " : "", left[k].process.pid, left[k].process.name);
  i.state = State::fail;
  i.what = fmt::format("{} {} of an earlier session {} left: {}", left.size(), left.size() == 1 ? "process" : "processes", left.size() == 1 ? "is" : "are", names);
  i.why = "they hold memory and device time";
  i.next = "End them (kill), or go on knowing that they disturb";
  return i;
}

std::vector<PreflightItem> preflight(const plan::Plan& plan, const host::Needs& needs, const host::Facts& facts,
                                     const std::string& host, int port, const std::function<bool()>& go_on) {
  std::vector<PreflightItem> out;
  if (plan.engine.adapter != "attach") out.push_back(check_port(host, port));
  if (plan.launcher.kind != "local") out.push_back(check_launcher(plan.launcher, go_on));
  const bool here = plan.launcher.kind == "local" || plan.launcher.kind == "container";
  host::Needs n = needs;
  if (plan.launcher.kind == "container") {
    n.shm_bytes = 0;  // it has a /dev/shm of its own
    n.tier_in_shm = false;
  }
  if (here) {
    out.push_back(check_earlier_processes());
  } else {
    n.host_bytes = n.shm_bytes = 0;
    n.gpus = 0;
    n.tier_in_shm = false;
    out.push_back({.id = "host_memory", .state = State::not_possible, .what = "The memory of the engine's machine is not looked at",
                   .why = fmt::format("it is started there by {}", plan.launcher.kind),
                   .next = "Run kvcliff-cli doctor there"});
  }
  for (auto& item : host::check_machine(n, facts)) out.push_back(std::move(item));
  return out;
}

}  // namespace kvcliff::process
