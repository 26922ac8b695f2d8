// SPDX-License-Identifier: GPL-3.0-or-later
// Private to wire: simdjson's parser with a padded copy of the event.
#pragma once
#include <simdjson.h>

#include <cstring>
#include <vector>

#include "wire/openai_stream.h"

namespace kvcliff::wire {

struct JsonScratch::Impl {
  simdjson::dom::parser parser;
  std::vector<char> padded;  // the parser reads SIMDJSON_PADDING bytes past the end

  simdjson::error_code parse(std::string_view text, simdjson::dom::element& out) {
    const std::size_t need = text.size() + simdjson::SIMDJSON_PADDING;
    if (padded.size() < need) padded.resize(need * 2);
    std::memcpy(padded.data(), text.data(), text.size());
    std::memset(padded.data() + text.size(), 0, simdjson::SIMDJSON_PADDING);
    return parser.parse(padded.data(), text.size(), false).get(out);
  }
};

}  // namespace kvcliff::wire
