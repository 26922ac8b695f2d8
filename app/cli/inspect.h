// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "base/json.h"
#include "cli/context.h"
#include "wire/recording.h"

namespace kvcliff::cli {

/// The parent command `inspect`, made on first use; `inspect sse`, `inspect metrics`, ... are added to it.
CLI::App* inspect_command(CLI::App& app);

/// The document of `inspect sse` and `stream`. `timed`: the record's times mean something.
OrderedJson stream_json(const StreamRecord& record, bool timed);
/// The same for people.
void print_stream(std::ostream& out, const OrderedJson& document);

}  // namespace kvcliff::cli
