// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/stream.h"

namespace kvcliff::journal {

/// The events of a request as one block. Layout, version 1, all numbers LEB128 varints, signed ones zigzag:
///   version (1) | count | count x { signed: at - previous at (first: at - `base`)
///                                   signed: bytes - previous bytes (first: bytes)
///                                   tokens * 16 + kind }
/// A token event of a steady stream takes 6-7 bytes. Lossless for every value of StreamEvent.
std::string pack_events(std::span<const StreamEvent> events, MonoNs base);
/// Errors: corrupt, with the offset; a block is accepted whole or not at all.
Result<std::vector<StreamEvent>> unpack_events(std::string_view block, MonoNs base);

}  // namespace kvcliff::journal
