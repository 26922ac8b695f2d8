// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "journal/bundle.h"

namespace kvcliff::journal {

struct Merged {
  std::vector<std::int64_t> added;        ///< rows in the target, in the order of the source
  std::vector<std::string> already_there; ///< run ids that the target holds: they are left as they are
};
/// Copies experiments whole (requests, scrapes, log, sealed results) from one journal into another, which is made when it
/// does not exist. `experiments` are rows of the source; empty = all. Each experiment goes in one transaction. The source
/// is only read. Errors: not_found, corrupt, newer_schema, busy, io, interrupted.
Result<Merged> merge_experiments(const std::string& source, const std::vector<std::int64_t>& experiments,
                                 const std::string& target, const Advance& advance = {});

/// Replaces the tags of an experiment. Empty and repeated tags are left out. Errors: not_found, busy, io.
Result<void> set_tags(const std::string& journal, std::int64_t experiment, const std::vector<std::string>& tags);

}  // namespace kvcliff::journal
