// SPDX-License-Identifier: GPL-3.0-or-later
// R18: does the tier change what the model says? Judged against how much equal arms differ among themselves.
#include <fmt/format.h>

#include <boost/math/distributions/binomial.hpp>
#include <map>

#include "reconcile/checks.h"
#include "reconcile/common.h"
#include "reconcile/outputs.h"

namespace kvcliff::reconcile {
namespace {
using Key = std::pair<std::string, int>;  // prompt, visit of it

std::map<Key, const RequestRecord*> answers(const SessionInput& s) {
  std::map<Key, const RequestRecord*> out;
  std::map<std::string, int> visit;
  for (const auto& r : s.requests) {
    if (r.plan.warmup || r.stream.outcome != Outcome::complete) continue;
    const std::string prompt = r.plan.prompt_hash.empty() ? fmt::format("document {}", r.plan.document) : r.plan.prompt_hash;
    out[{prompt, visit[prompt]++}] = &r;
  }
  return out;
}

// First output token in which two answers differ; -1 when equal; by bytes of the text where ids are not returned.
std::int64_t first_difference(const RequestRecord& a, const RequestRecord& b) {
  if (!a.stream.token_ids.empty() && !b.stream.token_ids.empty()) {
    const auto& x = a.stream.token_ids;
    const auto& y = b.stream.token_ids;
    for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i)
      if (x[i] != y[i]) return static_cast<std::int64_t>(i);
    return x.size() == y.size() ? -1 : static_cast<std::int64_t>(std::min(x.size(), y.size()));
  }
  const auto& x = a.stream.text;
  const auto& y = b.stream.text;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i)
    if (x[i] != y[i]) return static_cast<std::int64_t>(i);
  return x.size() == y.size() ? -1 : static_cast<std::int64_t>(std::min(x.size(), y.size()));
}

void compare(const SessionInput& a, const SessionInput& b, Divergence& out) {
  const auto left = answers(a), right = answers(b);
  for (const auto& [key, r] : left) {
    const auto it = right.find(key);
    if (it == right.end()) continue;
    const bool ids = !r->stream.token_ids.empty() && !it->second->stream.token_ids.empty();
    if (!ids && r->stream.text.empty() && it->second->stream.text.empty()) continue;
    ++out.compared;
    out.by_ids = out.by_ids && ids;
    const auto at = first_difference(*r, *it->second);
    if (at < 0) continue;
    ++out.different;
    if (out.first_index < 0 || at < out.first_index) {
      out.first_index = at;
      out.where = fmt::format("document {} round {}, sessions {} and {}", r->plan.document + 1, r->plan.round, a.record.ordinal + 1,
                              b.record.ordinal + 1);
    }
  }
}
}  // namespace

double share_bound(std::int64_t k, std::int64_t n, bool upper) {
  using Binomial = boost::math::binomial_distribution<>;
  if (n == 0) return upper ? 1.0 : 0.0;
  if (upper) return k == n ? 1.0 : Binomial::find_upper_bound_on_p(static_cast<double>(n), static_cast<double>(k), 0.025);
  return k == 0 ? 0.0 : Binomial::find_lower_bound_on_p(static_cast<double>(n), static_cast<double>(k), 0.025);
}

Divergence divergence_between(const SessionInput& a, const SessionInput& b) {
  Divergence d;
  compare(a, b, d);
  return d;
}

Divergence equal_arm_floor(const ExperimentInput& e) {
  Divergence d;
  for (std::size_t i = 0; i < e.sessions.size(); ++i)
    for (std::size_t k = i + 1; k < e.sessions.size(); ++k) {
      const auto& a = e.sessions[i];
      const auto& b = e.sessions[k];
      if (a.record.conditioning || b.record.conditioning) continue;
      const bool a_a = a.record.arm.rfind("a/a", 0) == 0 && b.record.arm.rfind("a/a", 0) == 0;
      // Two sessions of the arm without a tier: what plain recompute itself does. The on arm must not set its own floor.
      if (a_a || (a.record.arm == b.record.arm && !a.offload)) compare(a, b, d);
    }
  return d;
}

namespace checks {

std::vector<CheckResult> equal_outputs(const ExperimentInput& e) {
  std::map<int, std::pair<const SessionInput*, const SessionInput*>> pairs;
  for (const auto* s : compared_sessions(e)) (s->offload ? pairs[s->record.pair].second : pairs[s->record.pair].first) = s;
  const Divergence floor = equal_arm_floor(e);
  const double floor_high = share_bound(floor.different, floor.compared, true);
  std::vector<CheckResult> out;
  for (const auto& [pair, both] : pairs) {
    if (!both.first || !both.second) continue;
    const Divergence d = divergence_between(*both.first, *both.second);
    if (d.compared == 0) {
      out.push_back(not_possible("outputs were not kept, or no prompt was answered in both arms"));
      continue;
    }
    if (d.different == 0) {
      out.push_back(passed());
      continue;
    }
    const double rate = static_cast<double>(d.different) / d.compared;
    if (floor.compared == 0) {
      out.push_back(not_possible(fmt::format("{} of {} outputs differ, and no two equal arms show how many differ anyway",
                                             d.different, d.compared)));
      continue;
    }
    const double floor_rate = static_cast<double>(floor.different) / floor.compared;
    const std::string words = fmt::format("{} of {} outputs differ between the arms, {} of {} between equal arms (at most {:.0f} %); first at {} {} ({})",
                                          d.different, d.compared, floor.different, floor.compared, floor_high * 100,
                                          d.by_ids ? "token" : "byte", d.first_index, d.where);
    const bool more = share_bound(d.different, d.compared, false) > floor_high;
    // With few prompts the floor's interval is wide; a floor of exactly 0 over as many comparisons says enough when
    // at least a quarter differ.
    const bool from_nothing = floor.different == 0 && floor.compared >= d.compared && rate >= 0.25;
    if (more || from_nothing) out.push_back(failed(rate - floor_rate, words));
    else out.push_back(passed(words));
  }
  return out;
}

}  // namespace checks
}  // namespace kvcliff::reconcile
