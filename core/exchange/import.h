// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "base/result.h"
#include "exchange/foreign_result.h"
#include "journal/records.h"

namespace kvcliff::exchange {

struct ImportOptions {
  std::string name;             ///< of the experiment; empty: the tool and its model
  std::string arm = "off";      ///< which arm the measured server stood for
  bool offload = false;         ///< it had a host tier
  std::string program_version;
  std::string source;           ///< path of the file, for the note
};

struct Imported {
  std::int64_t experiment = 0;  ///< row in the journal
  std::string uid;              ///< from the file's content: the same file is imported once
  bool already_there = false;
  std::int64_t requests = 0, complete = 0;
};

/// A foreign result as an experiment of one session. Times and lengths are the tool's; sources, counters and predictions
/// are absent with the reason, so that their checks are not possible, never passed. Nothing of it is a claim of this
/// program: one session is no comparison.
struct ForeignExperiment {
  journal::ExperimentRecord experiment;
  SessionRecord session;
  std::vector<RequestRecord> requests;
};
/// `content`: the file as read, for its fingerprint. Errors: bad_usage (no request in it).
Result<ForeignExperiment> experiment_of(const ForeignResult& result, std::string_view content, const ImportOptions& options);

/// Writes it into a journal, which is made when it is not there. Errors: those of the journal.
Result<Imported> import_foreign(const ForeignResult& result, std::string_view content, const std::string& journal, const ImportOptions& options);

}  // namespace kvcliff::exchange
