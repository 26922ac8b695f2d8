// SPDX-License-Identifier: GPL-3.0-or-later
#include "process/install_tool.h"

#include <fmt/format.h>

#include <csignal>

#include "base/text.h"
#include "process/launcher.h"

namespace kvcliff::process {
namespace fs = std::filesystem;

namespace {

using namespace std::chrono_literals;

constexpr const char* goes_on = "the same command goes on where it was left";

/// Words of a package tool -> what to do. The first row that is met decides; words as pip 23 to 25 and uv 0.9 say them.
struct Cause {
  std::vector<std::string_view> words;
  std::string_view what, next;
};
const std::vector<Cause>& causes() {
  static const std::vector<Cause> table{
      {{"No space left on device", "Disk quota exceeded", "os error 28"}, "The disk is full", "Make room, or name another folder with --dir"},
      {{"DO NOT MATCH THE HASHES", "Hash mismatch", "hash mismatch"}, "A package is not the one that is pinned",
       "It was changed, or cut on its way: take it from a source that you trust"},
      {{"ensurepip is not", "No module named ensurepip", "No module named venv"}, "This Python cannot make environments",
       "Install its venv package (python3-venv, or python3.11-venv), or name another interpreter with --python"},
      {{"Permission denied", "Read-only file system"}, "A file cannot be written", "The folder must be yours to write in, or name another with --dir"},
      {{"onnection broken", "onnection refused", "onnection reset", "onnection timed out", "ailed to establish a new connection", "name resolution",
        "resolve host", "dns error", "Read timed out", "ead timeout", "IncompleteRead", "Network is unreachable", "error sending request"},
       "The package index was not reached", "Check the network, or give a folder of wheels with --wheels"},
      {{"No matching distribution found", "no wheels", "was not found in the provided package locations"}, "A pinned package is not there",
       "A folder of wheels must hold every line of the lock, for this Python and this processor"},
  };
  return table;
}

bool says(const std::string& line, const Cause& cause) {
  for (const auto word : cause.words)
    if (line.find(word) != line.npos) return true;
  return false;
}

/// The lines that matter: from the first that begins with "error" (pip and uv do so) on, else the last.
std::string words_of(const std::vector<std::string>& lines) {
  std::string out;
  bool began = false;
  for (const auto& l : lines) {
    const auto text = trim(l);
    began = began || starts_with_ci(text, "error");
    if (!began || text.empty() || starts_with_ci(text, "warning") || out.size() > 900) continue;
    out += (out.empty() ? "" : "; ") + std::string(text.substr(0, 300));
  }
  for (auto it = lines.rbegin(); out.empty() && it != lines.rend(); ++it) out = std::string(trim(*it).substr(0, 300));
  return out;
}

}  // namespace

Error explain_tool(const std::string& tool, int exit_code, const std::vector<std::string>& lines, const fs::path& folder) {
  Error e{ErrorCode::engine, fmt::format("{} failed with exit code {}", tool, exit_code), folder.string(), words_of(lines),
          "Run it again: " + std::string(goes_on)};
  for (const auto& cause : causes())
    for (const auto& line : lines)
      if (says(line, cause)) {
        if (e.why.find(std::string(trim(line)).substr(0, 60)) == e.why.npos) e.why = std::string(trim(line)).substr(0, 300) + "; " + e.why;
        e.what = fmt::format("{} ({} ended with exit code {})", cause.what, tool, exit_code);
        e.next = fmt::format("{}. Then {}", cause.next, goes_on);
        return e;
      }
  return e;
}

Result<void> run_tool(const ToolRun& run) {
  std::error_code ec;
  fs::create_directories(run.scratch, ec);
  if (ec) return fail(ErrorCode::io, "The folder cannot be made", run.scratch.string(), ec.message());
  // With a PYTHONPATH, packages that lie there would count as installed; the others redirect pip or the interpreter.
  const Command command{.argv = run.argv,
                        .env_set = {{"TMPDIR", run.scratch.string()}},
                        .env_unset = {"PYTHONPATH", "PYTHONHOME", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_USER", "PIP_REQUIRE_VIRTUALENV",
                                      "PIP_CONSTRAINT", "PIP_REQUIREMENT", "PIP_NO_BINARY", "PIP_DRY_RUN", "UV_TARGET", "UV_PREFIX"}};
  auto started = make_local_launcher()->start(command, [&](const LogLine& l) { if (run.line) run.line(l.text); });
  if (!started) return fail(started.error());
  auto& p = **started;
  while (!p.wait(100ms))
    if (run.stop && *run.stop) {
      // As Ctrl-C would: then pip removes its temporary files.
      (void)p.signal(SIGINT);
      if (!p.wait(5s)) (void)p.stop(3s);
      return fail(ErrorCode::interrupted, "The installation was stopped", run.folder.string(), {}, "Run it again: " + std::string(goes_on));
    }
  if (p.exit()->code == 0) return {};
  std::vector<std::string> lines;
  for (const auto& l : p.lines(0)) lines.push_back(l.text);
  return fail(explain_tool(fs::path(run.argv[0]).filename().string(), p.exit()->code, lines, run.folder));
}

}  // namespace kvcliff::process
