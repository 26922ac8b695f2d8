// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace kvcliff::host {

/// What a short helper program said.
struct Output {
  int code = 0;        ///< exit status, or 128 + signal
  std::string out, err;
};
/// Runs a short program (a version query, a listing), stdin empty, at most `limit` long and 16 MiB of output; killed with
/// its group when it takes longer, or when `go_on` (asked 20 times a second) says no. Errors: not_found, io, timeout,
/// interrupted.
Result<Output> capture(const std::vector<std::string>& argv, std::chrono::milliseconds limit,
                       const std::vector<std::string>& extra_environment = {}, const std::function<bool()>& go_on = {});
/// The program's path on PATH; empty when it is not there.
std::string on_path(const std::string& program);

}  // namespace kvcliff::host
