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

/// A scrape from the bytes of a file: a metrics page, or a raw HTTP answer that holds one. Whatever is no metrics page
/// (a status other than 200, a cut body, HTML, nothing) gives a snapshot with `error`.
NamedSnapshot scrape_from(const std::string& name, const std::string& bytes, const std::string& model);

/// What `inspect metrics` prints (shape: command line contract). One scrape: its counters. Two or more, in order: the
/// difference from the first to the last, with one entry of "pairs" per pair of neighbours when there are more than two.
/// Process identity is judged over all of them: a start or birth time that comes back, or (where none tells) a counter that
/// falls and later rises above where it was, means that different processes answer in turn.
Json window_report(const std::vector<NamedSnapshot>& scrapes, const AttributionOptions& options);

/// The sources of an attribution in that shape: an integer, "unknown" (reported, not attributable) or null (not reported).
Json sources_json(const Attribution& a);

/// Value of a page's counters by name; a counter split by a label is an object. Series that have no meaning here follow
/// under their own name (without "vllm:" and "_total"), histogram buckets and birth times left out.
Json counters_json(const CounterSnapshot& page);

/// A count as an integer where it is whole, so that 12348030977 is not written as 1.2348030977e10; null when not finite.
Json number_json(double v);

}  // namespace kvcliff::attribution
