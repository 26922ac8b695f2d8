// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "record/counters.h"
#include "record/request.h"
#include "record/stream.h"

namespace kvcliff::journal {

// JSON and packed forms of the record types, as columns of the journal hold them. Reading throws nlohmann's
// exceptions on a wrong shape; the reader turns them into errors.

/// JSON text; a byte that is not UTF-8 becomes U+FFFD instead of an exception.
std::string text_of(const Json& j);

Json usage_json(const Usage& u);
Usage usage_from(const Json& j);
Json delta_json(const CounterDelta& d);
CounterDelta delta_from(const Json& j);
/// All of a snapshot but the raw page.
Json snapshot_json(const CounterSnapshot& s);
CounterSnapshot snapshot_from(const Json& j);
Json times_json(const StreamTimes& t);
StreamTimes times_from(const Json& j);

/// Little-endian arrays.
std::string pack_u64(const std::vector<std::uint64_t>& v);
std::vector<std::uint64_t> unpack_u64(std::string_view bytes);
std::string pack_i32(const std::vector<std::int32_t>& v);
std::vector<std::int32_t> unpack_i32(std::string_view bytes);

}  // namespace kvcliff::journal
