// SPDX-License-Identifier: GPL-3.0-or-later
// R11, R14: the session's counters as a whole.
#include <fmt/format.h>

#include <cmath>
#include <set>

#include "attribution/delta.h"
#include "base/text.h"
#include "reconcile/checks.h"
#include "reconcile/common.h"
#include "reconcile/totals.h"

namespace kvcliff::reconcile::checks {
namespace {
std::optional<WallNs> launched_at(const SessionRecord& s) {
  for (const auto& c : s.changes)
    if (c.state == SessionState::launching) return c.at.wall;
  return std::nullopt;
}
}  // namespace

// R11. One process of ours from the first scrape to the last, whose counters only grow and start at zero.
CheckResult one_process(const ExperimentInput& e, const SessionInput& s) {
  std::set<std::string> decreased;
  int other_process = 0;
  for (const auto& r : s.requests) {
    decreased.insert(r.delta.decreased.begin(), r.delta.decreased.end());
    if (!r.delta.same_process) ++other_process;
  }
  if (other_process > 0)
    return failed(other_process, fmt::format("the start time of the process or the birth time of a counter changed in {} window(s): the server was restarted or another one answered",
                                             other_process));
  if (!decreased.empty()) {
    std::string names;
    for (const auto& n : decreased) names += (names.empty() ? "" : ", ") + n;
    return failed(static_cast<double>(decreased.size()), "counters went down: " + names);
  }
  if (!s.identity || !s.last) return not_possible("the identity scrape or the last scrape is missing");
  if (!s.identity->good()) return not_possible("the identity scrape failed: " + s.identity->error);
  if (!s.last->good()) return not_possible("the last scrape failed: " + s.last->error);
  for (const auto& name : accounted_counters()) {
    const auto before = s.identity->value(name), after = s.last->value(name);
    if (before && after && *after < *before)
      return failed(*after - *before, fmt::format("{} went from {} down to {}", name, *before, *after));
  }
  const auto start = s.identity->process_start, end = s.last->process_start;
  if (start && end && *start != *end)
    return failed(*end - *start, "the process start time differs between the first and the last scrape");
  if (!e.attached) {
    const SessionInput* before_us = server_kept_from(e, s);
    const SessionInput* launcher = &s;
    while (const SessionInput* earlier = server_kept_from(e, *launcher)) launcher = earlier;
    if (const auto launch = launched_at(launcher->record); start && launch) {
      // Started before we launched it: the port is answered by somebody else. 2 s for the clock's resolution.
      const double early = static_cast<double>(*launch) / 1e9 - *start;
      if (early > 2)
        return failed(early * 1000, fmt::format("the process behind /metrics started {:.1f} s before our launch: another server's endpoint", early));
    }
    if (before_us && (!before_us->last || !before_us->last->good()))
      return not_possible("the server was kept from an earlier session, whose last scrape is missing");
    for (const char* name : {"prompt_tokens", "generation_tokens", "request_success"}) {
      const auto v = s.identity->value(name);
      if (!v) continue;
      if (before_us) {
        const double left = before_us->last->value(name).value_or(0);
        if (*v != left)
          return failed(*v - left, fmt::format("{} stood at {} when the kept server was taken over, its last session left it at {}", name,
                                               grouped(std::llround(*v)), grouped(std::llround(left))));
        continue;
      }
      if (*v != 0)
        return failed(*v, fmt::format("{} stood at {} before any request of ours: not a fresh server", name, grouped(std::llround(*v))));
    }
  }
  if (!start) return passed("the process start time is not exported; the counters only grew");
  return passed();
}

// R14. Windows leave no gap: what moved between them would show here.
CheckResult session_totals(const ExperimentInput&, const SessionInput& s) {
  if (!s.identity || !s.last) return not_possible("the identity scrape or the last scrape is missing");
  if (!s.identity->good() || !s.last->good()) return not_possible("the identity scrape or the last scrape could not be read");
  const auto totals = session_counter_totals(s);
  if (totals.empty()) return not_possible("none of the counters of interest is exported");
  double residual = 0;
  std::string why, unknown;
  for (const auto& t : totals) {
    if (!t.sum_of_requests) {
      unknown = t.name + ": " + t.why;
      continue;
    }
    if (t.session == *t.sum_of_requests) continue;
    residual += t.session - *t.sum_of_requests;
    why += fmt::format("{}{} moved by {}, our requests account for {}", why.empty() ? "" : "; ", t.name,
                       grouped(std::llround(t.session)), grouped(std::llround(*t.sum_of_requests)));
  }
  const auto others = attribution::other_models_moved(attribution::delta(*s.identity, *s.last));
  if (!others.empty()) why += fmt::format("{}another model was served in the session: {}", why.empty() ? "" : "; ", others);
  if (!why.empty()) return failed(residual, std::move(why));
  return passed(unknown);
}

}  // namespace kvcliff::reconcile::checks
