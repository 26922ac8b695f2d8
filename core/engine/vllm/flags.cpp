// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/vllm/flags.h"

#include <fmt/format.h>

namespace kvcliff::engine::vllm {
namespace {

/// "exit code 1; its last lines: ..." of a program that should only have printed its help.
std::string how_it_ended(const process::Exit& exit, const std::vector<LogLine>& lines) {
  std::string out = exit.signalled ? fmt::format("ended by signal {}", exit.code - 128) : fmt::format("exit code {}", exit.code);
  constexpr std::size_t shown = 3;
  std::string last;
  for (std::size_t i = lines.size() > shown ? lines.size() - shown : 0; i < lines.size(); ++i)
    last += (last.empty() ? "" : " / ") + lines[i].text.substr(0, 200);
  return out + (last.empty() ? "; it said nothing" : "; its last words: " + last);
}

}  // namespace

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
  std::string shown, died;
  for (const char* help : {"--help=all", "--help"}) {
    process::Command command = program;
    command.argv.push_back("serve");
    command.argv.push_back(help);
    shown = launcher.shown(command);
    auto child = launcher.start(command, {});
    if (!child) return fail(child.error());
    const auto end = std::chrono::steady_clock::now() + limit;
    decltype((*child)->wait(limit)) exit;
    bool stopped = false;
    while (!exit && !stopped && std::chrono::steady_clock::now() < end) {
      exit = (*child)->wait(std::chrono::milliseconds(50));
      stopped = go_on && !go_on();
    }
    if (stopped)
      return fail(ErrorCode::interrupted, "The run was stopped by the user", {}, "the engine was still being asked which flags it takes", "Run it again");
    if (!exit)
      return fail(ErrorCode::timeout, "The engine did not list its flags in time", shown, {}, "Try the command in a terminal");
    std::string text;
    for (const auto& line : (*child)->lines()) text += line.text + "\n";
    auto flags = flags_in_help(text);
    // A help that only names its sections lists a handful of flags, never the port.
    if (flags.count("--port") > 0) return flags;
    if (exit->code != 0) died = how_it_ended(*exit, (*child)->lines());
  }
  if (!died.empty())
    return fail(ErrorCode::engine, "The engine ended instead of listing its flags", shown, died, "Try the command in a terminal");
  return fail(ErrorCode::engine, "The engine's help lists no flags", shown, {},
              "Check that this is a vLLM (or kvcliff-emulator) program");
}

}  // namespace kvcliff::engine::vllm
