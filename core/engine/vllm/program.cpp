// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "engine/vllm/adapter.h"

namespace kvcliff::engine::vllm {
namespace {

namespace fs = std::filesystem;

bool is_program(const fs::path& p) {
  std::error_code ec;
  return fs::is_regular_file(p, ec) && ::access(p.c_str(), X_OK) == 0;
}

fs::path engines_folder() {
  if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && *data == '/') return fs::path(data) / "kvcliff/engines";
  const char* home = std::getenv("HOME");
  return fs::path(home != nullptr ? home : "/") / ".local/share/kvcliff/engines";
}

}  // namespace

Result<std::string> program_of(Kind kind, const std::string& environment) {
  const std::string program = kind == Kind::emulator ? "kvcliff-emulator" : "vllm";
  if (environment.empty()) {
    if (kind != Kind::emulator) return program;
    std::error_code ec;
    const auto self = fs::read_symlink("/proc/self/exe", ec);
    if (!ec && is_program(self.parent_path() / program)) return (self.parent_path() / program).string();
    return program;
  }
  const fs::path given(environment);
  const bool is_path = environment.find('/') != std::string::npos;
  const fs::path base = is_path ? given : engines_folder() / given;
  if (is_program(base)) return base.string();
  if (is_program(base / "bin" / program)) return (base / "bin" / program).string();
  for (const fs::path& there : {base, base / "bin" / program}) {
    std::error_code ec;
    if (fs::is_regular_file(there, ec))
      return fail(ErrorCode::not_found, "The engine's program is there and cannot be run", there.string(), "the file is not executable",
                  "Make it so (chmod +x), or name another program or folder in engine.environment");
  }
  return fail(ErrorCode::not_found, "The engine environment has no program " + program, base.string(), {},
              "Install it with kvcliff-cli engine install, or name a folder with bin/" + program + " in engine.environment");
}

Result<std::string> program_elsewhere(Kind kind, const plan::Plan& plan) {
  const std::string& environment = plan.engine.environment;
  if (environment.empty()) return std::string(kind == Kind::emulator ? "kvcliff-emulator" : "vllm");
  if (environment.find('/') != std::string::npos) return environment;
  return fail(ErrorCode::bad_usage, "engine.environment names an environment of this machine", environment,
              "the engine is started elsewhere: launcher.kind is " + plan.launcher.kind,
              "Give the path of the engine's program there, or leave it out where it is on the PATH");
}

}  // namespace kvcliff::engine::vllm
