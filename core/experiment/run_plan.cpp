// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/run_plan.h"

#include <fmt/format.h>

#include <thread>

#include "engine/adapter.h"
#include "host/facts.h"
#include "host/preflight.h"
#include "journal/writer.h"
#include "process/preflight.h"

namespace kvcliff::experiment {
namespace {

RunResult did_not_begin(const Error& e) {
  RunResult out;
  out.error = e;
  out.why = e.sentence();
  return out;
}

}  // namespace

Json machine_checks(const plan::Plan& arm, int ordinal, std::optional<std::int64_t> layers, const engine::Endpoint& at, const std::string& journal,
                    const std::function<bool()>& go_on) {
  host::Needs needs = process::needs_of(arm, layers, ordinal);
  needs.journal = journal;
  // An earlier workbench that was just killed takes its engine with it: give that a moment.
  for (int i = 0; i < 50 && (!go_on || go_on()) && process::check_earlier_processes().state == host::PreflightItem::State::fail; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  Json out = Json::array();
  for (const auto& item : process::preflight(arm, needs, host::read_facts(needs.gpus > 0, go_on), at.host, at.port, go_on)) out.push_back(host::to_json(item));
  return out;
}

RunResult run_plan(const RunOrder& order, Control& control, const std::vector<Observer*>& observers) {
  const auto go_on = [&control] { return !control.stopped(); };
  const bool attach = !order.options.attach_url.empty();
  const std::string engine = attach ? "attach" : order.plan.engine.adapter;
  auto adapter = engine::make_adapter(engine, order.resources);
  if (!adapter) return did_not_begin(adapter.error());
  auto launcher = attach ? Result<std::unique_ptr<process::Launcher>>(process::make_local_launcher())
                         : process::make_launcher(order.plan.launcher);
  if (!launcher) return did_not_begin(launcher.error());

  RunOptions options = order.options;
  options.plan_text = canonical_json(plan::to_json(order.as_written));
  if (engine == "emulator") {
    options.engine_program = order.emulator;  // empty: found as the plan says
    if (options.time_scale != 1.0) options.engine_args = {"--emulate-time-scale", fmt::format("{}", options.time_scale)};
  }
  // A report names the machine and its GPU, whoever started the run; the emulator uses none.
  if (!options.host.is_object()) options.host = host::to_json(host::read_facts(engine != "emulator", go_on));
  journal::Writer::Options writing;
  writing.notice = order.journal_notice;
  auto writer = journal::Writer::open(order.journal, writing);
  if (!writer) return did_not_begin(writer.error());
  for (const auto& n : (*writer)->opening_notices())
    for (Observer* o : observers) o->noticed({0, 0, {}, "info", n});
  if (engine == "vllm") {
    if (order.doing) order.doing("asking the engine which flags it takes");
    if (const auto learned = (*adapter)->learn_flags(**launcher, order.plan, go_on); !learned) {
      Error e = learned.error();
      if (e.code == ErrorCode::not_found) e.code = ErrorCode::engine;  // what is not there is the engine, not an input
      return did_not_begin(e);
    }
  }
  const engine::Adapter& speaks = **adapter;
  const Services services{
      speaks, **launcher, **writer, order.kv_bytes,
      [&speaks](const engine::Endpoint& at, const plan::Plan& p) { return connect_http(speaks, at, p); },
      [&order, go_on](const plan::Plan& arm, int ordinal, const engine::Endpoint& at) {
        return machine_checks(arm, ordinal, order.layers ? order.layers(arm) : std::nullopt, at, order.journal, go_on);
      }};
  return run_experiment(order.plan, options, services, control, observers, order.journal);
}

}  // namespace kvcliff::experiment
