// SPDX-License-Identifier: GPL-3.0-or-later
#include "process/installer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "base/text.h"
#include "host/capture.h"
#include "host/environments.h"
#include "host/shm.h"
#include "process/launcher.h"

namespace kvcliff::process {
namespace fs = std::filesystem;

namespace {

constexpr const char* finished_file = "kvcliff-engine.json";
constexpr const char* begun_file = "kvcliff-engine.begun";

Result<void> run(const std::vector<std::string>& argv, const InstallOptions& o, int step, int steps, const OnProgress& progress) {
  auto started = make_local_launcher()->start({.argv = argv}, [&](const LogLine& l) { if (progress) progress(step, steps, l.text); });
  if (!started) return fail(started.error());
  auto& p = **started;
  while (!p.wait(std::chrono::milliseconds(100)))
    if (o.stop && *o.stop) {
      (void)p.stop(std::chrono::milliseconds(3000));
      return fail(ErrorCode::interrupted, "The installation was stopped", o.folder.string(), {}, "The same command goes on where it was left");
    }
  if (p.exit()->code == 0) return {};
  const auto lines = p.lines(0);
  std::string last;
  for (const auto& l : lines)  // pip and uv begin the line that matters with "ERROR:" or "error:"
    if (starts_with_ci(trim(l.text), "error")) last += (last.empty() ? "" : "; ") + std::string(trim(l.text)).substr(0, 300);
  if (last.empty() && !lines.empty()) last = lines.back().text;
  const bool network = last.find("onnection") != std::string::npos || last.find("resolve host") != std::string::npos || last.find("timed out") != std::string::npos;
  return fail(ErrorCode::engine, fmt::format("{} failed with exit code {}", fs::path(argv[0]).filename().string(), p.exit()->code), o.folder.string(), last,
              network ? "Check the network and run the command again: it goes on where it was left. Or give a folder of wheels with --wheels"
                      : "Run the command again: it goes on where it was left");
}

Result<std::string> interpreter(const EngineRecipe& recipe, const InstallOptions& o) {
  std::vector<std::string> names;
  if (!o.python.empty()) names.push_back(o.python);
  else names = {"python" + recipe.python, "python3"};
  std::string tried;
  for (const auto& name : names) {
    const auto path = host::on_path(name);
    tried += (tried.empty() ? "" : ", ") + name;
    if (path.empty()) continue;
    const auto said = host::capture({path, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"}, std::chrono::seconds(30));
    if (!said || said->code != 0) continue;
    const std::string version(trim(said->out));
    tried += " (" + version + ")";
    if (version == recipe.python) return path;  // the lock's hashes belong to the wheels of this version
  }
  return fail(ErrorCode::not_found, fmt::format("No Python {} is found", recipe.python), {}, "tried " + tried,
              fmt::format("Install python{} with its venv package, or name it with --python", recipe.python));
}

Result<void> write_alias(const EngineRecipe& recipe, const fs::path& folder) {
  if (recipe.metadata_alias.empty()) return {};
  const std::string& version = recipe.alias_version.empty() ? recipe.version : recipe.alias_version;
  const fs::path site = folder / "lib" / ("python" + recipe.python) / "site-packages";
  const fs::path info = site / fmt::format("{}-{}.dist-info", recipe.metadata_alias, version);
  std::error_code ec;
  fs::create_directories(info, ec);
  // Without an INSTALLER and a RECORD, package tools leave it alone.
  return write_file(info / "METADATA", fmt::format("Metadata-Version: 2.1\nName: {}\nVersion: {}\n", recipe.metadata_alias, version));
}

}  // namespace

Result<EngineRecipe> parse_recipe(const Json& j, const std::string& where) {
  if (!j.is_object()) return fail(ErrorCode::corrupt, "An engine recipe must be an object", where);
  EngineRecipe r;
  const std::vector<std::pair<const char*, std::string*>> texts{{"name", &r.name}, {"engine", &r.engine}, {"version", &r.version}, {"python", &r.python},
                                                                {"lock", &r.lock}, {"note", &r.note}, {"metadata_alias", &r.metadata_alias},
                                                                {"alias_version", &r.alias_version}};
  for (const auto& [key, value] : j.items()) {
    const auto text = std::find_if(texts.begin(), texts.end(), [&, k = key](const auto& t) { return t.first == k; });
    if (text != texts.end() && value.is_string()) *text->second = value.get<std::string>();
    else if (key == "download_bytes" && value.is_number_integer()) r.download_bytes = value.get<std::int64_t>();
    else if (key == "disk_bytes" && value.is_number_integer()) r.disk_bytes = value.get<std::int64_t>();
    else return fail(ErrorCode::bad_usage, "A field of an engine recipe is unknown or of the wrong type", where, key);
  }
  for (const auto& [key, target] : texts)
    if (const std::string_view k(key); target->empty() && k != "note" && k != "metadata_alias" && k != "alias_version")
      return fail(ErrorCode::bad_usage, "A field of an engine recipe is missing", where, key);
  if (r.name.find('/') != std::string::npos || r.name.front() == '.' || r.lock.find('/') != std::string::npos)
    return fail(ErrorCode::bad_usage, "A name in an engine recipe holds a path", where);
  return r;
}

Result<std::vector<EngineRecipe>> read_recipes(const fs::path& folder) {
  std::vector<EngineRecipe> out;
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator(folder, ec)) {
    if (entry.path().extension() != ".json") continue;
    const auto text = read_file(entry.path());
    if (!text) return fail(text.error());
    const auto json = parse_json(*text, entry.path().string());
    if (!json) return fail(json.error());
    auto recipe = parse_recipe(*json, entry.path().string());
    if (!recipe) return fail(recipe.error());
    out.push_back(std::move(*recipe));
  }
  std::sort(out.begin(), out.end(), [](const EngineRecipe& a, const EngineRecipe& b) { return a.name < b.name; });
  return out;
}

bool is_installed(const fs::path& folder) {
  std::error_code ec;
  return fs::exists(folder / finished_file, ec);
}

Result<void> install_engine(const EngineRecipe& recipe, const InstallOptions& o, const OnProgress& progress) {
  std::error_code ec;
  if (is_installed(o.folder)) return {};
  if (fs::exists(o.folder, ec) && !fs::is_empty(o.folder, ec) && !fs::exists(o.folder / begun_file, ec))
    return fail(ErrorCode::busy, "The folder holds something else", o.folder.string(), {}, "Name another with --dir");
  if (!fs::exists(o.lock, ec)) return fail(ErrorCode::not_found, "The lock file is not there", o.lock.string());
  if (!o.wheels.empty() && !fs::is_directory(o.wheels, ec)) return fail(ErrorCode::not_found, "The folder of wheels is not there", o.wheels.string());
  const auto python = interpreter(recipe, o);
  if (!python) return fail(python.error());
  fs::create_directories(o.folder, ec);
  if (ec) return fail(ErrorCode::io, "The folder cannot be made", o.folder.string(), ec.message());
  if (const auto space = host::space_of(o.folder.string()); space && space->free < recipe.disk_bytes)
    return fail(ErrorCode::io, "The disk has too little room", o.folder.string(), fmt::format("{} free, about {} needed", human_bytes(Bytes(space->free)), human_bytes(Bytes(recipe.disk_bytes))), "Name another folder with --dir");
  if (const auto w = write_file(o.folder / begun_file, recipe.name + "\n"); !w) return w;

  const std::string uv = host::on_path("uv");
  const std::string inner = (o.folder / "bin/python").string();
  constexpr int steps = 3;
  if (progress) progress(1, steps, "Making the environment");
  if (host::on_path(inner).empty()) {
    const auto made = uv.empty() ? run({*python, "-m", "venv", o.folder.string()}, o, 1, steps, progress)
                                 : run({uv, "venv", "--allow-existing", "--python", *python, o.folder.string()}, o, 1, steps, progress);
    if (!made) return made;
  }
  // The lock is complete, so nothing is resolved: --no-deps also steps over requirements that no index can meet.
  std::vector<std::string> install = uv.empty() ? std::vector<std::string>{inner, "-m", "pip", "install", "--disable-pip-version-check", "--progress-bar", "off"}
                                                : std::vector<std::string>{uv, "pip", "install", "--python", inner};
  for (const char* flag : {"--no-deps", "--require-hashes"}) install.emplace_back(flag);
  if (!o.wheels.empty()) install.insert(install.end(), {"--no-index", "--find-links", o.wheels.string()});
  install.insert(install.end(), {"-r", o.lock.string()});
  if (progress) progress(2, steps, fmt::format("Installing {} {}", recipe.engine, recipe.version));
  if (const auto done = run(install, o, 2, steps, progress); !done) return done;
  if (progress) progress(3, steps, "Finishing");
  if (const auto alias = write_alias(recipe, o.folder); !alias) return alias;
  const Json finished{{"name", recipe.name}, {"engine", recipe.engine}, {"version", recipe.version}, {"python", recipe.python}};
  return write_file(o.folder / finished_file, finished.dump(2) + "\n");
}

Result<void> remove_engine(const fs::path& folder) {
  std::error_code ec;
  if (!fs::exists(folder, ec)) return fail(ErrorCode::not_found, "The environment is not there", folder.string(), {}, "kvcliff-cli engine list shows those that are");
  if (!is_installed(folder) && !fs::exists(folder / begun_file, ec))
    return fail(ErrorCode::bad_usage, "The folder was not made by engine install", folder.string(), {}, "Remove it by hand if you mean it");
  fs::remove_all(folder, ec);
  if (ec) return fail(ErrorCode::io, "The environment cannot be removed", folder.string(), ec.message());
  return {};
}

}  // namespace kvcliff::process
