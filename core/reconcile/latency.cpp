// SPDX-License-Identifier: GPL-3.0-or-later
// Latency helpers and R21.
#include "reconcile/latency.h"

#include <fmt/format.h>

#include <cmath>

#include "reconcile/checks.h"
#include "reconcile/common.h"
#include "record/sleep.h"

namespace kvcliff::reconcile {
namespace {
enum class Booked { computed, cached, neither };

// "Cached": at least 9 tenths of the prompt were hit; "computed": at least 9 tenths were computed. Between: no line.
Booked booked_as(const RequestRecord& r) {
  if (!r.sources.computed.value) return Booked::neither;
  const double share = static_cast<double>(r.sources.computed.value->v) / static_cast<double>(std::max<std::int64_t>(1, prompt_of(r)));
  return share >= 0.9 ? Booked::computed : share <= 0.1 ? Booked::cached : Booked::neither;
}

double robust_sd(const std::vector<double>& v) {
  const double m = median_of(v);
  std::vector<double> d;
  for (const double x : v) d.push_back(std::fabs(x - m));
  return 1.4826 * median_of(std::move(d));
}

double mean_revisit_ms(const ExperimentInput& e, bool offload, bool& any) {
  double sum = 0;
  int n = 0;
  for (const auto* s : compared_sessions(e))
    if (s->offload == offload)
      for (const auto& r : s->requests)
        if (!r.plan.warmup && r.plan.round >= 2 && times_count(r.stream) && r.stream.ttft()) {
          sum += static_cast<double>(*r.stream.ttft()) / 1e6;
          ++n;
        }
  any = n > 0;
  return n ? sum / n : 0;
}
}  // namespace

double percentile(std::vector<double> v, double q) {
  std::sort(v.begin(), v.end());
  const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(v.size())));
  return v[std::min(v.size() - 1, rank == 0 ? 0 : rank - 1)];
}

double median_of(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  const std::size_t m = v.size() / 2;
  return v.size() % 2 ? v[m] : (v[m - 1] + v[m]) / 2;
}

std::vector<double> client_lags_ms(const SessionInput& s) {
  std::vector<double> out;
  for (const auto& r : s.requests) {
    const auto& t = r.stream.times;
    if (r.plan.warmup || t.t0 == 0) continue;
    const MonoNs could = std::max(t.queued, t.connected);
    if (could > 0) out.push_back(static_cast<double>(std::max<MonoNs>(0, t.t0 - could)) / 1e6);
  }
  return out;
}

std::optional<double> lag_limit_ms(const ExperimentInput& e) {
  bool off = false, on = false;
  const double a = mean_revisit_ms(e, false, off), b = mean_revisit_ms(e, true, on);
  if (!off) return std::nullopt;
  const double difference = on ? std::fabs(a - b) : 0;
  return 0.1 * std::max(difference, e.plan.smallest_effect * a);
}

LatencyLines latency_lines(const ExperimentInput& e) {
  std::map<std::int64_t, std::pair<std::vector<double>, std::vector<double>>> groups;
  for (const auto& s : e.sessions)
    for (const auto& r : s.requests) {
      const auto ttft = r.stream.ttft();
      if (r.plan.warmup || !times_count(r.stream) || !r.settled || !ttft) continue;
      const auto booked = booked_as(r);
      if (booked == Booked::neither) continue;
      auto& g = groups[prompt_of(r)];
      (booked == Booked::computed ? g.first : g.second).push_back(static_cast<double>(*ttft) / 1e6);
    }
  std::vector<std::pair<std::int64_t, double>> all;
  for (const auto& s : e.sessions)
    for (const auto& r : s.requests)
      if (const auto t = r.stream.ttft(); t && times_count(r.stream)) all.emplace_back(prompt_of(r), static_cast<double>(*t) / 1e6);
  LatencyLines out;
  for (const auto& [prompt, g] : groups) {
    LatencyLine line;
    line.prompt_tokens = prompt;
    line.computed_count = static_cast<int>(g.first.size());
    line.cached_count = static_cast<int>(g.second.size());
    if (!g.first.empty()) line.computed_ms = median_of(g.first), line.computed_sd = robust_sd(g.first);
    if (!g.second.empty()) line.cached_ms = median_of(g.second), line.cached_sd = robust_sd(g.second);
    std::vector<double> shorter;
    for (const auto& [n, ms] : all)
      if (n * 10 <= prompt) shorter.push_back(ms);
    line.short_count = static_cast<int>(shorter.size());
    if (!shorter.empty()) line.short_ms = median_of(shorter), line.short_sd = robust_sd(shorter);
    out[prompt] = line;
  }
  return out;
}

namespace checks {
namespace {

// A GPU hit has next to nothing to compute. Where short prompts are clearly faster than this length computed, a GPU hit
// on the line of computing contradicts its own claim, even if every hit of the run does. (A host load may honestly cost
// as much as computing.)
std::optional<CheckResult> hit_without_speed(const RequestRecord& r, const LatencyLine& line, double measured) {
  const auto& gpu = r.sources.gpu_hit.value;
  if (!gpu || gpu->v * 10 < prompt_of(r) * 9 || line.short_count < 3) return std::nullopt;
  const double sd = std::max({line.computed_sd, line.short_sd, 1e-3});
  if (line.computed_ms - line.short_ms <= 6 * sd || measured < (line.computed_ms + line.short_ms) / 2) return std::nullopt;
  return failed(measured - line.short_ms,
                fmt::format("booked as a GPU hit, but {:.1f} ms are what computing takes ({:.1f} ms); prompts with little to compute take {:.1f} ms",
                            measured, line.computed_ms, line.short_ms));
}
}  // namespace

// R21, a flag. A source claim that the clock contradicts: booked as cached with the TTFT of computing, or the reverse.
CheckResult latency_claim(const RequestContext& c) {
  const auto& r = c.request;
  const auto ttft = r.stream.ttft();
  if (!ttft || r.stream.outcome != Outcome::complete) return not_possible("there is no time to first token");
  if (slept(r.stream)) return not_possible(std::string(slept_mark));
  if (r.stream.content_events == 1 && r.stream.usage.completion_tokens.value_or(0) >= 4)
    return failed(0, fmt::format("all {} tokens came in one event: this is the time of the last token, not of the first",
                                 *r.stream.usage.completion_tokens));
  // With others in flight a first token waits for their steps: seen live with 16 streams, where two in five hits were as
  // slow as computing.
  if (const auto& load = c.session.plan.load; load.mode == plan::LoadSpec::Mode::open || (load.mode == plan::LoadSpec::Mode::closed && load.concurrency > 1))
    return not_possible("several requests were in flight: a first token waits for the others");
  const auto booked = booked_as(r);
  if (booked == Booked::neither) return not_applicable("partly computed, partly cached: no line to compare with");
  const auto it = c.lines.find(prompt_of(r));
  constexpr int few = 4;
  if (it == c.lines.end() || it->second.computed_count < few || it->second.cached_count < few)
    return not_possible(fmt::format("fewer than {} computed and {} cached requests of this length", few, few));
  const auto& line = it->second;
  if (booked == Booked::cached)
    if (const auto flagged = hit_without_speed(r, line, static_cast<double>(*ttft) / 1e6)) return *flagged;
  const double sd = std::max(line.computed_sd, line.cached_sd);
  const double gap = line.computed_ms - line.cached_ms;
  if (gap <= 3 * sd) return not_possible("computing and loading take times too alike to tell them apart here");
  const double measured = static_cast<double>(*ttft) / 1e6;
  const double own = booked == Booked::computed ? line.computed_ms : line.cached_ms;
  const double other = booked == Booked::computed ? line.cached_ms : line.computed_ms;
  const double own_sd = std::max(booked == Booked::computed ? line.computed_sd : line.cached_sd, 1e-3);
  const bool on_other_line = std::fabs(measured - other) < std::fabs(measured - own) && std::fabs(measured - own) > 3 * own_sd;
  if (!on_other_line) return passed();
  return failed(measured - own, fmt::format("booked as {} but its {:.1f} ms lie on the line of {} ({:.1f} ms; own line {:.1f} ms)",
                                            booked == Booked::computed ? "computed" : "cached", measured,
                                            booked == Booked::computed ? "cached requests" : "computing", other, own));
}

}  // namespace checks
}  // namespace kvcliff::reconcile
