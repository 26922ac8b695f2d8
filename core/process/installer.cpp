// SPDX-License-Identifier: GPL-3.0-or-later
#include "process/installer.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/file.h"
#include "base/text.h"
#include "host/capture.h"
#include "host/environments.h"
#include "host/shm.h"
#include "process/install_place.h"
#include "process/install_tool.h"
#include "process/site_packages.h"

namespace kvcliff::process {
namespace fs = std::filesystem;

namespace {

constexpr const char* wheels_folder = "kvcliff-wheels";      // fetched and not installed yet; `fetched` in it lists them
constexpr const char* scratch_folder = "kvcliff-tmp";
constexpr const char* interpreter_made = "environment made\n";  // second line of the file of begun ones
constexpr int steps = 4;
// A stop costs at most so many packages of their way; each call of pip costs half a second.
constexpr std::size_t fetched_at_once = 4;

/// One installation at work.
class Installation {
 public:
  Installation(const EngineRecipe& recipe, const InstallOptions& options, const OnProgress& progress)
      : recipe_(recipe), o_(options), progress_(progress), uv_(host::on_path("uv")), inner_((o_.folder / "bin/python").string()) {}

  Result<Installed> run();

 private:
  void say(const std::string& line) const {
    if (progress_) progress_(step_, steps, line);
  }
  Result<void> tool(const std::vector<std::string>& argv) const {
    return run_tool({argv, o_.folder, o_.folder / scratch_folder, o_.stop, [this](const std::string& l) { say(l); }});
  }
  bool present(const char* name) const {
    std::error_code ec;
    return fs::exists(o_.folder / name, ec);
  }
  fs::path site() const { return o_.folder / "lib" / ("python" + recipe_.python) / "site-packages"; }
  std::vector<std::string> pip(const char* verb) const {
    return {inner_, "-m", "pip", verb, "--disable-pip-version-check", "--no-input", "--progress-bar", "off", "--no-deps", "--require-hashes"};
  }

  Result<void> make_interpreter();
  Result<void> fetch(const std::vector<Pin>& pins);
  Result<void> put_in(const std::vector<Damage>& damaged);
  Result<void> write_alias() const;

  const EngineRecipe& recipe_;
  const InstallOptions& o_;
  const OnProgress& progress_;
  const std::string uv_, inner_;
  Fd lock_;   ///< of the folder
  int step_ = 1;
};

Result<void> Installation::make_interpreter() {
  const std::string begun = recipe_.name + "\n" + interpreter_made;
  const auto text = read_file(o_.folder / host::engine_begun_file);
  const bool made = present(host::engine_finished_file) || (text && text->find(interpreter_made) != text->npos);
  if (made) {
    const auto runs = host::capture({inner_, "-c", uv_.empty() ? "import pip" : ""}, std::chrono::seconds(60));
    if (runs && runs->code == 0) return write_file(o_.folder / host::engine_begun_file, begun);
  } else {
    // Cut off in the middle it looks like one and has no pip.
    std::error_code ec;
    for (const char* part : {"bin", "include", "lib", "lib64", "share", "pyvenv.cfg"}) fs::remove_all(o_.folder / part, ec);
  }
  const auto python = find_interpreter(recipe_, o_.python);
  if (!python) return fail(python.error());
  say("Making the environment with " + *python);
  const auto done = uv_.empty() ? tool({*python, "-m", "venv", o_.folder.string()})
                                : tool({uv_, "venv", "--allow-existing", "--python", *python, o_.folder.string()});
  if (!done) return done;
  return write_file(o_.folder / host::engine_begun_file, begun);
}

Result<void> Installation::fetch(const std::vector<Pin>& pins) {
  const fs::path wheels = o_.folder / wheels_folder, list = wheels / "fetched", some = o_.folder / scratch_folder / "fetch.lock";
  std::error_code ec;
  fs::create_directories(wheels, ec);
  std::set<std::string> here;
  const std::string listed = read_file(list).value_or("");
  for (const auto line : split(listed, '\n')) here.emplace(line);
  std::vector<Pin> open;
  for (const auto& p : pins)
    if (!here.count(p.line)) open.push_back(p);
  if (open.size() < pins.size()) say(fmt::format("{} of {} packages were fetched before", pins.size() - open.size(), pins.size()));
  std::string now = listed;
  for (std::size_t i = 0; i < open.size(); i += fetched_at_once) {
    const std::vector<Pin> group(open.begin() + static_cast<std::ptrdiff_t>(i), open.begin() + static_cast<std::ptrdiff_t>(std::min(open.size(), i + fetched_at_once)));
    std::string names;
    for (const auto& p : group) names += (names.empty() ? "" : ", ") + p.name + " " + p.version;
    say(fmt::format("{} of {}: {}", pins.size() - open.size() + i, pins.size(), names));
    fs::create_directories(some.parent_path(), ec);
    if (const auto w = write_file(some, lock_of(group)); !w) return w;
    auto argv = pip("download");
    // A wheel that was cut off on an earlier way has another hash: pip fetches that one again.
    argv.insert(argv.end(), {"--only-binary", ":all:", "--dest", wheels.string(), "-r", some.string()});
    if (const auto done = tool(argv); !done) return done;
    now += lock_of(group);
    if (const auto w = write_file(list, now); !w) return w;
  }
  return {};
}

Result<void> Installation::put_in(const std::vector<Damage>& damaged) {
  std::error_code ec;
  std::vector<Pin> pins;
  for (const auto& d : damaged) {
    // With its metadata a package that was cut off would count as installed.
    if (!d.info.empty()) fs::remove_all(d.info, ec);
    pins.push_back(d.pin);
  }
  if (uv_.empty() && o_.wheels.empty()) {
    step_ = 2;
    if (const auto done = fetch(pins); !done) return done;
  }
  step_ = 3;
  say(fmt::format("Installing {} packages of {} {}", pins.size(), recipe_.engine, recipe_.version));
  const fs::path some = o_.folder / scratch_folder / "install.lock";
  fs::create_directories(some.parent_path(), ec);
  if (const auto w = write_file(some, lock_of(pins)); !w) return w;
  // The lock is complete, so nothing is resolved: --no-deps also steps over requirements that no index can meet.
  std::vector<std::string> argv = pip("install");
  if (!uv_.empty()) argv = {uv_, "pip", "install", "--python", inner_, "--no-deps", "--require-hashes"};
  const fs::path from = !o_.wheels.empty() ? o_.wheels : uv_.empty() ? o_.folder / wheels_folder : fs::path();
  if (!from.empty()) argv.insert(argv.end(), {"--no-index", "--find-links", from.string()});
  argv.insert(argv.end(), {"-r", some.string()});
  const auto done = tool(argv);
  // Whatever was wrong with a fetched wheel: the next try looks at each again.
  if (!done && done.error().code != ErrorCode::interrupted) fs::remove(o_.folder / wheels_folder / "fetched", ec);
  return done;
}

Result<void> Installation::write_alias() const {
  if (recipe_.metadata_alias.empty()) return {};
  const std::string& version = recipe_.alias_version.empty() ? recipe_.version : recipe_.alias_version;
  const fs::path info = site() / fmt::format("{}-{}.dist-info", recipe_.metadata_alias, version);
  std::error_code ec;
  fs::create_directories(info, ec);
  // Without an INSTALLER and a RECORD, package tools leave it alone.
  return write_file(info / "METADATA", fmt::format("Metadata-Version: 2.1\nName: {}\nVersion: {}\n", recipe_.metadata_alias, version));
}

Result<Installed> Installation::run() {
  const auto lock = read_file(o_.lock);
  if (!lock) return fail(ErrorCode::not_found, "The lock file is not there", o_.lock.string());
  const auto pins = parse_lock(*lock, o_.lock.string());
  if (!pins) return fail(pins.error());
  std::error_code ec;
  if (!o_.wheels.empty() && !fs::is_directory(o_.wheels, ec)) return fail(ErrorCode::not_found, "The folder of wheels is not there", o_.wheels.string());
  if (!present(host::engine_finished_file))
    if (const auto python = find_interpreter(recipe_, o_.python); !python) return fail(python.error());
  auto mine = take_folder(recipe_, o_.folder);
  if (!mine) return fail(mine.error());
  lock_ = std::move(*mine);
  fs::remove_all(o_.folder / scratch_folder, ec);
  if (!present(host::engine_finished_file)) {
    const std::int64_t most = recipe_.disk_bytes + (o_.wheels.empty() ? recipe_.download_bytes : 0), still = most - bytes_below(o_.folder);
    if (const auto space = host::space_of(o_.folder.string()); space && space->free < still)
      return fail(ErrorCode::io, "The disk has too little room", o_.folder.string(), fmt::format("{} free, about {} needed", human_bytes(Bytes(space->free)), human_bytes(Bytes(still))), "Name another folder with --dir");
  }
  if (const auto made = make_interpreter(); !made) return fail(made.error());
  auto damaged = damaged_packages(site(), *pins);
  const Installed out{pins->size(), damaged.size()};
  if (!damaged.empty()) {
    fs::remove(o_.folder / host::engine_finished_file, ec);
    if (const auto done = put_in(damaged); !done) return fail(done.error());
  }
  step_ = 4;
  say(fmt::format("Looking at the files of {} packages", pins->size()));
  damaged = damaged_packages(site(), *pins);
  if (!damaged.empty())
    return fail(ErrorCode::engine, fmt::format("{} of {} packages are not whole", damaged.size(), pins->size()), o_.folder.string(),
                damaged[0].pin.name + " " + damaged[0].why, "Run it again: what is not whole is put in again");
  if (const auto alias = write_alias(); !alias) return fail(alias.error());
  for (const char* rest : {wheels_folder, scratch_folder}) fs::remove_all(o_.folder / rest, ec);
  const Json finished{{"name", recipe_.name}, {"engine", recipe_.engine}, {"version", recipe_.version}, {"python", recipe_.python}, {"packages", pins->size()}};
  if (const auto w = write_file(o_.folder / host::engine_finished_file, finished.dump(2) + "\n"); !w) return fail(w.error());
  return out;
}

}  // namespace

Result<Installed> install_engine(const EngineRecipe& recipe, const InstallOptions& options, const OnProgress& progress) {
  return Installation(recipe, options, progress).run();
}

}  // namespace kvcliff::process
