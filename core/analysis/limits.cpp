// SPDX-License-Identifier: GPL-3.0-or-later
// What a run does not establish. Every entry is made from a fact of this run, and the list is complete: the list of the
// experiment notes, section 7, in the order in which they weigh.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/decision.h"
#include "base/text.h"
#include "reconcile/outputs.h"

namespace kvcliff::analysis {
namespace {
using reconcile::ExperimentInput;

class List {
 public:
  void add(std::string what, std::string why) { items_.push_back({std::move(what), std::move(why)}); }
  std::vector<Limit> take() { return std::move(items_); }

 private:
  std::vector<Limit> items_;
};

void engine_limits(const ExperimentInput& in, List& out) {
  if (in.simulated)
    out.add("No real engine was measured: the engine is emulated", "Its times are " + (in.times_origin.empty() ? "of unknown origin" : in.times_origin) + ".");
  if (in.attached)
    out.add("The server was not started by us", "Its command line, its environment and its cold start are not proven.");
  const auto kept = std::count_if(in.sessions.begin(), in.sessions.end(),
                                  [&](const reconcile::SessionInput& s) { return reconcile::server_kept_from(in, s) != nullptr; });
  if (kept > 0)
    out.add("Differences between servers",
            fmt::format("{} session(s) took over a running server. Its caches were emptied before each, and the first visits show "
                        "it (R16), but what is particular to one server is in all of its sessions.", kept));
}

void load_limits(const ExperimentInput& in, List& out) {
  if (in.plan.load.mode == plan::LoadSpec::Mode::serial)
    out.add("Behaviour under load", "One client sent one request at a time (concurrency 1).");
  else if (in.plan.load.mode == plan::LoadSpec::Mode::closed)
    out.add("Other loads", fmt::format("One client, {} requests in flight; sources are known per window only.", in.plan.load.concurrency));
  else
    out.add("Other loads", fmt::format("One client, {:g} requests a second; sources are known per window only.", in.plan.load.rate));
}

void subject_limits(const ExperimentInput& in, List& out) {
  const std::string model = in.plan.model.id.empty() ? in.plan.model.config : in.plan.model.id;
  out.add("Other models and sizes", fmt::format("One model was run: {}.", model));
  std::string gpu;
  if (in.host.is_object() && in.host.contains("gpus") && in.host["gpus"].is_array() && !in.host["gpus"].empty()) {
    const auto& g = in.host["gpus"][0];
    gpu = g.is_object() ? g.value("name", std::string()) : g.is_string() ? g.get<std::string>() : std::string();
  }
  out.add("Other GPUs and host links", in.simulated ? "The emulator stands for one GPU and one PCIe link."
                                       : gpu.empty() ? "One GPU on one PCIe topology was used."
                                                     : fmt::format("One GPU on one PCIe topology was used: {}.", gpu));
  const auto& w = in.plan.workload;
  std::int64_t shortest = -1, longest = 0;
  std::set<std::int64_t> sets;
  for (const auto& s : in.sessions) {
    if (s.record.conditioning) continue;
    for (const auto& r : s.requests)
      if (!r.plan.warmup) {
        shortest = shortest < 0 ? r.plan.prompt_tokens : std::min(shortest, r.plan.prompt_tokens);
        longest = std::max(longest, r.plan.prompt_tokens);
      }
    sets.insert(s.plan.workload.documents * s.plan.workload.tokens);
  }
  std::string working;
  for (const auto v : sets) working += (working.empty() ? "" : ", ") + grouped(v);
  out.add("Other working sets and prompt lengths",
          shortest < 0 ? std::string("No measured request.")
                       : fmt::format("Tried: {} document tokens; prompts of {}.", working,
                                     shortest == longest ? grouped(longest) + " tokens" : grouped(shortest) + " to " + grouped(longest) + " tokens"));
  static constexpr const char* orders[] = {"cyclic", "random", "Zipf", "reverse"};
  out.add("Other orders of visits", fmt::format("Documents were visited in {} order.", orders[static_cast<int>(w.order)]));
}

void version_limits(const ExperimentInput& in, List& out) {
  std::set<std::string> versions;
  for (const auto& s : in.sessions)
    if (!s.record.effective.engine_version.empty()) versions.insert(s.record.effective.engine_version);
  std::string list;
  for (const auto& v : versions) list += (list.empty() ? "" : ", ") + v;
  out.add("Other engine versions and settings", list.empty() ? std::string("The engine does not state its version.")
                                                             : fmt::format("One version with one set of settings: {}.", list));
  out.add("Shared or remote tiers", "Only the memory of this host was a tier; disk, peers and remote stores were not tried.");
}

void content_limits(const ExperimentInput& in, const reconcile::Reconciliation& r, List& out) {
  if (in.plan.model.dummy_weights)
    out.add("The quality of outputs", in.simulated ? "The emulator has no weights." : "The weights were dummies; outputs mean nothing.");
  int compared = 0;
  for (const auto& p : r.pairs) compared += p.check.state == CheckState::pass || p.check.state == CheckState::fail ? 1 : 0;
  if (compared == 0)
    out.add("That outputs are the same with the tier", r.pairs.empty() ? std::string("Outputs were not compared: there is no pair.")
                                                                       : "Outputs were not compared: " + r.pairs.front().check.why + ".");
}

void check_limits(const ExperimentInput& in, const reconcile::Reconciliation& r, List& out) {
  // Each with its own reason; checks that fail to be possible for one and the same reason stand together.
  std::vector<std::pair<std::string, std::string>> by_why;
  for (const auto& id : r.never_possible()) {
    const std::string why = r.why_not_possible(id);
    const auto same = std::find_if(by_why.begin(), by_why.end(), [&](const auto& p) { return p.first == why; });
    const auto* info = reconcile::find_check(id);
    const std::string name = info ? fmt::format("{} ({})", id, info->title) : id;
    if (same == by_why.end()) by_why.emplace_back(why, name);
    else same->second += ", " + name;
  }
  for (const auto& [why, names] : by_why)
    out.add(fmt::format("What {} would have shown", names), why.empty() ? "Not possible in this run." : "Not possible: " + why + ".");
  std::string off;
  for (const auto& [id, on] : in.plan.gates)
    if (!on) off += (off.empty() ? "" : ", ") + id;
  if (!off.empty()) out.add(fmt::format("What the gates {} guard", off), "The plan switched them off.");
}

void statistics_limits(const ExperimentInput& in, const Decision& d, List& out) {
  int off = 0, on = 0;
  for (const auto* s : reconcile::compared_sessions(in)) ++(s->offload ? on : off);
  if (d.only_locates()) {
    out.add("Effects of any size on times", "The plan compares no arms.");
    out.add("The cliff more finely than the sizes tried", "It is located between two sizes of the working set; between them the curve is a prediction.");
  } else if (!d.detectable) {
    out.add("Effects of any size", fmt::format("{} session(s) without the tier and {} with it: {}.", off, on, d.effect.why));
  } else if (!d.withdrawn()) {
    out.add(fmt::format("Effects smaller than {:.1f} %", 100 * (1 - d.detectable->ratio_below)),
            fmt::format("{} sessions without the tier and {} with it: the minimum detectable effect with 80 % power{}.", off, on,
                        d.detectable->ratio_below_upper ? fmt::format(" (up to {:.1f} % if the spread is larger than it looked)",
                                                                      100 * (1 - *d.detectable->ratio_below_upper))
                                                        : ""));
  } else {
    out.add("Effects of any size", fmt::format("{} session(s) without the tier and {} with it, and the claim is withdrawn.", off, on));
  }
}

void host_limits(const ExperimentInput& in, List& out) {
  out.add("Host memory pressure", "Nothing else used the host's memory or its link on purpose.");
  out.add("Other eviction policies", fmt::format("One policy was run: {}.", in.plan.capacity.offload.policy));
  double longest = 0, total = 0;
  for (const auto& s : in.sessions) {
    MonoNs first = 0, last = 0;
    for (const auto& r : s.requests) {
      if (r.plan.warmup || r.stream.times.t0 == 0) continue;
      if (first == 0) first = r.stream.times.t0;
      last = std::max(last, r.stream.times.end);
    }
    if (last > first) {
      longest = std::max(longest, static_cast<double>(last - first) / 1e9);
      total += static_cast<double>(last - first) / 1e9;
    }
  }
  out.add("Long-running servers", fmt::format("The longest session measured for {:.1f} s, all together {:.1f} s.", longest, total));
}

void rule_limits(const ExperimentInput& in, List& out) {
  const bool seen_live = !in.simulated && in.plan.capacity.offload.policy == "lru" && in.plan.capacity.offload.blocks_per_chunk == 1;
  if (in.simulated)
    out.add("That the cache rules are the engine's", "The emulator runs the same rules that the prediction uses; live recordings are the other judge.");
  else if (!seen_live)
    out.add("Cache rules not verified live", fmt::format("{} with {} block(s) per chunk is checked against recordings without host evictions only.",
                                                         in.plan.capacity.offload.policy, in.plan.capacity.offload.blocks_per_chunk));
  if (in.plan.model.tp > 1 || in.plan.model.pp > 1)
    out.add("Cache rules not verified live", fmt::format("TP {} and PP {} were not seen in any recording.", in.plan.model.tp, in.plan.model.pp));
}

void missing_limits(const ExperimentInput& in, List& out) {
  const auto bad = std::count_if(in.others.begin(), in.others.end(), [](const SessionRecord& s) { return s.state != SessionState::superseded; });
  if (bad > 0) out.add("What the missing sessions would have shown", fmt::format("{} session(s) did not finish.", bad));
}
}  // namespace

std::vector<Limit> limits_of(const ExperimentInput& in, const Evaluation& e) {
  List out;
  if (in.sessions.empty()) {
    out.add("Anything", "No session finished, so nothing was measured.");
    missing_limits(in, out);
    return out.take();
  }
  engine_limits(in, out);
  load_limits(in, out);
  subject_limits(in, out);
  version_limits(in, out);
  content_limits(in, e.reconciliation, out);
  check_limits(in, e.reconciliation, out);
  statistics_limits(in, e.decision, out);
  host_limits(in, out);
  rule_limits(in, out);
  missing_limits(in, out);
  return out.take();
}

}  // namespace kvcliff::analysis
