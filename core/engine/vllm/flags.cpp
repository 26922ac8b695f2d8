// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/vllm/flags.h"

namespace kvcliff::engine::vllm {

std::set<std::string> flags_in_help(std::string_view text) {
  std::set<std::string> flags;
  const auto flag_char = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  };
  for (std::size_t at = text.find("--"); at != std::string_view::npos; at = text.find("--", at)) {
    const bool starts = at == 0 || !flag_char(text[at - 1]);
    std::size_t end = at + 2;
    while (end < text.size() && flag_char(text[end])) ++end;
    std::string flag(text.substr(at, end - at));
    while (!flag.empty() && (flag.back() == '.' || flag.back() == '-')) flag.pop_back();
    if (starts && flag.size() > 2) flags.insert(flag);
    at = end;
  }
  return flags;
}

Result<std::set<std::string>> probe_flags(process::Launcher& launcher, const process::Command& program,
                                          std::chrono::milliseconds limit, const std::function<bool()>& go_on) {
  std::string shown;
  for (const char* help : {"--help=all", "--help"}) {
    process::Command command = program;
    command.argv.push_back("serve");
    command.argv.push_back(help);
    shown = launcher.shown(command);
    auto child = launcher.start(command, {});
    if (!child) return fail(child.error());
    const auto end = std::chrono::steady_clock::now() + limit;
    bool over = false, stopped = false;
    while (!over && !stopped && std::chrono::steady_clock::now() < end) {
      over = (*child)->wait(std::chrono::milliseconds(50)).has_value();
      stopped = go_on && !go_on();
    }
    if (stopped)
      return fail(ErrorCode::interrupted, "The run was stopped by the user", {}, "the engine was still being asked which flags it takes", "Run it again");
    if (!over)
      return fail(ErrorCode::timeout, "The engine did not list its flags in time", shown, {}, "Try the command in a terminal");
    std::string text;
    for (const auto& line : (*child)->lines()) text += line.text + "\n";
    auto flags = flags_in_help(text);
    // A help that only names its sections lists a handful of flags, never the port.
    if (flags.count("--port") > 0) return flags;
  }
  return fail(ErrorCode::engine, "The engine's help lists no flags", shown, {},
              "Check that this is a vLLM (or kvcliff-emulator) program");
}

}  // namespace kvcliff::engine::vllm
