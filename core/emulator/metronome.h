// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <iosfwd>
#include <string>
#include <vector>

namespace kvcliff::emulator {

/// `kvcliff-emulator metronome --port N [--first-token-ms 100] [--gap-ms 10] [--tokens 200]`: a server whose times are
/// known, for testing a client against. It answers every POST with a stream of single tokens at fixed moments after the
/// request was read whole (no drift: moment i is first + i x gap), then usage and [DONE]; GET /health answers 200. Writes
/// one line when it listens; ends on SIGTERM and SIGINT. Returns the exit code.
int metronome(const std::vector<std::string>& args, std::ostream& out, std::ostream& err);

}  // namespace kvcliff::emulator
