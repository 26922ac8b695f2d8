// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace kvcliff::process {

/// One run of a package tool (venv, pip, uv) for an environment.
struct ToolRun {
  std::vector<std::string> argv;
  std::filesystem::path folder;                    ///< of the environment: named in errors
  std::filesystem::path scratch;                   ///< for the tool's temporary files; wheels of a GB do not belong in a small /tmp
  const std::atomic<bool>* stop = nullptr;
  std::function<void(const std::string&)> line;    ///< each line that it says
};
/// Runs it to its end. The user's settings that would put packages elsewhere, or find them elsewhere, do not reach it.
/// Errors: not_found, io, interrupted (it was told to end and did), engine (its own words, and what to do about them).
Result<void> run_tool(const ToolRun& run);

/// What a failed tool said, as an error: the lines that matter and the next step. `lines` are all of its lines.
Error explain_tool(const std::string& tool, int exit_code, const std::vector<std::string>& lines, const std::filesystem::path& folder);

}  // namespace kvcliff::process
