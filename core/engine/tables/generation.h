// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "record/counters.h"

namespace kvcliff::engine::tables {

/// The range of vLLM releases whose metrics look like this page, by the series it shows (never by a version text):
/// "up to 0.10", "0.11", "0.12-0.15", "0.16-0.20", "0.20+" (no tier, so later ones look alike), "0.20-0.23", "0.24-0.25",
/// "0.26-0.31", "0.32+". Empty when the page is not vLLM's.
std::string generation_of(const CounterSnapshot& page);

/// How the engine counts, as far as series tell it.
struct Counting {
  bool by_source = false;            ///< prompt_tokens_by_source is exported
  bool recomputed_term = false;      ///< computed + gpu + host - recomputed = prompt (0.16 to 0.20)
  bool bytes_a = false, bytes_b = false;
};
Counting counting_of(const CounterSnapshot& page);

/// "0.27.1", "v0.32.0+cpu (simulated)" -> {0, 27}; nullopt when the text does not begin with a version.
struct Version {
  int major = 0, minor = 0, patch = 0;
  auto operator<=>(const Version&) const = default;
};
std::optional<Version> parse_version(std::string_view text);
/// Prefix look-ups are counted once per request, at admission, from 0.27 on; before, once per try. nullopt: version unknown.
std::optional<bool> lookups_counted_once(std::string_view engine_version);
/// usage.prompt_tokens_details is left out when cached_tokens is 0 up to 0.23, present from 0.24. nullopt: version unknown.
std::optional<bool> details_present_at_zero(std::string_view engine_version);

}  // namespace kvcliff::engine::tables
