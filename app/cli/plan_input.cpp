// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/plan_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "cache/rules.h"
#include "cli/resources.h"
#include "emulator/timing.h"
#include "engine/adapter.h"
#include "journal/file_state.h"
#include "journal/reader.h"
#include "model/capacity.h"
#include "model/catalogue.h"
#include "model/config_text.h"
#include "model/derive.h"
#include "reconcile/load.h"

namespace kvcliff::cli {
namespace fs = std::filesystem;

Error faults_error(const std::string& path, const std::vector<plan::Fault>& faults) {
  std::string all;
  for (const auto& f : faults) all += fmt::format("{}{}{}", all.empty() ? "" : "; ", f.what, f.next.empty() ? "" : " (" + f.next + ")");
  if (faults.size() == 1 && faults[0].field.empty())  // no plan at all: unreadable, or no JSON object
    return {ErrorCode::bad_usage, faults[0].what, path, {}, faults[0].next};
  return {ErrorCode::bad_usage,
          fmt::format("The plan has {} fault{}", faults.size(), faults.size() == 1 ? "" : "s"), path, all,
          "kvcliff-cli plan check lists them one by one"};
}

namespace {
/// An SQLite file that cannot be used, or one that cannot be looked into: no plan file, so it is not read as one.
bool is_bad_journal(const journal::FileState& state) {
  using Kind = journal::FileState::Kind;
  return state.kind == Kind::damaged || state.kind == Kind::newer || state.kind == Kind::foreign || state.kind == Kind::unreadable;
}
}  // namespace

Result<LoadedPlan> load_plan(const std::string& path) {
  LoadedPlan out;
  std::error_code ec;
  const auto state = journal::inspect_file(path);
  if (is_bad_journal(state)) return fail(journal::state_error(state, path));
  if (state.kind == journal::FileState::Kind::current || state.kind == journal::FileState::Kind::older) {
    // Shown and computed with, never started: that asks for --trust.
    const auto reader = journal::Reader::open(path);
    if (!reader) return fail(reader.error());
    const auto e = reader->experiment({});
    if (!e) return fail(e.error());
    const auto stored = plan::parse_stored(e->plan_text, "the plan of run " + e->uid);
    if (!stored.valid()) return fail(faults_error("the plan of run " + e->uid + " in " + path, stored.faults));
    out.plan = stored.plan;
    out.hash = plan::hash(stored.plan);
    out.journalled = true;
    out.host = e->host;
    return out;
  }
  const auto parsed = plan::parse_file(path);
  if (!parsed.valid()) return fail(faults_error(path, parsed.faults));
  out.plan = plan::with_paths_from(parsed.plan, fs::absolute(path, ec).parent_path().string());
  out.hash = plan::hash(parsed.plan);
  return out;
}

Result<void> requests_at_hand(const LoadedPlan& loaded, const std::string& path) {
  if (!loaded.journalled || loaded.plan.workload.kind != workload::Spec::Kind::trace) return {};
  return fail(ErrorCode::bad_usage, "The requests of this run are those of a trace, and the journal does not hold it", path,
              "\"" + loaded.plan.workload.trace + "\" is a file of the machine that measured", "Give the plan file, beside its trace");
}

Result<PlanSource> plan_to_run(const std::string& path, const std::string& experiment, const std::string& trust) {
  std::error_code ec;
  PlanSource out;
  out.folder = fs::absolute(path, ec).parent_path().string();
  const auto state = journal::inspect_file(path);
  using Kind = journal::FileState::Kind;
  if (is_bad_journal(state)) return fail(journal::state_error(state, path));
  if (state.kind != Kind::current && state.kind != Kind::older && state.kind != Kind::newer) {
    if (!trust.empty())
      return fail(ErrorCode::bad_usage, "--trust is for a plan taken out of a journal or bundle", path, "this is a plan file", "Leave it out");
    auto parsed = plan::parse_file(path);
    if (!parsed.valid()) return fail(faults_error(path, parsed.faults));
    out.as_written = std::move(parsed.plan);
    out.hash = plan::hash(out.as_written);
    return out;
  }
  const auto reader = journal::Reader::open(path);
  if (!reader) return fail(reader.error());
  const auto e = reader->experiment(experiment);
  if (!e) return fail(e.error());
  auto parsed = plan::parse_text(e->plan_text, "the plan of run " + e->uid);
  if (!parsed.valid()) return fail(faults_error("the plan of run " + e->uid + " in " + path, parsed.faults));
  out.as_written = std::move(parsed.plan);
  out.hash = plan::hash(out.as_written);
  if (trust == out.hash) return out;
  const std::string look = fmt::format("Look at it with kvcliff-cli plan show {}; if these commands may run here, add --trust {}", path, out.hash);
  if (trust.empty())
    return fail(ErrorCode::bad_usage, "The plan of a journal is run only when it is trusted", path, "whoever made the file chose the commands that it starts", look);
  return fail(ErrorCode::bad_usage, "The plan is not the one that --trust names", path, "its hash is " + out.hash, look);
}

Result<model::KvLayout> layout_of_plan(const Context& context, const plan::Plan& p, const LoadedPlan* from) {
  model::Options options;
  options.kv_dtype = p.model.kv_dtype;
  options.tp = p.model.tp;
  options.pp = p.model.pp;
  options.block_size = p.capacity.block_size;
  if (from && from->journalled && !p.model.config.empty()) {
    const Json* config = reconcile::recorded_model(from->host);
    if (config) return model::derive(*config, options);
    return fail(ErrorCode::not_found, "The journal does not hold the config.json of its model", {},
                "\"" + p.model.config + "\" is a file of the machine that measured", {});
  }
  if (!p.model.config.empty()) {
    fs::path path = p.model.config;
    std::error_code ec;
    if (fs::is_directory(path, ec)) path /= "config.json";
    const auto file = read_maybe_compressed(path);
    if (!file) return fail(file.error());
    const auto config = model::parse_config_text(*file, path.string());
    if (!config) return fail(config.error());
    return model::derive(config->value, options);
  }
  const auto file = find_resource(context, "models/catalogue.json");
  if (!file) return fail(file.error());
  const auto entries = model::catalogue(fs::path(*file).parent_path().string());
  if (!entries) return fail(entries.error());
  const auto entry = model::find(*entries, p.model.id);
  if (!entry) return fail(entry.error());
  return model::derive(**entry, options);
}

Result<cache::Config> cache_of_plan(const Context& context, const plan::Plan& p, bool offload, std::optional<Error>& no_tier, const LoadedPlan* from) {
  cache::Config c;
  c.block_size = p.capacity.block_size;
  c.gpu_blocks = std::max<std::int64_t>(0, p.capacity.gpu_blocks - 1);  // the null block
  c.blocks_per_chunk = p.capacity.offload.blocks_per_chunk;
  c.policy = p.capacity.offload.policy == "arc" ? cache::Policy::arc : cache::Policy::lru;
  c.offload_prompt_only = p.capacity.offload.offload_prompt_only;
  if (offload) {
    const auto layout = layout_of_plan(context, p, from);
    const auto chunks = layout ? model::host_chunks(*layout, Bytes(p.capacity.host_bytes), c.blocks_per_chunk) : fail(layout.error());
    if (chunks) c.host_chunks = chunks->v;
    else no_tier = chunks.error();
  }
  return cache::with_rules_of(c, p.engine.version);
}

ShownCommand command_of_arm(const Context& context, const plan::Plan& plan, const plan::Arm& arm, int port) {
  ShownCommand out{.arm = arm.name};
  const auto give_up = [&](const Error& e) {
    out.why = e.sentence();
    return out;
  };
  const auto seen = plan::for_arm(plan, arm.name);
  if (!seen) return give_up(seen.error());
  if (seen->engine.adapter == "attach") {
    out.why = "nothing is launched: the server runs already";
    return out;
  }
  const auto adapter = engine::make_adapter(seen->engine.adapter, resources_folder(context));
  if (!adapter) return give_up(adapter.error());
  const auto command = (*adapter)->command(*seen, arm.offload, {.host = "127.0.0.1", .port = port});
  if (!command) return give_up(command.error());
  out.argv = command->argv;
  out.env_set = command->env_set;
  out.env_unset = command->env_unset;
  const auto launcher = process::make_launcher(plan.launcher);
  if (!launcher) return give_up(launcher.error());
  out.line = (*launcher)->shown(*command);
  return out;
}

experiment::Estimate estimate_time(const plan::Plan& plan) {
  return experiment::run_time(plan, [](const std::string& preset) -> std::optional<experiment::RequestCost> {
    const auto* t = emulator::find_preset(preset.empty() ? emulator::timing_presets().front().name : preset);
    if (!t) return std::nullopt;
    return experiment::RequestCost{[t](double tokens) { return emulator::expected_ttft_ms(*t, tokens, 0, 0); }, t->decode};
  });
}

}  // namespace kvcliff::cli
