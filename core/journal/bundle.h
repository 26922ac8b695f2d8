// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace kvcliff::journal {

struct Bundle {
  std::string path;
  std::string file_sha256;   ///< of the whole file
  std::string plan_hash;     ///< what --trust must be given to run its plan elsewhere
  std::string uid;
  std::int64_t bytes = 0;
};
/// Called now and then with a share 0..1; false cancels.
using Advance = std::function<bool(double)>;

/// Writes one experiment into one closed file that opens on another machine; the source is only read and may be in use.
/// Errors: not_found, io (also: `target` exists), interrupted (nothing is left of it).
Result<Bundle> export_bundle(const std::string& journal, std::int64_t experiment, const std::string& target, const Advance& advance = {});

/// Removes experiments with all that belongs to them, session by session, so that a reader or a cancel never waits
/// long. The space is given back by `compact`. Needs the journal for itself. Errors: busy, io, interrupted.
Result<void> delete_experiments(const std::string& journal, const std::vector<std::int64_t>& experiments,
                                const Advance& advance);
/// Drops raw answers, raw scrapes and log lines of experiments created before `before` (UTC ns); numbers and events stay.
Result<void> prune_raw(const std::string& journal, std::int64_t before, const Advance& advance);
/// Rewrites the file without free pages. Needs as much free disk as the journal is large. Returns bytes given back.
Result<std::int64_t> compact(const std::string& journal, const Advance& advance);

}  // namespace kvcliff::journal
