// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "process/launcher.h"

namespace kvcliff::engine::vllm {

/// The long flags that `vllm serve --help` names ("--block-size", "--no-enable-prefix-caching", ...).
std::set<std::string> flags_in_help(std::string_view help_text);

/// Asks the program for its flags (`serve --help=all`, which newer releases need to list them, then `serve --help`).
/// Takes 15 s and more for a real vLLM (Python imports). Errors: not_found, timeout, engine (no flag was listed),
/// interrupted (`go_on` said no; the program is ended).
Result<std::set<std::string>> probe_flags(process::Launcher& launcher, const process::Command& program,
                                          std::chrono::milliseconds limit, const std::function<bool()>& go_on = {});

}  // namespace kvcliff::engine::vllm
