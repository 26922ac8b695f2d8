// SPDX-License-Identifier: GPL-3.0-or-later
// `engine list|install|remove`: pinned environments of engines.
#include <fmt/format.h>

#include <filesystem>
#include <ostream>

#include "base/text.h"
#include "cli/context.h"
#include "cli/resources.h"
#include "host/environments.h"
#include "process/installer.h"

namespace kvcliff::cli {
namespace {
namespace fs = std::filesystem;

struct EngineArgs {
  std::string name, dir, wheels, python;
};

Result<fs::path> recipes_folder(const Context& context) {
  auto file = find_resource(context, "engines/vllm-cpu.json");
  if (!file) return fail(file.error());
  return fs::path(*file).parent_path();
}

int list(const Context& context) {
  const auto folder = recipes_folder(context);
  if (!folder) return context.report(folder.error());
  const auto recipes = process::read_recipes(*folder);
  if (!recipes) return context.report(recipes.error());
  OrderedJson out{{"folder", host::engines_folder().string()}, {"available", OrderedJson::array()}, {"found", OrderedJson::array()}};
  for (const auto& r : *recipes)
    out["available"].push_back({{"name", r.name}, {"engine", r.engine}, {"version", r.version}, {"python", r.python}, {"download_bytes", r.download_bytes},
                                {"disk_bytes", r.disk_bytes}, {"installed", process::is_installed(host::engines_folder() / r.name)}, {"note", r.note}});
  for (const auto& f : host::find_engines(host::default_places()))
    out["found"].push_back({{"engine", f.engine}, {"version", f.version.empty() ? OrderedJson() : OrderedJson(f.version)}, {"kind", f.kind}, {"place", f.place}, {"why", f.why}});
  if (context.json) {
    context.print(out);
    return Exit::done;
  }
  context.out << "Can be installed (kvcliff-cli engine install NAME):\n";
  for (const auto& r : out.at("available"))
    context.out << fmt::format("  {:<10} {} {}, Python {}, about {} to fetch and {} on disk{}\n", r.at("name").get<std::string>(), r.at("engine").get<std::string>(),
                               r.at("version").get<std::string>(), r.at("python").get<std::string>(), human_bytes(Bytes(r.at("download_bytes").get<std::int64_t>())),
                               human_bytes(Bytes(r.at("disk_bytes").get<std::int64_t>())), r.at("installed").get<bool>() ? "  [installed]" : "");
  context.out << "Found on this machine:\n";
  if (out.at("found").empty()) context.out << "  none\n";
  for (const auto& f : out.at("found"))
    context.out << fmt::format("  {} {}  {}  {}\n", f.at("engine").get<std::string>(), f.at("version").is_null() ? "of unknown version" : f.at("version").get<std::string>(),
                               f.at("kind").get<std::string>(), f.at("place").get<std::string>());
  return Exit::done;
}

int install(const Context& context, const EngineArgs& a) {
  const auto folder = recipes_folder(context);
  if (!folder) return context.report(folder.error());
  const auto recipes = process::read_recipes(*folder);
  if (!recipes) return context.report(recipes.error());
  std::string known;
  const process::EngineRecipe* recipe = nullptr;
  for (const auto& r : *recipes) {
    known += (known.empty() ? "" : ", ") + r.name;
    if (r.name == a.name) recipe = &r;
  }
  if (!recipe) return context.report({ErrorCode::bad_usage, "There is no engine environment \"" + a.name + "\"", {}, {}, "Known: " + known});
  process::InstallOptions o{.folder = a.dir.empty() ? host::engines_folder() / recipe->name : fs::path(a.dir),
                            .lock = *folder / recipe->lock, .wheels = a.wheels, .python = a.python, .stop = &context.stop};
  std::error_code ec;
  o.folder = fs::absolute(o.folder, ec);
  const auto done = process::install_engine(*recipe, o, [&](int step, int steps, const std::string& line) {
    if (!context.quiet) context.err << fmt::format("[{}/{}] {}\n", step, steps, to_valid_utf8(line)) << std::flush;
  });
  if (!done) return context.report(done.error());
  // So that doctor and engine list find it also where --dir named a place of its own.
  if (const auto w = host::remember_engine(o.folder); !w && !context.quiet) context.err << w.error().sentence() << "\n";
  if (context.json)
    context.print(OrderedJson{{"name", recipe->name}, {"version", recipe->version}, {"folder", o.folder.string()}, {"packages", done->packages}, {"added", done->added}});
  else
    context.out << fmt::format("{} {} lies in {}: {} packages, every file of their lists is there ({})\nUse it in a plan: \"engine\": {{\"adapter\": \"vllm\", \"environment\": \"{}\"}}\n",
                               recipe->engine, recipe->version, o.folder.string(), done->packages,
                               done->added == 0 ? "as before" : done->added == done->packages ? "all put in now" : fmt::format("{} put in now", done->added),
                               a.dir.empty() ? recipe->name : o.folder.string());
  return Exit::done;
}

int remove(const Context& context, const EngineArgs& a) {
  const fs::path folder = a.name.find('/') != std::string::npos ? fs::path(a.name) : host::engines_folder() / a.name;
  if (a.name.empty() || a.name == "." || a.name == "..") return context.report({ErrorCode::bad_usage, "This is no environment", a.name});
  const auto done = process::remove_engine(folder);
  if (!done) return context.report(done.error());
  if (const auto w = host::forget_engine(folder); !w && !context.quiet) context.err << w.error().sentence() << "\n";
  if (context.json) context.print(OrderedJson{{"removed", folder.string()}});
  else context.out << "Removed " << folder.string() << "\n";
  return Exit::done;
}

}  // namespace

void add_engine(CLI::App& app, Context& context) {
  CLI::App* group = app.add_subcommand("engine", "Pinned environments of engines");
  group->require_subcommand(1);
  auto a = std::make_shared<EngineArgs>();
  add_command(*group, context, "list", "Environments that can be installed, and engines found", [&context] { return list(context); });
  CLI::App* sub = add_command(*group, context, "install", "Make a pinned environment; goes on where it was left", [&context, a] { return install(context, *a); });
  sub->add_option("name", a->name, "Name from engine list")->required();
  sub->add_option("--dir", a->dir, "Folder (default: under ~/.local/share/kvcliff/engines)");
  sub->add_option("--wheels", a->wheels, "Install from this folder of wheels only, without a network");
  sub->add_option("--python", a->python, "Interpreter to use");
  sub = add_command(*group, context, "remove", "Remove an environment that engine install made", [&context, a] { return remove(context, *a); });
  sub->add_option("name", a->name, "Name, or its folder")->required();
}

}  // namespace kvcliff::cli
