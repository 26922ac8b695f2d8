// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "attribution/attribute.h"
#include "base/json.h"

namespace kvcliff::attribution {

/// One scrape as read from a file: its name for messages, and the page by meaning.
struct NamedSnapshot {
  std::string name;
  CounterSnapshot snapshot;
};

/// What `inspect metrics` prints (shape: command line contract). One scrape: its counters. Two or more, in order: the
/// difference from the first to the last, with one entry of "pairs" per pair of neighbours when there are more than two.
/// Process identity is judged over all of them: a counter that falls and later rises above where it was means that
/// different processes answer in turn.
Json window_report(const std::vector<NamedSnapshot>& scrapes, const AttributionOptions& options);

/// The sources of an attribution in that shape: an integer, "unknown" (reported, not attributable) or null (not reported).
Json sources_json(const Attribution& a);

/// Value of a page's counters by name; a counter split by a label is an object.
Json counters_json(const CounterSnapshot& page);

/// A count as an integer where it is whole, so that 12348030977 is not written as 1.2348030977e10; null when not finite.
Json number_json(double v);

}  // namespace kvcliff::attribution
